#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a job that does not fit is refused before it begins, with a figure; with a limit of that figure it runs, lowers what it may, and writes the
# bytes of a job without limits.  RLIMIT_AS and RLIMIT_DATA always, a control group where this user can make one.  Without a plan the kernel killed
# such jobs, and a small RLIMIT_AS was told as a missing package or an encoder's mistake.
command -v ffmpeg >/dev/null || exit 77
[ -z "${ASAN_OPTIONS:-}${TSAN_OPTIONS:-}" ] || exit 77 # sanitizers need terabytes of addresses and deep stacks
ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=1920x960:rate=25,format=yuv420p -frames:v 12 -c:v mpeg4 -qscale 5 clip.mp4 || exit 77
job() {
  vrseg clip.mp4 -o "$1.mp4" --overwrite >"$1.out" 2>"$1.err"
}
figure() {
  sed -n 's/.*needs at least \([0-9]*\) MiB.*/\1/p' "$1.err"
}
told() { # NAME, WORDS
  code=0
  job "$1" || code=$?
  echo "$2: exit $code"
}
job free || { cat free.err; exit 1; }

for kind in v d; do
  (ulimit -$kind 400000 && told $kind "ulimit -$kind, too little")
  need=$(figure $kind)
  ls .??*part* $kind.mp4 2>/dev/null || :
  [ -n "$need" ] || { echo "no figure"; cat $kind.err; continue; }
  (ulimit -$kind $((need * 1024)) && told $kind "ulimit -$kind, as much as it says")
  cmp free.mp4 $kind.mp4 || cat $kind.err
done
grep -c 'memory: queue 4 to 1' d.err

. "$VRS_TEST_DIR/memory_group.sh"
if ! make_memory_group 100M; then
  echo "no control group can be made here" >&2
  printf 'group, too little: exit 3\ngroup, as much as it says: exit 0\n'
  exit 0
fi
in_group() {
  (enter_memory_group && told group "group, $1")
}
in_group "too little"
# 90 % of the group's memory may be used
set_memory_group $(($(figure group) * 1048576 / 9 * 10 + 1048576))
in_group "as much as it says"
cmp free.mp4 group.mp4 || cat group.err
