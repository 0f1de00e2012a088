#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: audio of an MPEG-TS file that begins long after the video has its right time in the output, in one go and in segments, also beside a
# stream of audio that begins with the video.  Where it cannot be looked for (a pipe), or never comes, a message says that it is left out, and
# the job goes on; with all its frames also where a file has the name "-" that stands for the pipe.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -f lavfi -i testsrc=s=64x64:r=5:d=20 -itsoffset 15 -f lavfi -i sine=d=5 -f lavfi -i sine=d=5 -map 0:v -map 1:a \
  -c:v libx264 -preset ultrafast -g 5 -c:a aac late.ts -map 0:v -map 2:a -map 1:a -c:v libx264 -preset ultrafast -g 5 -c:a aac both.ts
head -c $(($(stat -c %s late.ts) / 2 / 188 * 188)) late.ts >never.ts
job='--backend null --preset ultrafast --progress none'
begins() { # FILE: when each stream of audio begins, in seconds
  ffprobe -v error -select_streams a -show_entries packet=stream_index,pts_time -of default=nk=1:nw=1 "$1" |
    awk '{ stream = $1; getline; if (!seen[stream]++) printf "audio begins at %.0f s\n", $1 }'
}
for segments in none 20; do
  for in in late both; do
    for out in mp4 mkv; do
      echo "== $in.ts, segments: $segments, $out"
      vrseg $in.ts -o out.$out --overwrite --segment-frames $segments $job --log-level warning >/dev/null
      begins out.$out
    done
  done
done
echo x >./-
for in in late both; do
  echo "== $in.ts through a pipe"
  cat $in.ts | vrseg - -o pipe.mkv --overwrite $job --log-level warning 2>&1 >/dev/null
  begins pipe.mkv
  echo "$(ffprobe -v error -select_streams v -count_packets -show_entries stream=nb_read_packets -of default=nk=1:nw=1 pipe.mkv) frames"
done
echo "== never.ts"
vrseg never.ts -o never.mp4 $job --log-level warning 2>&1 >/dev/null | grep -v damaged
begins never.mp4
