#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The tree speaks of itself alone: no absolute paths of the machine that it was written on, no hosts of package registries, no notes to
# oneself.  Paths of a running Linux system (/proc, /sys, /dev, /etc, /usr) are fine.
#   words.sh SOURCE_DIR [BUILD_DIR]
set -eu
cd "$1"

# Written so that this file does not match itself.
places='/wo[r]k/|/op[t]/|/ho[m]e/[a-z]|/roo[t]/|/tm[p]/'
hosts='registr[y]\.npmjs|npm[j]s\.|pypi\.[o]rg|files\.pythonhosted[.]|crate[s]\.io|proxy\.golan[g]|deb\.debia[n]\.org|repo1?\.mave[n]'
notes='(^|[^A-Za-z])(FIXM[E]|XX[X]|HAC[K])([^A-Za-z]|$)'

found=$({ git ls-files -co --exclude-standard 2>/dev/null || find . -type f -not -path './build/*' | sed 's|^\./||'; } |
  grep -Ev '^(tests/(files|machines|golden|fuzz/(corpus|kept)|data)/|LICENSE$)' | sort |
  while read -r file; do [ ! -f "$file" ] || printf '%s\0' "$file"; done |
  xargs -0 grep -nIE "$places|$hosts|$notes" || true)

# Tests may name places that do not exist, scratch folders come from TMPDIR, and AMD installs its drivers below /opt.
found=$(echo "$found" | grep -vE '\$\{TMPDIR:-/tm[p]\}|^tests/unit/.*/(tm[p]|op[t])/|/op[t]/(rocm|amdgpu-pro)/' || true)
[ -z "$found" ] || {
  echo "$found"
  exit 1
}
