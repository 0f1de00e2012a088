#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards the levels of what goes in: black stays black and white stays white, whatever their range and format.
command -v ffmpeg >/dev/null || exit 77

# The first sample of each plane of every frame of a 4:2:0 video, where nobody is.
corners() {
  ffmpeg -v error -i "$1" -vf crop=2:2:0:0 -f rawvideo - | od -An -v -tu1 -w6 | awk '{ print $1, $5, $6 }'
}

run() {
  vrseg "$@" --encoder ffv1 --overwrite --progress none --log-level error >/dev/null
}

# A JPEG, which has full range, behind a limited video of the same size, and a limited one behind a full video.
clip=$VRS_DATA/person_flat.mp4
for luma in 0 255; do
  ffmpeg -v error -f lavfi -i "color=black:s=640x480" -vf "format=yuvj420p,geq=lum=$luma:cb=128:cr=128" -q:v 1 -frames:v 1 full$luma.jpg
  run "$clip" -o out.mkv --max-frames 1 --background full$luma.jpg
  corners out.mkv
done
ffmpeg -v error -i "$clip" -frames:v 1 -an -vf scale=out_range=pc -color_range pc -c:v ffv1 full.mkv
ffmpeg -v error -f lavfi -i "color=black:s=640x480" -vf "format=yuv420p,geq=lum=235:cb=128:cr=128" -color_range tv -c:v ffv1 -frames:v 1 limited.mkv
run full.mkv -o out.mkv --max-frames 1 --background limited.mkv
corners out.mkv

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

# One colour in three ways: range and matrix change within the stream, and the video keeps what its first picture has.  In segments, too.
piece() {
  ffmpeg -v error -f lavfi -i "color=0x804020:s=320x240:r=25:d=0.16" -vf "scale=out_range=$1:out_color_matrix=$2,format=yuv420p" \
    -color_range "$1" -colorspace "$2" -c:v libx264 -preset ultrafast -qp 0 -bf 0 "$1-$2.h264"
}
piece tv bt709
piece pc bt709
piece tv smpte170m
cat tv-bt709.h264 pc-bt709.h264 tv-smpte170m.h264 >three.h264
ffmpeg -v error -r 25 -i three.h264 -c copy three.mkv
for options in '--segment-frames none' '--segment-frames 3'; do
  # shellcheck disable=SC2086 # words
  vrseg three.mkv -o out.mkv --layout mono --no-follow --view whole --background blur --encoder ffv1 \
    --overwrite --progress none --log-level warning $options 2>&1 >/dev/null
  # 1: rounding on the way by RGB
  corners out.mkv | awk '
    NR == 1 { for (i = 1; i <= 3; i++) first[i] = $i; print }
    { for (i = 1; i <= 3; i++) if ($i - first[i] > 1 || first[i] - $i > 1) { print "frame", NR - 1, "differs:", $0; break } }
    END { print NR, "frames" }'
done
