#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: --calibrate keeps ranges that int8 and mixed use; a job without them calibrates itself and says so; what it cannot do is said; a damaged or
# foreign calibration is refused.
flat=$VRS_DATA/person_flat.mp4
vr=$VRS_DATA/person_vr180_sbs.mp4
net=example_softmax2
# Numbers of errors differ between instruction sets.
table() { sed -E 's/[01]\.[0-9]{6}/E/g; s/[01]\.[0-9]{4}/IOU/g; s/^(mixed +)[0-9]+/\1N/; s/ +/ /g; s#^kept in .*/#kept in #'; }
vrseg --calibrate "$flat" -m $net | table
vrseg "$vr" -m $net -o hash:int8.txt -p int8 --output-mode matte --max-frames 2 --log-level warning >/dev/null
vrseg "$vr" -m $net -o hash:fp32.txt -p fp32 --output-mode matte --max-frames 2 --log-level warning >/dev/null
cmp -s int8.txt fp32.txt || echo "int8 and fp32 differ"
# Another number of threads gives the same bytes, and so does a calibration made again.
vrseg --calibrate "$flat" -m $net --threads 1 >/dev/null
vrseg "$vr" -m $net -o hash:again.txt -p int8 --threads 2 --batch-size 1 --output-mode matte --max-frames 2 --log-level warning >/dev/null
cmp int8.txt again.txt && echo same
rm "$XDG_CACHE_HOME"/vrseg/calibrations/*
# A folder of pictures, through the layout that is asked for.
mkdir pictures empty
for t in 0 0.5 1 1.5; do
  vrseg "$vr" -m $net --preview $t -o pictures/$t.png --log-level warning >/dev/null
done
echo text >pictures/notes.txt
vrseg --calibrate pictures -m $net --layout sbs | table
rm "$XDG_CACHE_HOME"/vrseg/calibrations/*
# States are sampled in runs of frames.
vrseg --calibrate "$flat" -m example_recurrent | table
rm "$XDG_CACHE_HOME"/vrseg/calibrations/*
# Without one, the job's own input serves.
vrseg "$flat" -m $net -p mixed -o null: --max-frames 1 2>&1 >/dev/null | grep -c 'no stored calibration of example_softmax2; calibrating with'
vrseg "$flat" -m $net -p mixed -o null: --max-frames 1 2>&1 >/dev/null | grep -c 'no stored calibration' || true
# What the settings say of the input holds for its calibration too: raw video, and a file that breaks off.
ffmpeg -v error -i "$flat" -vf scale=192:108 -frames:v 20 -pix_fmt nv12 -f rawvideo clip.yuv
raw='--raw-format nv12 --raw-size 192x108'
rm "$XDG_CACHE_HOME"/vrseg/calibrations/*
vrseg --calibrate clip.yuv $raw -m $net | head -n 1
rm "$XDG_CACHE_HOME"/vrseg/calibrations/*
vrseg clip.yuv $raw -m $net -p int8 -o null: --max-frames 1 2>&1 >/dev/null | grep -c 'no stored calibration'
rm "$XDG_CACHE_HOME"/vrseg/calibrations/*
ffmpeg -v error -i "$flat" -frames:v 20 -an -c:v libx264 -preset ultrafast whole.mkv
head -c $(($(wc -c <whole.mkv) / 2)) whole.mkv >half.mkv
vrseg half.mkv -m $net -p int8 --keep-partial -o null: --max-frames 1 2>&1 >/dev/null | grep -c 'no stored calibration'
# The graph as it was read has ranges of its own: it neither takes those of the fused one nor makes them stale.
selfie="-m selfie_segmentation"
for options in "" --no-fusion "" --no-fusion; do
  vrseg "$flat" $selfie -p int8 $options -o null: --max-frames 1 2>&1 >/dev/null | grep -c 'no stored calibration' || true
done
vrseg --calibrate "$flat" $selfie --no-fusion | sed -nE "s#^(kept in ).*(-256x256)#\1N\2#p"
rm "$XDG_CACHE_HOME"/vrseg/calibrations/*-256x256*
# What cannot be done.
fails() { "$@" >/dev/null && echo done || echo "exit $?"; }
fails vrseg --calibrate missing.mp4 -m $net
fails vrseg --calibrate empty -m $net
fails vrseg --calibrate "$flat" extra.mp4
fails vrseg --calibrate "$flat" --crf 20
cat "$VRS_DATA"/person_flat_alpha.mkv | fails vrseg - -m example_prototypes -p int8 -o null: --log-level error
file=$(echo "$XDG_CACHE_HOME"/vrseg/calibrations/*)
cp "$file" whole
short() { vrseg "$flat" -m $net -p int8 -o null: --max-frames 1 --log-level error 2>&1 >/dev/null | sed -E 's#/[^ ]*/##g'; }
head -c 200 whole >"$file"
short
sed -E 's/"model_hash":"[0-9a-f]{4}/"model_hash":"0123/' whole >"$file"
short
