#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: whichever of standard input, output and error are closed, the report is that of an undisturbed run.
. "$VRS_TEST_DIR/cli/closed.sh"
for closed in none 0 1 2 01 02 12 012; do
  code=0
  without $closed vranalyze "$VRS_TEST_DIR/files/results/three-cases.json" --html $closed.html || code=$?
  cmp -s none.html $closed.html || echo "$closed.html differs"
  echo "without $closed: exit $code"
done
