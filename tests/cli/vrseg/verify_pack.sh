#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: packed films of every layout and lens, in 8 and 10 bits and with odd sizes, hold the mattes that were meant when they are decoded again
# (PASS means a mean IoU of 0.92 or more and nothing shifted); a film that an encoder ruined ends with code 3 and is not there, and the one before it
# is.  Pictures are checked as well.  No file of another name is touched, and what a run has left that was killed during the check is gone after the
# next one.
command -v ffmpeg >/dev/null || exit 77
clip=$VRS_DATA/person_vr180_sbs.mp4
make() {
  name=$1
  shift
  ffmpeg -v error -i "$clip" -frames:v 2 "$@" -c:v libx264 -preset ultrafast -crf 10 -an "$name"
}
fisheye=v360=hequirect:fisheye:in_stereo=sbs:out_stereo=sbs:h_fov=190:v_fov=190:ih_fov=180:iv_fov=180:w=1600:h=800
make sbs_180_LR.mp4 -vf scale=1280:640
make swapped_180_RL.mp4 -vf 'scale=1280:640,split[a][b];[a]crop=640:640:640:0[r];[b]crop=640:640:0:0[l];[r][l]hstack'
make tb_180_TB.mp4 -vf 'scale=1280:640,split[a][b];[a]crop=640:640:0:0[l];[b]crop=640:640:640:0[r];[l][r]vstack'
make half_180_HSBS.mp4 -vf 'scale=720:720,setsar=1'
bare=sidedata=mode=delete:type=STEREO3D,sidedata=mode=delete:type=SPHERICAL # the encoder would write them into its stream
make mono_180_mono.mp4 -vf "crop=1024:1024:0:0,scale=639:641,$bare" -pix_fmt yuv444p
make odd_180_LR.mp4 -vf 'scale=1278:637' -pix_fmt yuv444p
make deep_180_LR.mkv -vf 'scale=1280:640,format=yuv420p10le' -pix_fmt yuv420p10le
make lens_FISHEYE190.mp4 -vf "$fisheye"
for film in sbs_180_LR.mp4 swapped_180_RL.mp4 tb_180_TB.mp4 half_180_HSBS.mp4 mono_180_mono.mp4 odd_180_LR.mp4 deep_180_LR.mkv \
  lens_FISHEYE190.mp4; do
  result=$(vrseg $film --output-mode alpha --verify-pack --log-level error 2>&1 | sed -n 's/ in .* -> / -> /; /packing of/p; /->/p')
  echo "$film" $result
done
echo "$(vrseg sbs_180_LR.mp4 --output-mode alpha --fov 200 --alpha-size exact --verify-pack --log-level error 2>&1 | grep -c PASS) at another angle"
code=0
vrseg "$clip" --max-frames 2 --output-mode alpha --alpha-color red --crf 51 --verify-pack -o bad_FISHEYE180_alpha.mp4 --log-level error >/dev/null ||
  code=$?
echo "exit $code"
code=0
vrseg "$clip" --verify-pack -o null: || code=$?
vrseg "$clip" --output-mode alpha --verify-pack -o null: || code=$?
echo "exit $code"
ls

echo "-- an older film"
echo old >bad_FISHEYE180_alpha.mp4
bad="--max-frames 2 --output-mode alpha --alpha-color red --crf 51 --verify-pack --log-level error"
vrseg "$clip" $bad -o bad_FISHEYE180_alpha.mp4 --overwrite >/dev/null 2>&1 || echo "exit $?, $(cat bad_FISHEYE180_alpha.mp4)"
ls -A | grep -c vrseg || true
echo "-- pictures"
mkdir pictures
for target in 'eyes_%02d.png' png:pictures eyes.tif; do
  vrseg sbs_180_LR.mp4 --max-frames 1 --output-mode alpha --verify-pack -o "$target" --log-level error | grep -c PASS
done
ls -A | grep -c '^[.]' || true
ls eyes* pictures
echo "-- files of others"
ffmpeg -v error -i sbs_180_LR.mp4 -c copy packed_alpha.mp4.mattes.mkv
cksum packed_alpha.mp4.mattes.mkv >before
vrseg packed_alpha.mp4.mattes.mkv --layout sbs --projection hequirect --output-mode alpha --verify-pack -o packed_alpha.mp4 --log-level error >summary
cksum packed_alpha.mp4.mattes.mkv | cmp - before && grep -c PASS summary
ls -A | grep -c vrseg || true
mkdir .packed_alpha.mp4.mattes.vrseg
touch .packed_alpha.mp4.mattes.vrseg/mattes.mkv
vrseg sbs_180_LR.mp4 --output-mode alpha --verify-pack -o packed_alpha.mp4 --overwrite --log-level error | grep -c PASS
ls -A | grep -c vrseg || true
