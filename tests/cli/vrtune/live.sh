#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: --objective live paces every run at the rate asked for, holds late frames against the limit, and knows how good the matte of each setting is
# from a run of it that is not live, of which there is one.  Whether this machine is in time just now (0 or 15) is not the question; a final takes
# some hundred frames, which come soon at a high rate.
code=0
vrtune --auto-optimize --quick --objective live --target-fps 50 --max-latency-ms 5000 --rounds 2 --only "batch_size preset" --preset veryfast \
  --batch-size 2-3 --precision fp32 --output-dir runs --progress none "$VRS_DATA/person_flat.mp4" >out 2>err || code=$?
test "$code" = 0 || test "$code" = 15 || echo "exit $code"
cat err
grep -o 'settings *ms *latency *IoU *kbit/s *late' out | tr -s ' ' | sort -u
grep -oE '^ *late frames +at most 1 %.*(pass|fail)' out | tr -s ' ' | sed 's/[0-9.]* % \(pass\|fail\)/SHARE/'
grep -oE 'b=[23]/[^ ]*mode=live@50( \(default\))? +[0-9.]+ +[0-9.]+x +0\.9[0-9]+ ' out |
  sed -E 's/ +[0-9.]+ +[0-9.]+x +0\.9[0-9]+ / MS TIMES IOU/' | sort -u
echo "not live: $(grep -oE '"id":"[^"]*b=[23][^"]*"' runs/journal.jsonl | grep -vc live@)"
grep -oE 'b=[23][^"]*mode=live@50' runs/journal.jsonl | sort -u
check() {
  code=0
  vrtune --auto-optimize "$@" "$VRS_DATA/person_flat.mp4" || code=$?
  echo "exit $code: $*"
}
check --objective live --finish-by 06:00 --frames 100
check --max-latency-ms 20
