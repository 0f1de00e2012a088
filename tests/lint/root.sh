#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The root holds what a reader looks for there, and nothing that a tool has left: a new entry is a decision, and is added here.
#   root.sh SOURCE_DIR [BUILD_DIR]
set -eu
cd "$1"
git rev-parse -q --verify HEAD >/dev/null 2>&1 || {
  echo "not a git repository"
  exit 77
}

known='.ci .clang-tidy .editorconfig .gitignore CMakeLists.txt CMakePresets.json CONTRIBUTING.md LICENSE README.md analyzer bench cmake configs
demo.sh docs engine packages.txt reports scripts test.sh tests tuner'

git ls-files -co --exclude-standard | cut -d / -f 1 | sort -u | awk -v known="$(echo $known)" '
  BEGIN { n = split(known, names, " "); for (i = 1; i <= n; i++) left[names[i]] = 1 }
  !($0 in left) { print $0 ": what is it? It does not belong into the root"; bad = 1; next }
  { delete left[$0] }
  END { for (name in left) { print "tests/lint/root.sh: there is no " name; bad = 1 } exit bad }'
