#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the colour profile of a photo is in the .png and .jpg that is made of it; of others it is told that it is lost.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -f lavfi -i testsrc2=s=64x64:r=1:d=1 -frames:v 1 plain.jpg
# any 32 bytes: nobody looks into them
{
  printf '\377\330\377\342\000\060ICC_PROFILE\000\001\001abcdefghijklmnopqrstuvwxyz012345'
  tail -c +3 plain.jpg
} >in.jpg
look() {
  ffprobe -v error -show_entries frame=pix_fmt:frame_side_data_list "$1" | grep -c ICC || :
}
echo "in.jpg: $(look in.jpg)"
for out in out.png out.jpg out_%d.png out.tif; do
  vrseg in.jpg -o $out --backend null -m selfie_segmentation --layout mono --overwrite --progress none 2>&1 | grep profile || :
  echo "$out: $(look "$(echo $out | sed s/%d/0/)")"
done
