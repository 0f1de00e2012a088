#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: SIGKILL at random moments, again and again, of the program or of one of its worker processes: the same command goes on until the film is
# done, the file is that of a run in one go to the byte, no process is left, and nothing hidden stays.  The moments differ from run to run; a failure
# prints them.
command -v ffmpeg >/dev/null || exit 77
clip=clip_180_sbs.mp4
ffmpeg -v error -i "$VRS_DATA/person_vr180_sbs.mp4" -vf scale=512:256 -c:v libx264 -preset veryfast -g 25 -c:a copy $clip
common="--segment-frames 6 --smoothing-window 3 --preset ultrafast --progress none"
workers() { # process numbers of those that are alive in this folder
  for dir in /proc/[0-9]*; do
    if [ "$(readlink "$dir/cwd" 2>/dev/null)" = "$PWD" ] && tr '\0' ' ' <"$dir/cmdline" 2>/dev/null | grep -q make-segment; then
      echo "${dir#/proc/}"
    fi
  done
}
random() { od -An -N2 -tu2 /dev/urandom | tr -d ' '; }
begin=$(date +%s%N)
vrseg $clip -o whole.mp4 $common --log-level warning >summary
whole=$(($(date +%s%N) - begin)) # nanoseconds of a run in one go

for how in --no-processes "--processes --process-count 2"; do
  points=
  kills=0
  done=no
  while [ $done = no ] && [ $kills -lt 40 ]; do
    vrseg $clip -o out.mp4 $common $how >summary 2>message &
    pid=$!
    # Later and later, so that it ends on a slow machine too: in the first half of a run, in the end after two.
    after=$(awk "BEGIN { print $whole / 1e9 * ($(random) / 65536 * 0.5 + 0.05 * $kills) }")
    points="$points $after"
    sleep "$after"
    code=0
    kill -KILL $pid 2>/dev/null || true
    wait $pid || code=$?
    sleep 0.1
    test -z "$(workers)" || echo "workers are left after $points"
    case $code in
      0) done=yes ;;
      137) test ! -e out.mp4 || cmp whole.mp4 out.mp4 || echo "half a file after $points" ;;
      *) echo "exit $code after $points: $(cat message)" ;;
    esac
    # killed after the last step: the film is there, and nothing else
    if [ $code = 137 ] && [ -e out.mp4 ] && [ ! -e .out.mp4.vrseg ]; then done=yes; fi
    kills=$((kills + 1))
  done
  cmp whole.mp4 out.mp4 && echo "$how: $done"
  rm -f out.mp4
done

echo "-- worker processes are killed, the program is not"
for round in 1 2 3; do
  vrseg $clip -o out.mp4 $common --processes --process-count 2 --batch-size 4 >summary 2>message &
  pid=$!
  killed=0
  while kill -0 $pid 2>/dev/null && [ $killed -lt 1 ]; do
    sleep "$(awk "BEGIN { print $(random) / 65536 * 0.3 }")"
    worker=$(workers | head -n 1)
    if [ -n "$worker" ] && kill -KILL "$worker" 2>/dev/null; then killed=$((killed + 1)); fi
  done
  code=0
  wait $pid || code=$?
  echo "exit $code, $(workers | wc -l) workers are left$(cmp whole.mp4 out.mp4)"
  rm -f out.mp4
done
rm summary message
ls -A
