#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a video whose first segments were made on one CPU and whose others are made on more, by one process or several, is encoded with the threads
# of the first run, and has the bytes of a run on one CPU.  Encoders cut pictures, and parameter sets, otherwise with other numbers of threads.
command -v ffmpeg >/dev/null || exit 77
command -v taskset >/dev/null || exit 77
[ "$(nproc)" -gt 1 ] || exit 77
one=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/') # of the CPUs that we may use
ffmpeg -v error -f lavfi -i testsrc2=s=512x384:d=6:r=25 -c:v libx264 -preset ultrafast clip.mp4
job="clip.mp4 --backend null --layout mono --progress none --segment-frames 10"
killed() { # OPTION...: on one CPU, when two segments are there
  taskset -c "$one" vrseg $job -o out.mkv "$@" >summary 2>messages &
  pid=$!
  while kill -0 $pid 2>/dev/null && [ "$(ls .out.mkv.vrseg 2>/dev/null | grep -c '^segment')" -lt 2 ]; do sleep 0.01; done
  kill -KILL $pid
  wait $pid || true
}
for encoder in libx264 mpeg4; do
  rm -f one.mkv
  taskset -c "$one" vrseg $job -o one.mkv --encoder $encoder >summary 2>messages
  for how in "" " --processes --process-count 2"; do
    killed --encoder $encoder
    vrseg $job -o out.mkv --encoder $encoder $how >summary 2>messages || cat messages
    grep -q 'continuing an unfinished run' messages || echo "not continued"
    cmp one.mkv out.mkv && echo "$encoder$how: the same bytes"
    rm -f out.mkv
  done
done
ls -A

echo "-- segments that do not belong together; which one is found depends on how many there were"
killed --encoder mpeg4
sed -i 's/"encoder_threads":.*/"encoder_threads": 3/' .out.mkv.vrseg/checkpoint.json
for again in "" "" --no-resume; do
  code=0
  vrseg $job -o out.mkv --encoder mpeg4 --log-level warning $again >summary 2>messages || code=$?
  sed "s/segment-0*[0-9]*\.part/segment-N.part/" messages
  echo "exit $code"
done
ls -A
