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

# Grey with alpha as an excluded area: black excludes nothing, and grey as much as the same grey without alpha does.
mattes() {
  name=$1
  shift
  run "$clip" -o "hash:$name" --max-frames 1 --output-mode matte --no-refine "$@"
}
mattes all
for value in 000 200; do
  for format in gray16be ya16be ya8; do
    case $format in
      gray16be) sample="\\$value\\000" bytes=2 file=mask.png ;;
      ya16be) sample="\\$value\\000\\377\\377" bytes=4 file=mask.png ;;
      ya8) sample="\\$value\\377" bytes=2 file=mask.tif ;;
    esac
    # shellcheck disable=SC2059 # the sample is octal
    printf "$sample" >samples
    while [ "$(wc -c <samples)" -lt $((64 * 48 * bytes)) ]; do
      cat samples samples >twice
      mv twice samples
    done
    ffmpeg -v error -y -f rawvideo -pix_fmt $format -s 64x48 -i samples -frames:v 1 $file
    mattes $format --exclude $file
  done
  cmp -s gray16be all && echo "$value: excludes nothing"
  for format in ya16be ya8; do
    cmp -s gray16be $format && echo "$value: $format like grey"
  done
done
