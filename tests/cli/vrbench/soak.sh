#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A soak of seconds works as one of a day: windows, trends and a verdict as the last line; stopped early or killed it keeps what it has.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
soak() {
  vrbench --backend null --threads 1 --warmup 0.5 --no-graphs "$@" synth:160x80,frames=60
}
code=0
soak --soak 3s --output-dir out >report 2>/dev/null || code=$?
echo "exit $code"
tail -n 1 report
grep -c '^  [0-9]* frames in [0-9]* s: [0-9]* windows of 1 s\. ' report
grep -c '^  memory (MiB)  *[0-9.]* *[0-9.]*' report
grep -c '"rss_bytes"' out/frames/*.soak.jsonl | awk '{ print ($1 >= 3) }'
grep -o '"soak_verdict":.*"inconclusive' out/results.json | tr -d '\t '
code=0
soak --soak 3s --fail-on none --output-dir quiet >/dev/null 2>&1 || code=$?
echo "exit $code"
echo "# stopped"
# A soak of an hour, until its first window is on disk.
start() { # FOLDER
  vrbench --backend null --threads 1 --warmup 0.5 --no-graphs --soak 1h --output-dir "$1" synth:160x80,frames=60 >report 2>words &
  pid=$!
  tries=0
  until [ -s "$1"/frames/*.soak.jsonl ]; do
    sleep 0.1
    tries=$((tries + 1))
    [ $tries -lt 600 ] || exit 1
  done
}
start early
kill -TERM $pid
code=0
wait $pid || code=$?
echo "exit $code"
grep -c 'the soak was stopped on request' words
grep -o '"complete":.*false' early/results.json | tr -d '\t '
grep -c '"status":.*"ok"' early/results.json
echo "# killed"
start killed
kill -KILL $pid
wait $pid 2>/dev/null || true
ls killed/results.json 2>/dev/null || true
code=0
vrbench --resume killed --no-graphs >report 2>words || code=$?
echo "exit $code"
grep '^vrbench' words
tail -n 1 report | cut -d ' ' -f 1-3
jq -r '"complete: \(.complete), windows: \(.cases[0].soak_windows >= 1), verdict \(.cases[0].soak_verdict)"' killed/results.json
echo "# what does not go together"
soak --soak 3s --all 2>&1 || echo "exit $?"
soak --soak 3s --batch-size 1,2 --output-dir two 2>&1 || echo "exit $?"
