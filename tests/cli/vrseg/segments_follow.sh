#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards that segments find the people whom one go follows: a person who comes and goes in a dark surrounding, so that not each look finds him, has
# the same mattes in segments.  With half the preroll he was missing where a segment began, at 37 and 23 frames.
command -v ffmpeg >/dev/null || exit 77
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
ffmpeg -v error -stream_loop 5 -i "$VRS_DATA/person_flat.mp4" -vf 'scale=320:240,pad=640:360:160:60,fade=in:0:40,fade=out:250:50' -frames:v 300 -an \
  -c:v libx264 -preset ultrafast clip.mp4
video() { # SEGMENT-FRAMES
  vrseg clip.mp4 -o $1.mkv -m selfie_segmentation --output-mode matte --encoder ffv1 --segment-frames $1 --progress none --log-level error >summary
  ffmpeg -v error -i $1.mkv -f framemd5 - | awk '!/^#/ { print $NF }' >$1.md5
}
for frames in none 37 23; do video $frames; done
for frames in 37 23; do
  echo "segments of $frames: $(diff none.md5 $frames.md5 | grep -c '^>') of $(wc -l <$frames.md5) frames differ"
done
rm clip.mp4 ./*.mkv
