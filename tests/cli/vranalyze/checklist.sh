#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards vranalyze checklist: results in the folder and in those directly in it, damaged ones are told, left out and the exit code, exit codes of
# --fail-on, a warning where points rest on another machine, formats.
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
grep -c 'left out: kept/damaged/results.json:' messages
run kept --fail-on failed 2>/dev/null | tail -1 # what is left out might have failed too
rm -r kept/damaged
run kept --fail-on failed 2>/dev/null | tail -1
run kept --fail-on missing,failed 2>/dev/null | tail -1
run empty --fail-on failed | tail -1
run empty --fail-on missing --soak 8h | grep -A 1 'soak (missing)'
run empty --fail-on missing | tail -1
run kept/sweep --format csv | grep -c '^checklist,'
run kept --format json 2>/dev/null | grep -c '(missing): '
echo "-- another machine"
mkdir -p two/here two/there
jq '.fingerprint = "00000000000000aa"' kept/sweep/results.json >two/here/results.json
jq '.fingerprint = "00000000000000bb" | .finished_utc = "2026-01-01T00:00:00Z" | .input = "synthetic"' kept/sweep/results.json >two/there/results.json
run two | grep -c 'Another machine' || : # the newest judges all
jq '.cases[0].runs[].throttle_events = 0' two/there/results.json >two/there/r && mv two/there/r two/there/results.json
run two | grep -A 2 'Another machine'
echo "-- end"
run none 2>&1
run kept/sweep/results.json 2>&1
run 2>&1
