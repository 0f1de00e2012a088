#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: an input size that a network was not trained for is used with one warning, or refused with --strict (2), for the large network, the small
# one of early exit, calibration and contact sheets; without trained_sizes in the manifest nothing is said.
clip=$VRS_DATA/person_flat.mp4
check() {
  code=0
  vrseg --log-level warning --progress none "$@" 2>err >out || code=$?
  cat err
  echo "exit $code: $(echo "$*" | sed "s,$VRS_DATA/,,g")"
}
short="-o null: --max-frames 2"
check "$clip" $short
check "$clip" $short --input-size 320x320
check "$clip" $short --input-size 512x512
check "$clip" $short --input-size 512x512 --log-level error
check "$clip" $short --input-size 512x512 --strict
check "$clip" $short --early-exit --early-exit-size 512x512
check "$clip" --preview 0 -o sheet.png --input-size 1024x1024 --strict
check --calibrate "$clip" --input-size 512x512 --strict
cp "$clip" a.mp4
cp "$clip" b.mp4
check a.mp4 b.mp4 --output-dir many --max-frames 2 --input-size 512x512
# Worker processes of a film in segments say it no second time.
check "$clip" -o parts.mkv --encoder ffv1 --input-size 384x384 --segment-frames 20 --processes
sed '/^trained_sizes/d' "$VRS_SOURCE_DIR/configs/models/selfie_segmentation.yaml" >own.yaml
check "$clip" $short -m own.yaml --input-size 512x512 --strict
rm err out
ls . many
