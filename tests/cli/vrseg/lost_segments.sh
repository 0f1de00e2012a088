#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a segment of an HLS playlist that cannot be opened (it is missing, its protocol is refused), which FFmpeg skips without an error, is no
# success: the input is truncated (3, no output), wherever the gap is.  With --keep-partial the segments on both sides of it are kept.  A part of the
# video that ends before the gap is whole (0).
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -f lavfi -i testsrc=s=64x64:r=25:d=16 -c:v libx264 -preset ultrafast -bf 0 -g 25 -sc_threshold 0 src.ts
ffmpeg -v error -i src.ts -c copy -f segment -segment_time 2 -segment_list list.m3u8 -segment_list_type m3u8 part%d.ts
job='--backend null --preset ultrafast --progress none --log-level error --overwrite'
try() { # NAME [OPTION...]: the exit code, the message, and frames of the output
  code=0
  rm -f out.mp4
  vrseg "$@" -o out.mp4 $job >/dev/null 2>message || code=$?
  printf '%s: %s\n' "$*" $code
  sed 's/after frame [0-9]*/after some frames/' message
  [ ! -e out.mp4 ] || ffprobe -v error -select_streams v -count_packets -show_entries stream=nb_read_packets -of csv=p=0 out.mp4
}
try list.m3u8
for lost in 0 4 7; do
  sed "s/part$lost/missing/" list.m3u8 >gap$lost.m3u8
  try gap$lost.m3u8
done
sed 's/part4/missing/; s/part6/missing/' list.m3u8 >gaps.m3u8
sed 's,part4,http://127.0.0.1:1/part4,' list.m3u8 >refused.m3u8
try gaps.m3u8 --keep-partial
try gap0.m3u8 --keep-partial
try refused.m3u8
try gap7.m3u8 --duration 4
ffmpeg -v error -i src.ts -c copy -t 1 room.mkv # looked at while the playlist is open: what is said of one is not of the other
try gap0.m3u8 --background room.mkv
