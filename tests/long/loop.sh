#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: 4K in a loop for VRS_LENGTH seconds: resident memory and open descriptors (medians: files that are read now and then are open for a moment)
# of the last third are those of the second one, within 1 %.  The first third fills the encoder's look-ahead.  All of it runs in a control group as
# large as the plan of the measurement says that the case needs, where this user can make one: a process that takes more is killed there.
seconds=${VRS_LENGTH:?seconds}
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
soak() { # [OPTION...]
  exec vrbench --soak "${seconds}s" --warmup 1 --no-graphs "$@" synth:3840x1920,sbs,hequirect,frames=24
}
(soak --output-dir plan --dry-run) >plan.txt
need=$(sed -n 's/.*largest case needs about \([0-9]*\) MiB.*/\1/p' plan.txt)
[ -n "$need" ] || { cat plan.txt; exit 1; }
. "$VRS_TEST_DIR/memory_group.sh"
confine=: size="no control group can be made here"
bound=$((need * 10 / 9 + 64)) # a case gets 90 % of the group, less what vrbench itself has in use
if make_memory_group $((bound * 1048576)); then
  confine=enter_memory_group
  size="a control group of $bound MiB"
fi
# Children may map four times that: libraries and stacks take addresses that no memory stands behind.  The group is what bounds memory.
($confine && soak --output-dir out --memory-limit "$((4 * need))MiB") >report 2>messages &
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
descriptors() { # FIRST LAST window
  awk -v first="$1" -v last="$2" '$2 > 0 && $1 > first && $1 <= last { print $2 }' descriptors | sort -n |
    awk '{ n[NR] = $1 } END { print n[int(NR / 2) + 1] + 0 }'
}
open_second=$(descriptors $third $((windows - third)))
open_last=$(descriptors $((windows - third)) "$windows")
awk -v second="$second" -v last="$last" -v windows="$windows" -v size="$size" -v open_second="$open_second" -v open_last="$open_last" '
  BEGIN {
    printf "%s, %d windows: %.1f and %.1f MiB, %d and %d descriptors\n", size, windows, second / 1048576, last / 1048576, open_second, open_last
    exit last > second * 1.01 || !open_second || open_last > open_second
  }'
