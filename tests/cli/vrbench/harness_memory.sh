#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The harness stays small while it measures: less than 20 MB of memory of its own (RssAnon, which a library's file pages do not count into),
# with the 1,000 cases of its plan held, and hardly more after 24 runs than after the first.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] && [ -r /proc/self/status ] || exit 77
vrbench --backend null --full --resolution own --precision fp32 --threads 1,2 --streams 1,2 --batch-size 1:50:1 \
  --input-size 64x64,96x96,128x128,160x160,192x192 --gates off --runs 1 --max-frames 5 --scope pipeline_no_io --no-graphs -D out \
  synth:128x64,frames=60 >report 2>progress &
pid=$!
runs() {
  [ -f out/journal.jsonl ] && grep -c '"run":' out/journal.jsonl || echo 0
}
own() {
  sed -n 's/^RssAnon:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$pid/status"
}
wait_for() {
  while kill -0 "$pid" 2>/dev/null && [ "$(runs | tail -n 1)" -lt "$1" ]; do sleep 0.1; done
}
wait_for 1
first=$(own)
wait_for 24
last=$(own)
kill -TERM "$pid"
wait "$pid" || true
grep -c '"cases":' out/journal.jsonl
grep -o '"id":' out/journal.jsonl | wc -l | awk '{ print ($1 >= 1000) ? "1000 cases planned" : $1 " cases" }'
awk -v a="$first" -v b="$last" 'BEGIN {
  print (b > 0 && b * 1024 < 20e6) ? "less than 20 MB" : "harness holds " b " kB"
  print (a > 0 && b - a < 1024) ? "less than 1 MB grown" : "grown from " a " to " b " kB"
}'
