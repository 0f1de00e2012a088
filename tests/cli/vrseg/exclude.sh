#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: an excluded box or picture is background in every frame up to its border, with edges at the size of the picture as well, people elsewhere
# stay; a wrong box or a picture of another shape is refused (2).
clip=$VRS_DATA/person_vr180_sbs.mp4
run() { vrseg "$clip" -n 3 --output-mode matte --encoder ffv1 --log-level error --progress none --overwrite "$@" >/dev/null; }
# mean grey of a part of the last frame: crop w:h:x:y, whole numbers
grey() { ffmpeg -v error -i "$1" -vf "select=eq(n\,2),crop=$2,format=gray,scale=1:1:flags=area" -frames:v 1 -f rawvideo - | od -An -tu1 | tr -d ' '; }
side() { [ "$1" -gt 20 ] && echo people || { [ "$1" -eq 0 ] && echo nothing || echo "little: $1"; }; }

run -o all.mkv
run -o box.mkv --exclude 0,0.5,1,0.5
run -o boxes.mkv --exclude "0,0,1,0.5;0,0.5,1,0.5"
for file in all box boxes; do
  for part in 300:120:340:380 300:150:340:520 300:120:1364:380 300:150:1364:520; do
    printf '%s %s ' "$file" "$part"
    side "$(grey $file.mkv $part)"
  done
done
# a box whose four borders lie in the person, in samples of the eye: 380 to 580, 360 to 480 of 1024
# brightest sample of a part
most() {
  ffmpeg -v error -i "$1" -vf "select=eq(n\,2),crop=$2,format=gray" -frames:v 1 -f rawvideo - | od -An -v -tu1 -w1 | sort -n | tail -1 | tr -d ' '
}
for refine in no-refine refine refine-full; do
  run -o inner.mkv --exclude 0.37109375,0.3515625,0.1953125,0.1171875 --$refine
  for part in 200:120:380:360 200:120:1404:360 60:300:400:490; do
    printf '%s %s %s\n' $refine $part "$(most inner.mkv $part)"
  done
done
# a picture of the frame's shape: the left eye of 2:1; one of an eye's shape: both
ffmpeg -v error -f lavfi -i "color=white:256x256,pad=512:256:0:0:black" -frames:v 1 -pix_fmt gray left.png
ffmpeg -v error -f lavfi -i "color=white:64x64" -frames:v 1 -pix_fmt gray all.png
run -o left.mkv --exclude left.png
run -o none.mkv --exclude all.png
for file in left none; do
  for part in 300:270:340:380 300:270:1364:380; do
    printf '%s %s ' "$file" "$part"
    side "$(grey $file.mkv $part)"
  done
done
for wrong in 0.1,0.2,0.3 0.1,0.2,0,1 0.5,0.5,0.5,2 nowhere.png '1e-1, 0.2, .5, 0x1'; do
  code=0
  vrseg "$clip" -o x.mkv --exclude "$wrong" --log-level error 2>message || code=$?
  echo "$code $(cat message)"
done
ffmpeg -v error -f lavfi -i "color=white:300x100" -frames:v 1 -pix_fmt gray wide.png
code=0
vrseg "$clip" -o x.mkv --exclude wide.png --log-level error 2>message || code=$?
echo "$code $(cat message)"
ls *.mkv
