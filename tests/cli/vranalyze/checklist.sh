#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards vranalyze checklist: results in the folder and in those directly in it, damaged ones are told and left out, exit codes of --fail-on, formats.
mkdir -p kept/sweep kept/damaged kept/other empty
cp "$VRS_TEST_DIR/files/results/three-cases.json" kept/sweep/results.json
head -c 500 kept/sweep/results.json >kept/damaged/results.json
touch kept/other/notes.txt
run() {
  code=0
  vranalyze checklist "$@" || code=$?
  echo "exit $code"
}
run kept 2>messages
grep -c 'kept/damaged is left out: ' messages
run kept --fail-on failed 2>/dev/null | tail -1
run kept --fail-on missing,failed 2>/dev/null | tail -1
run empty --fail-on failed | tail -1
run empty --fail-on missing --soak 8h | grep -A 1 'soak (missing)'
run empty --fail-on missing | tail -1
run kept/sweep --format csv | grep -c '^checklist,'
run kept --format json 2>/dev/null | grep -c '(missing): '
run none 2>&1
run kept/sweep/results.json 2>&1
run 2>&1
