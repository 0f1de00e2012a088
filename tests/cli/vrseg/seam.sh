#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards people at the seam of 360 degree pictures: the truth clip turned so that the person stands there has the IoU of one who stands in the
# middle, in every layout and with every option that works on mattes; the composed picture shows the whole person; threads, streams and batches change
# nothing; people who are small in the whole circle are found in the first frame; a preview shows who stands there.
clip=$VRS_DATA/person_vr180_sbs.mp4
alpha=$VRS_DATA/person_vr180_sbs_alpha.mkv
bare=sidedata=mode=delete:type=STEREO3D,sidedata=mode=delete:type=SPHERICAL # the encoder would write them into its stream

# make NAME FILTER
make() {
  ffmpeg -v error -i "$clip" -frames:v 6 -vf "$2,$bare" -an -map_metadata -1 -c:v libx264 -preset ultrafast -crf 12 "$1.mp4"
  ffmpeg -v error -i "$alpha" -frames:v 6 -vf "$2" -c:v ffv1 -pix_fmt gray "$1_alpha.mkv"
}

# try NAME FLOOR [FLAGS]
try() {
  name=$1 floor=$2
  shift 2
  vrseg "$name.mp4" -o null: --truth "${name}_alpha.mkv" "$@" >out.txt 2>err.txt || cat err.txt
  awk -v name="$name $*" -v floor="$floor" '$2 == "frame" { eyes++; if ($4 < floor) print name, $1, "IoU", $4, "below", floor; else good++ }
    END { print name ":", good + 0, "of", eyes + 0, "eyes above", floor }' out.txt
}

make a_LR_360 v360=hequirect:equirect:in_stereo=sbs:out_stereo=sbs:w=2048:h=1024:yaw=180
make a_TB_360 v360=hequirect:equirect:in_stereo=sbs:out_stereo=tb:w=2048:h=1024:yaw=170
make a_mono_360 crop=iw/2:ih:0:0,v360=hequirect:equirect:w=2048:h=1024:yaw=-175
try a_LR_360 0.93
try a_TB_360 0.93
try a_mono_360 0.93
try a_LR_360 0.93 --refine
try a_LR_360 0.93 --smoothing 0.5
try a_LR_360 0.93 --smoothing-window 3
try a_LR_360 0.93 --max-regions 2
try a_LR_360 0.92 --scales 2
try a_LR_360 0.93 --repair-eyes union
try a_LR_360 0.93 --skip-similar
try a_LR_360 0.85 --stride 2

vrseg a_mono_360.mp4 --preview 0 -o sheet.png >out.txt 2>err.txt || cat err.txt
head -c 24 sheet.png | od -An -tx1

# the written matte against the truth, in every sample
vrseg a_LR_360.mp4 -o matte.mkv --output-mode matte --encoder ffv1 >/dev/null 2>err.txt || cat err.txt
ffmpeg -v info -i matte.mkv -i a_LR_360_alpha.mkv -lavfi '[0]format=gray[a];[1]format=gray[b];[a][b]psnr' -f null - 2>&1 |
  awk -F 'average:' '/PSNR/ { split($2, v, " "); print (v[1] > 32 ? "the matte is that of the truth" : "PSNR " v[1]) }'

for input in synth:1920x960,mono,equirect,frames=6 synth:1920x1920,tb,equirect,frames=6,people=1; do
  for flags in "" "--max-regions 3"; do
    vrseg $input -o null: --truth synth: $flags 2>err.txt >out.txt || cat err.txt
    awk -v name="$input $flags" '$2 == "frame" { print name, $1 ":", ($5 < 0.94 ? "worst IoU " $5 : "each frame above 0.94") }' out.txt
  done
done

for mode in green cutout; do
  number=0
  for how in "--streams 1 --threads 1" "--streams 3 --threads 2" "--batch-size 4"; do
    number=$((number + 1))
    vrseg a_TB_360.mp4 -o hash:$number.txt --overwrite --output-mode $mode $how >/dev/null 2>err.txt || cat err.txt
  done
  cmp 1.txt 2.txt && cmp 1.txt 3.txt && echo "$mode: $(wc -l <1.txt) frames, the same in all ways"
done
