#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: worker processes make the same file as one process, also where SIGCHLD was ignored at the start, go on after a kill, share their state
# with runs of one process, end with their parent however it ends, and an interrupted run of them leaves a film that plays, of as many frames as the
# summary and the message tell; metrics also count those that are kept behind it, and of segments that are not complete nothing stays.
command -v ffmpeg >/dev/null || exit 77
clip=clip_180_sbs.mp4
ffmpeg -v error -i "$VRS_DATA/person_vr180_sbs.mp4" -vf scale=768:384 -c:v libx264 -preset veryfast -g 25 -c:a copy $clip
common="--segment-frames 10 --smoothing 0.5 --preset ultrafast --progress none"
workers() { # that are alive in this folder
  for dir in /proc/[0-9]*; do
    if [ "$(readlink "$dir/cwd" 2>/dev/null)" = "$PWD" ] && tr '\0' ' ' <"$dir/cmdline" 2>/dev/null | grep -q make-segment; then echo worker; fi
  done | grep -c worker || true
}
vrseg $clip -o one.mp4 $common --log-level warning >summary
vrseg $clip -o two.mp4 $common --processes >summary 2>message
grep -c '2 processes' message
cmp one.mp4 two.mp4
timeout 120 env --ignore-signal=CHLD vrseg $clip -o two.mp4 $common --processes --overwrite >summary 2>message
cmp one.mp4 two.mp4
# standard input by its name: a worker has another one
code=0
timeout 120 vrseg /dev/stdin -o named.mp4 $common --processes <$clip >summary 2>message || code=$?
echo "named: exit $code, $(ffprobe -v error -select_streams v -show_entries stream=nb_frames -of csv=p=0 named.mp4) frames"
for signal in KILL INT; do
  env --default-signal=INT vrseg $clip -o $signal.mp4 $common --processes --process-count 3 --metrics-file metrics >summary 2>message &
  pid=$!
  while kill -0 $pid 2>/dev/null && [ "$(ls .$signal.mp4.vrseg 2>/dev/null | grep -c '^segment')" -lt 2 ]; do sleep 0.02; done
  kill -$signal $pid
  code=0
  wait $pid || code=$?
  sleep 0.2
  echo "$signal: exit $code, $(workers) workers are left"
  if [ $signal = INT ]; then
    frames=$(sed 's/ .*//' summary)
    found=$(ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=nb_read_frames -of csv=p=0 INT.mp4 | tr -d ,)
    kept=$(sed -n 's/.*which are saved; \([0-9]*\) frames behind them are kept;.*/\1/p' message)
    written=$(sed -n 's/^vrseg_frames_total //p' metrics)
    test "$found" -gt 0 && test "$found" = "$frames" || echo "the summary tells $frames frames, the film has $found"
    grep -q "stopped on request after $found frames" message || cat message
    test "$written" = $((found + ${kept:-0})) || echo "$written frames counted, not $found and $kept"
    test $((10 * $(ls .INT.mp4.vrseg | grep -c '^segment'))) -le $((found + ${kept:-0})) || echo "more than $found and $kept frames stay"
  fi
  vrseg $clip -o $signal.mp4 $common >summary 2>message
  cmp one.mp4 $signal.mp4
done
rm summary message metrics
ls -A
