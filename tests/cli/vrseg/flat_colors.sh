#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: FFmpeg decodes outputs to the colour that the input has, whatever the range and matrix of that: JPEG is BT.601 of full range, TIFF is RGB,
# and full range becomes limited range where neither codec nor container can say it, which is told.  A video in segments, also of several processes,
# has the pictures of one that is made in one go.  Everything is a person here (replaced_files.onnx with large weights).
command -v ffmpeg >/dev/null || exit 77
cp "$VRS_CASE_DIR/replaced_files.onnx" net.onnx
printf '\0\0\110\103\0\0\110\103\0\0\110\103' >w.bin
printf 'name: all\nlicence: none\nsource: test\nfile: net.onnx\ninput: {size: [64, 64], scale: [4, 4, 4]}\n' >all.yaml
echo 'output: {kind: probability}' >>all.yaml

flat() { # NAME COLOUR RANGE MATRIX: 8 pictures
  ffmpeg -nostdin -v error -f lavfi -i "color=$2:s=64x64:r=10,format=gbrp" -frames:v 8 -vf "scale=out_range=$3:out_color_matrix=$4,format=yuv420p" \
    -color_range "$3" -colorspace "$4" -c:v ffv1 "$1" || exit 77
}
flat hd.mkv 0xe04020 tv bt709
flat full.mkv 0x804020 pc smpte170m
flat both.mkv 0xe04020 pc bt709

cut() { # INPUT OUTPUT OPTION...
  clip=$1 to=$2
  shift 2
  vrseg "$clip" -o "$to" -m all.yaml -p fp32 --no-follow --view whole --no-refine --layout mono --progress none "$@" >/dev/null 2>message ||
    cat message
}
# "right" where each component is within 4 of the truth, which lossy codecs keep of a flat picture
color() { # FILE RED GREEN BLUE
  ffmpeg -nostdin -v error -i "$1" -vf crop=2:2:30:30 -frames:v 1 -f rawvideo -pix_fmt rgb24 - | od -An -v -tu1 -N3 |
    awk -v r="$2" -v g="$3" -v b="$4" '
    function near(x, y) { return x >= y - 4 && x <= y + 4 }
    { print near($1, r) && near($2, g) && near($3, b) ? "right" : "WRONG: " $0 }'
}
range() {
  ffprobe -v error -select_streams v -show_entries frame=color_range -read_intervals %+#1 -of csv=p=0 "$1" | tr -d ', '
}

echo "-- formats that have a matrix"
while read -r out options; do
  # shellcheck disable=SC2086
  cut hd.mkv "hd-$out" $options
  # shellcheck disable=SC2086
  cut both.mkv "both-$out" $options
  echo "$out: $(color "hd-$out" 224 64 32), $(color "both-$out" 224 64 32)"
done <<EOF
a.jpg --max-frames 1
a.tif --max-frames 1
a.png --max-frames 1
a.mov --encoder mjpeg
a.avi --encoder mjpeg
a.mkv --encoder ljpeg
a.webm --encoder libvpx
b.avi --encoder utvideo
EOF

echo "-- full range"
while read -r out options; do
  # shellcheck disable=SC2086
  cut full.mkv "$out" $options
  echo "$out: $(color "$out" 128 64 32), $(range "$out")$(grep -o 'encoder .* cannot tag.*' message | sed 's/^/, /')"
done <<EOF
c.mov --output-mode cutout
c.avi --output-mode cutout
c.ogv
c.mpg --encoder mpeg2video
d.avi --encoder utvideo
c.webm --encoder libvpx
d.mov --encoder prores_ks
c.mp4 --encoder mpeg4
d.mkv --encoder mpeg4
e.mkv --encoder ffv1
e.mp4 --encoder libx264
f.mp4 --encoder libx265
d.webm --encoder libvpx-vp9
c.y4m
EOF

echo "-- segments"
pictures() {
  ffmpeg -nostdin -v error -i "$1" -f md5 -
}
for out in s.mkv s.nut; do
  cut full.mkv "one-$out" --encoder ffv1
  cut full.mkv "$out" --encoder ffv1 --segment-frames 3
  cut full.mkv "two-$out" --encoder ffv1 --segment-frames 3 --processes --process-count 2
  echo "$out: $(color "$out" 128 64 32), $(range "$out")"
  pictures "one-$out" >md5
  pictures "$out" | cmp - md5 && pictures "two-$out" | cmp - md5 && echo "as in one go"
done

echo "-- mattes"
for out in m.png m.tif m.jpg; do
  cut full.mkv "$out" --output-mode matte --max-frames 1
  color "$out" 255 255 255
done
