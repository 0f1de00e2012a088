#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: side data in MP4 boxes decides, right-eye-first st3d too; mesh, cube map, one eye per layer and EAC names are refused (3) with what to do,
# and go when the user says what to take them for.  The boxes of the clip are renamed in place.
clip=$VRS_DATA/person_vr180_sbs.mp4
cp "$clip" plain.mp4
LC_ALL=C sed 's/equi\(....\)/mshp\1/' "$clip" >mesh.mp4
LC_ALL=C sed 's/equi\(....\)/cbmp\1/' "$clip" >cube.mp4
LC_ALL=C sed 's/sv3d/lhvC/' "$clip" >layers.mp4
cp "$clip" right.mp4
# the mode of st3d is the byte behind name, version and flags
at=$(LC_ALL=C grep -abo st3d right.mp4 | head -n 1 | cut -d: -f1)
printf '\004' | dd of=right.mp4 bs=1 seek=$((at + 8)) conv=notrunc 2>/dev/null
ffmpeg -v error -i "$clip" -frames:v 2 -an -f yuv4mpegpipe -pix_fmt yuv420p film_EAC360.y4m
ffmpeg -v error -i "$clip" -frames:v 2 -an -c copy -metadata:s:v stereo_mode=right_left right.mkv

try() {
  code=0
  vrseg "$@" -o null: --max-frames 1 2>&1 >/dev/null |
    sed -n 's/^vrseg: layout /layout /p; s/^vrseg: \(.*\(--projection\|--layout mono\|v360\).*\)/\1/p'
  vrseg "$@" -o null: --max-frames 1 >/dev/null 2>&1 || code=$?
  echo "exit $code"
}

for file in plain right mesh cube layers; do
  try "$file.mp4"
done
try right.mkv
try film_EAC360.y4m
try mesh.mp4 --projection fisheye:190
try cube.mp4 --projection flat --layout mono
try layers.mp4 --layout mono
