#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --early-exit: --stats tells how often the small network was enough, thresholds 0 and 1 are always and never, parts of a film and worker
# processes give the same bytes, and pairs that cannot work are refused with what to do.
flat=$VRS_DATA/person_flat.mp4
settled() { # what --stats says of early exit
  sed -n 's/, mean confidence.*//; s/^early exit: //p' "$1"
}
for threshold in 0 1; do
  vrseg "$flat" -o null: -n 6 --no-follow --early-exit --early-exit-threshold $threshold --stats >out.txt 2>err.txt || cat err.txt
  echo "threshold $threshold: $(settled out.txt)"
  grep -o 'early exit: .*' err.txt
done
vrseg "$flat" -o null: -n 6 --no-follow --early-exit --early-exit-model selfie_segmentation --early-exit-size 128x128 --early-exit-threshold 0 \
  --stats >out.txt 2>err.txt || cat err.txt
echo "size: $(settled out.txt)"

number=0
for how in "" "--processes --process-count 2"; do
  number=$((number + 1))
  vrseg "$flat" -o "film$number.mkv" --encoder ffv1 -n 40 --segment-frames 10 --early-exit --early-exit-threshold 0.978 $how >/dev/null 2>err.txt ||
    cat err.txt
done
ffmpeg -v error -i film1.mkv -f framemd5 a.txt
ffmpeg -v error -i film2.mkv -f framemd5 b.txt
cmp a.txt b.txt && echo "parts: the same by one process and by two"

refused() {
  code=0
  vrseg "$flat" -o null: --early-exit "$@" || code=$?
  echo "refused with $code"
}
refused -m selfie_segmentation_landscape
refused --early-exit-model "$VRS_SOURCE_DIR/configs/models/example_recurrent.yaml"
refused --early-exit-model nothing_of_the_kind
