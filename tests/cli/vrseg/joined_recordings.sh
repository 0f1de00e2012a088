#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: recordings of MPEG-TS that are joined byte for byte, each with its own clock, go on one after the other, pictures and sound, also where they
# are shorter than the ten seconds that a step ahead has to have; the copied sound keeps its order in a container whose clock is coarser.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -f lavfi -i testsrc=s=64x64:r=25:d=2 -f lavfi -i sine=d=2 -c:v libx264 -preset ultrafast -c:a aac part.ts
cat part.ts part.ts part.ts >in.ts
for out in out.mp4 out.mkv; do
  vrseg in.ts -o $out --backend null --preset ultrafast --progress none --log-level error >/dev/null && echo "$out: 0"
  ffprobe -v error -count_packets -show_entries stream=codec_type,nb_read_packets:format=duration -of csv=p=0 $out | sed 's/\(\.[0-9]\)[0-9]*$/\1/'
done
