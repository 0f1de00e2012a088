#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: 4K in a loop for VRS_LENGTH seconds: resident memory (median of the windows) and open descriptors of the last third are those of the second
# one, within 1 %.  The first third fills the encoder's look-ahead.
seconds=${VRS_LENGTH:?seconds}
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
vrbench --soak "${seconds}s" --warmup 1 --no-graphs --output-dir out synth:3840x1920,sbs,hequirect,frames=24 >report 2>messages &
pid=$!
while kill -0 $pid 2>/dev/null; do
  child=$(cat /proc/$pid/task/$pid/children 2>/dev/null || true)
  [ ! -s out/frames/*.soak.jsonl ] || echo "$(cat out/frames/*.soak.jsonl | wc -l) $(ls /proc/${child%% *}/fd 2>/dev/null | wc -l)"
  sleep 0.5
done >descriptors
wait $pid || true # the verdict is also of frame times, which other work on the machine disturbs
grep -q '"status":[[:blank:]]*"ok"' out/results.json || { tail -n 20 messages; exit 1; }
sed -n 's/.*"rss_bytes":\([0-9]*\).*/\1/p' out/frames/*.soak.jsonl >resident
windows=$(wc -l <resident)
third=$((windows / 3))
[ $third -ge 5 ] || { echo "only $windows windows"; exit 1; }
median() { sort -n | sed -n "$((third / 2 + 1))p"; }
second=$(sed -n "$((third + 1)),$((2 * third))p" resident | median)
last=$(tail -n $third resident | median)
awk -v second="$second" -v last="$last" -v third=$third -v windows="$windows" '
  $2 > 0 && $1 > third { part = $1 > windows - third; if ($2 > fds[part]) fds[part] = $2 }
  END {
    printf "%d windows: %.1f and %.1f MiB, %d and %d descriptors\n", windows, second / 1048576, last / 1048576, fds[0], fds[1]
    exit last > second * 1.01 || !fds[0] || fds[1] > fds[0]
  }' descriptors
