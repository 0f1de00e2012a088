#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: one SIGTERM ends vrbench in the middle of a run, also one whose process hangs, with 143; the run is not recorded, no process of it is left,
# and --resume makes it anew.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
. "$VRS_TEST_DIR/cli/stopping.sh"

# the process of the run that $1 makes
child_of() {
  for stat in /proc/[0-9]*/stat; do
    sed -n "s/^\([0-9]*\) ([^)]*) [A-Z] $1 .*/\1/p" "$stat" 2>/dev/null || true
  done
}

vrbench --threads 1 --runs 1 --duration 60 --warmup 0.2 --min-frames 5 --gates off --no-graphs --output-dir out "$VRS_DATA/person_flat.mp4" >report \
  2>progress &
pid=$!
# The first process measures what the machine can do; there is nothing to continue before the journal begins.
until [ -s out/journal.jsonl ] || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
until { child=$(child_of $pid) && [ -n "$child" ] && kill -STOP $child 2>/dev/null; } || ! kill -0 $pid 2>/dev/null; do sleep 0.2; done
ends TERM $pid 'a run whose process hangs'
test -n "$child" && ! kill -0 $child 2>/dev/null && echo 'its process is gone'
grep -o 'continue with vrbench --resume out' progress
grep -c '"frames_file"' out/journal.jsonl || true
