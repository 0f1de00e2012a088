#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One way of writing where C has several: sizeof without parentheses on an expression, initialisers without inner blanks, a status
# compared with VRS_OK.  CONTRIBUTING.md has the list.
#   style.sh SOURCE_DIR [BUILD_DIR]
set -eu
cd "$1"

find engine bench tuner analyzer reports tests -name '*.[ch]' -not -path 'tests/golden/*' | sort | xargs awk '
  function complain(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    bad = 1
  }
  FNR == 1 { whole_number = 0 }
  /(^|[^A-Za-z0-9_])int status[;,) =]/ { whole_number = 1 } # the status of a process: a number, not an enum vrs_status
  {
    code = $0
    gsub(/\\"/, "", code)
    gsub(/"[^"]*"/, "\"\"", code)
    sub(/\/[*\/].*/, "", code)
    if (code ~ /^ \*/) next
  }
  # A name that is no type: types are keywords, end in _t, start with vrs_, cl_ (OpenCL) or an upper-case letter, or are a struct or an enum.
  code ~ /sizeof\([a-z_*][A-Za-z0-9_]*(\)|\[|->|\.)/ {
    name = code
    sub(/.*sizeof\(/, "", name)
    sub(/[^A-Za-z0-9_*].*/, "", name)
    if (name !~ /^(void|char|short|int|long|float|double|signed|unsigned|bool)$|_t$|^(vrs|cl)_/) complain("write sizeof " name)
  }
  code ~ /(= |\[\] = |[^ ]\))\{ +[^ }]/ { complain("a blank after the opening brace of an initialiser") }
  code ~ /= \{.*[^ \t{] +\}[;,)]/ { complain("a blank before the closing brace of an initialiser") }
  !whole_number && code ~ /![ ]?status([^A-Za-z0-9_.]|$)|(if|while) \(status\)|[^A-Za-z_.>]status \?/ { complain("compare the status with VRS_OK") }
  END { exit bad }'
