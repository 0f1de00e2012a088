#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --auto-tune with the real vrtune: the search ends within its two minutes, its result is a configuration that vrseg takes, and the job has
# the bytes of the same settings given with -c.  What is found is the machine's; auto_tune.sh has all cases with a script in place of vrtune.
clip=$VRS_DATA/person_flat.mp4
for turn in 1 2 3; do # on a busy machine a search goes on in the next job
  start=$(date +%s)
  vrseg "$clip" -o first.mp4 --overwrite --auto-tune --progress none >summary 2>messages || { cat messages; exit 1; }
  seconds=$(($(date +%s) - start))
  [ $seconds -le 180 ] || echo "the search and job $turn took $seconds seconds"
  grep -q 'not decided yet' messages || break
done
grep -c 'looking for' messages
grep -c 'tuned for' messages
found=$(echo ../cache/vrseg/tuned/*.yaml)
grep -q '^# ' "$found" || echo "nothing says where $found comes from"
vrseg "$clip" -o second.mp4 --auto-tune --progress none >summary 2>messages
grep -c 'looking for' messages || true
vrseg "$clip" -o given.mp4 -c "$found" --progress none >summary 2>messages
cmp first.mp4 second.mp4
cmp first.mp4 given.mp4 && echo 'the same bytes'
