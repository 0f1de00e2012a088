#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards a stop of --auto-tune with the real vrtune, before its first run and after it: what is said to go on does go on.  vrseg's own command
# continues the search, so nothing is said of --resume, and before the first run nothing of the search at all, since nothing is kept.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
. "$VRS_TEST_DIR/cli/stopping.sh"
clip=$VRS_DATA/person_flat.mp4
start() {
  vrseg "$clip" -o out.mp4 --auto-tune --progress none >summary 2>messages &
  pid=$!
}
say() { grep -E 'resume|saved|vrseg: stopped|left off' messages; }
start
ready messages 'looking for' $pid
ends TERM $pid 'before the first run'
say
find ../cache/vrseg/tuned -mindepth 1
start
until grep -q '"round"' ../cache/vrseg/tuned/*.runs/journal.jsonl 2>/dev/null || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
ends TERM $pid 'after it'
say
start
ready messages 'left off' $pid
ends TERM $pid 'again'
say | sort -u
