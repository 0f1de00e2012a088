#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Input that is missing, cut or no film is exit code 3 with its name, and no result appears.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
check() {
  if vrbench --runs 1 --duration 0.1 --output-dir out "$1" 2>err; then code=0; else code=$?; fi
  echo "$1: exit $code"
  grep -c "$1" err
  ls out/results.json 2>/dev/null || true
}
check missing.mp4
echo 'no film at all' >text.mp4
check text.mp4
head -c 2000 "$VRS_DATA/person_flat.mp4" >cut.mp4
check cut.mp4
: >empty.mp4
check empty.mp4
mkdir films
check films
