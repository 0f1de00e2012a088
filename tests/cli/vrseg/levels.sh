#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards the levels of what goes in: black stays black and white stays white, whatever their range and format.
command -v ffmpeg >/dev/null || exit 77

# The first sample of each plane of frame $2 of video $1, where nobody is.
corner() {
  for plane in y u v; do
    ffmpeg -v error -i "$1" -vf "select=eq(n\,$2),extractplanes=$plane,crop=1:1:0:0" -frames:v 1 -f rawvideo - | od -An -tu1 | tr -d '\n'
  done
  echo
}

run() {
  vrseg "$@" --encoder ffv1 --overwrite --progress none --log-level error >/dev/null
}

# A JPEG, which has full range, behind a limited video of the same size, and a limited one behind a full video.
clip=$VRS_DATA/person_flat.mp4
for luma in 0 255; do
  ffmpeg -v error -f lavfi -i "color=black:s=640x480" -vf "format=yuvj420p,geq=lum=$luma:cb=128:cr=128" -q:v 1 -frames:v 1 full$luma.jpg
  run "$clip" -o out.mkv --max-frames 1 --background full$luma.jpg
  corner out.mkv 0
done
ffmpeg -v error -i "$clip" -frames:v 1 -an -vf scale=out_range=pc -color_range pc -c:v ffv1 full.mkv
ffmpeg -v error -f lavfi -i "color=black:s=640x480" -vf "format=yuv420p,geq=lum=235:cb=128:cr=128" -color_range tv -c:v ffv1 -frames:v 1 limited.mkv
run full.mkv -o out.mkv --max-frames 1 --background limited.mkv
corner out.mkv 0
