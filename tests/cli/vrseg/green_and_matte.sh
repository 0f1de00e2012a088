#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the pixels of both modes.  Outside the view of each eye lies the background: green in the video's own matrix (BT.709, limited range:
# 173 42 26), black in mode matte.  The person in the middle stays as filmed, and is white in the matte.
command -v ffmpeg >/dev/null || exit 77
clip=$VRS_DATA/person_vr180_sbs.mp4
vrseg "$clip" -o green.mkv --encoder ffv1 --max-frames 1 --log-level error >/dev/null
vrseg "$clip" -o matte.mkv --encoder ffv1 --max-frames 1 --output-mode matte --log-level error >/dev/null
# x y of file $1 as Y U V
pixel() {
  for plane in y u v; do
    x=$2 y=$3
    [ $plane = y ] || { x=$(($2 / 2)); y=$(($3 / 2)); }
    ffmpeg -v error -i "$1" -frames:v 1 -vf "extractplanes=$plane,crop=1:1:$x:$y" -f rawvideo - | od -An -tu1 | tr -d '\n'
  done
  echo
}
for file in green.mkv matte.mkv; do
  pixel $file 10 10
  pixel $file 1100 900
  pixel $file 2000 40
done
pixel matte.mkv 526 540
pixel matte.mkv 1530 540
test "$(pixel green.mkv 526 540)" = "$(pixel "$clip" 526 540)" && echo "the person is as filmed"
