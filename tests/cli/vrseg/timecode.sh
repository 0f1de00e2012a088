#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the time code is that of the first frame, counted in the rate of the output; MXF, which takes no other, does not end in an error.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -f lavfi -i testsrc2=s=64x64:r=30000/1001:d=0.5 -c:v libx264 -preset ultrafast -timecode '01:00:00;20' drop.mov
ffmpeg -v error -f lavfi -i testsrc2=s=64x64:r=30:d=0.5 -c:v libx264 -preset ultrafast -timecode '01:00:00:20' whole.mov
ffmpeg -v error -f lavfi -i testsrc2=s=64x64:r=25:d=0.5 -c:v libx264 -preset ultrafast -metadata timecode='01:00:00;20' wrong.mkv
try() {
  code=0
  vrseg "$@" --backend null -m selfie_segmentation --no-refine --layout mono -t 1 --overwrite --progress none \
    --log-level warning 2>&1 >/dev/null || code=$?
  echo "$*: $code $(ffprobe -v error -show_entries stream_tags=timecode:format_tags=timecode -of csv=p=0 "$3" | sort -u | tr '\n' ' ')"
}
for out in out.mov out.mp4 out.mkv; do
  try drop.mov -o $out
  try drop.mov -o $out --every-nth 2
  try whole.mov -o $out --every-nth 2
done
try whole.mov -o out.mov --start 0.4
try whole.mov -o out.mov --every-nth 2 --segment-frames 4
try drop.mov -o out.mxf
ffmpeg -v error -f lavfi -i testsrc2=s=64x64:r=60000/1001:d=0.5 -c:v libx264 -preset ultrafast -timecode '01:00:00;20' fast.mov
try fast.mov -o out.mxf --every-nth 2
try wrong.mkv -o out.mxf
