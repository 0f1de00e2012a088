#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests of tests/cli/compat read of docs/compat.md and of the users' documents in tests/data/seeds; sourced by them.
compat=$VRS_SOURCE_DIR/docs/compat.md
guides="$VRS_DATA/seeds/tuning-guide.md $VRS_DATA/seeds/module-guide.md $VRS_DATA/seeds/profiling.md
  $VRS_DATA/seeds/animation-guide.md $VRS_DATA/seeds/techniques.md"

# Rows of the tables below a heading, cells between tabs: rows "Commands"
rows() {
  awk -v title="## $1" '
    /^## / { here = $0 == title; head = 1; next }
    !/^\|/ { head = 1; next }
    here && head { head = 0; next }
    here && !/^\|[-|]*\|$/ {
      gsub(/^\| ?| ?\|$/, "")
      gsub(/ ?\| ?/, "\t")
      print
    }' "$compat"
}

# What stands in backquotes, one a line.
quoted() { grep -o '`[^`]*`' | tr -d '`'; }

# Lines of code blocks of one language: FILE:LINE of the block, tab, the line without the indentation of its fence.
blocks() { # LANGUAGE FILE...
  language=$1
  shift
  # shellcheck disable=SC2086
  awk -v language="$language" '
    FNR == 1 { inside = 0; name = FILENAME; sub(/.*\//, "", name); sub(/\.md$/, "", name) }
    /^ *```/ {
      indent = match($0, /[^ ]/) - 1
      inside = !inside
      wanted = inside && substr($0, indent + 4) == language
      start = name ":" FNR
      next
    }
    wanted { print start "\t" substr($0, indent + 1) }' "$@"
}

failed() {
  echo "FAILED: $*"
}
