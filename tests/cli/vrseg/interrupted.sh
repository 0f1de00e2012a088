#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a first signal finishes what is in flight and saves a file that plays (130); the frames in it are complete.
# A shell starts background jobs with SIGINT ignored, which vrseg respects: env puts it back.
env --default-signal=INT vrseg "$VRS_DATA/person_vr180_sbs.mp4" -o out.mp4 --backend ref --input-size 384x384 --streams 1 --threads 1 \
  --queue-size 1 --preset ultrafast --progress json --log-level error >summary 2>message &
pid=$!
until grep -q '"frame": [1-9]' message || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
kill -INT $pid
code=0
wait $pid || code=$?
echo "$code"
grep -c 'stopped on request' message
frames=$(sed -n 's/^\([0-9]*\) frames\{0,1\} in.*/\1/p' summary)
if command -v ffprobe >/dev/null; then
  found=$(ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=nb_read_frames -of csv=p=0 out.mp4 | tr -d ,)
  test "$found" = "$frames" || echo "the file holds $found frames, not $frames"
fi
test "$frames" -gt 0 && test "$frames" -lt 60 || echo "$frames frames were made"
rm message summary
ls -A
