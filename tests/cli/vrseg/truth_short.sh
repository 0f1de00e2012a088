#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a truth that ends before the input fails the job (3) and leaves the output that was there, in one go and in segments.
ffmpeg -v error -i "$VRS_DATA/person_flat_alpha.mkv" -frames:v 5 -c copy short.mkv
for how in "-n 8" "--segment-frames 16 -n 40"; do
  echo old >keep.mkv
  code=0
  vrseg "$VRS_DATA/person_flat.mp4" -m selfie_segmentation -o keep.mkv --overwrite --truth short.mkv $how --log-level error --progress none || code=$?
  echo "$how: $code, $(head -c 3 keep.mkv | tr -d '\0')"
done
