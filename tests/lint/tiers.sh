#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every test has exactly one of the tiers quick, full and night, and tests/tiers.cmake names no test that is not there.
#   tiers.sh SOURCE_DIR BUILD_DIR
set -eu

sed -n 's/^set_tests_properties(\(.*\) PROPERTIES .*LABELS "\([^"]*\)".*/\1 \2/p' "$2/tests/CTestTestfile.cmake" | awk '
  FNR == NR {
    if (/^add_test\(/) { sub(/^add_test\(/, ""); tests[bare($1)] = 1 }
    next
  }
  FILENAME == "-" {
    n = split($2, label, ";")
    for (i = 1; i <= n; i++) if (label[i] ~ /^(quick|full|night)$/) tiers[bare($1)]++
    next
  }
  /^\t[a-z]+\./ && !/^\temulated\./ { named[$1] = 1 }
  function bare(name) { gsub(/[][="]/, "", name); return name }
  END {
    for (test in tests) if (tiers[test] != 1) { print test ": " tiers[test] + 0 " tiers, not one"; bad = 1 }
    for (test in named) if (!(test in tests)) { print "tests/tiers.cmake: there is no test " test; bad = 1 }
    exit bad
  }' "$2/tests/CTestTestfile.cmake" - "$1/tests/tiers.cmake"
