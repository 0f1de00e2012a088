#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: worker processes make the same file as one process, also where SIGCHLD was ignored at the start, go on after a kill, share their state with
# runs of one process, end with their parent however it ends, and an interrupted run of them leaves a film that plays.
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
for signal in KILL INT; do
  env --default-signal=INT vrseg $clip -o $signal.mp4 $common --processes --process-count 3 >summary 2>message &
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
    test "$found" -gt 0 || echo "$frames frames were made, the film has $found"
  fi
  vrseg $clip -o $signal.mp4 $common >summary 2>message
  cmp one.mp4 $signal.mp4
done
rm summary message
ls -A
