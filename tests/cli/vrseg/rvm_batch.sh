#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards batches with Robust Video Matting: at a small size, where more images would pay for other kernels, they have the pictures of single images.
code=0
vrseg "$VRS_DATA/person_flat.mp4" -m rvm_mobilenetv3 -o null: -n 1 --progress none >summary 2>messages || code=$?
[ $code -ne 3 ] || exit 77 # not installed
for batch in 1 2 4; do
  vrseg "$VRS_DATA/person_vr180_sbs.mp4" -m rvm_mobilenetv3 -o hash:$batch.txt --output-mode matte -n 4 --input-size 128x128 -p fp32 --device cpu \
    --threads 1 --streams 1 --batch-size $batch --no-cache --progress none >summary 2>messages
done
for batch in 2 4; do
  cmp 1.txt $batch.txt && echo "batch $batch, $(wc -l <$batch.txt) frames: same"
done
