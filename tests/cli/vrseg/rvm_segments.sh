#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards videos in segments with Robust Video Matting: the pictures of one go, bit by bit, in the precision of the machine.
command -v ffmpeg >/dev/null || exit 77
code=0
vrseg "$VRS_DATA/person_flat.mp4" -m rvm_mobilenetv3 -o null: -n 1 --progress none >summary 2>messages || code=$?
[ $code -ne 3 ] || exit 77 # not installed
ffmpeg -v error -i "$VRS_DATA/person_vr180_sbs.mp4" -frames:v 18 -an -c:v copy clip_180_sbs.mp4
for frames in none 6; do
  vrseg clip_180_sbs.mp4 -m rvm_mobilenetv3 -o $frames.mkv --encoder ffv1 --output-mode matte --segment-frames $frames --progress none \
    2>messages >summary
  ffmpeg -v error -i $frames.mkv -map 0:v -f framemd5 $frames.txt
done
cmp none.txt 6.txt && echo "$(grep -vc '#' 6.txt) frames: same"
