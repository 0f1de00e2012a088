#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the colour profile of a photo is in the .png and .jpg that is made of it, of each in a row its own; mattes have none; of other
# outputs it is told once that it is lost.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -f lavfi -i testsrc2=s=64x64:r=1:d=1 -frames:v 1 plain.jpg
# any 32 bytes: nobody looks into them
with_profile() {
  printf '\377\330\377\342\000\060ICC_PROFILE\000\001\001%s' "$1"
  tail -c +3 plain.jpg
}
with_profile abcdefghijklmnopqrstuvwxyz012345 >in.jpg
look() {
  ffprobe -v error -show_entries frame=pix_fmt:frame_side_data_list "$1" | grep -c ICC || :
}
to() {
  in=$1 out=$2
  shift 2
  vrseg "$in" -o "$out" --backend null -m selfie_segmentation --layout mono --overwrite --progress none "$@" 2>&1 | grep profile || :
}
echo "in.jpg: $(look in.jpg)"
for out in out.png out.jpg out_%d.png out.tif; do
  to in.jpg $out
  echo "$out: $(look "$(echo $out | sed s/%d/0/)")"
done
echo "a video:"
to in.jpg out.mp4
echo "mattes:"
for out in out.png out.tif out.mkv; do
  to in.jpg $out --output-mode matte
done
echo "out.png: $(look out.png)"

echo "in a row:"
cp in.jpg q_0.jpg
with_profile ABCDEFGHIJKLMNOPQRSTUVWXYZ012345 >q_1.jpg
cp plain.jpg q_2.jpg
cp in.jpg q_3.jpg
of_each() {
  for n in "$@"; do
    echo "$n: $(grep -aoi 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345' $n || echo none)"
  done
}
to q_%d.jpg o_%d.jpg
of_each o_0.jpg o_1.jpg o_2.jpg o_3.jpg
to q_%d.jpg nth_%d.jpg --every-nth 2
of_each nth_0.jpg nth_1.jpg
cp plain.jpg r_0.jpg
cp in.jpg r_1.jpg
to r_%d.jpg r_%d.png
echo "r_0.png: $(look r_0.png), r_1.png: $(look r_1.png)"
