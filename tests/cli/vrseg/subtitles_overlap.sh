#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: what subtitles show at each time stays in .mp4 and .mov, whose text shows one at a time (of two one was 1 ms long, another late), and none
# reaches beyond the part; in .mkv they stay as they are.
command -v ffmpeg >/dev/null || exit 77
printf '1\n00:00:00,100 --> 00:00:00,400\nOne\n\n2\n00:00:00,100 --> 00:00:00,600\nAside\n\n3\n00:00:00,800 --> 00:00:01,600\nTwo <i>it</i>\n
4\n00:00:01,200 --> 00:00:01,400\nThree\n' >text.srt
ffmpeg -v error -f lavfi -i testsrc2=s=64x64:r=25:d=2 -i text.srt -c:v libx264 -preset ultrafast -c:s srt in.mkv
try() {
  echo "$*"
  vrseg in.mkv -o "$@" --backend null -m selfie_segmentation --no-refine --preset ultrafast --layout mono --overwrite --progress none \
    --log-level warning >/dev/null
  ffmpeg -v error -i "$1" -map 0:s -f srt - | awk 'NF'
}
try out.mp4
try out.mov --segment-frames 20
try out.mp4 --start 0.3 --duration 1
try out.mkv --start 0.3 --duration 1
