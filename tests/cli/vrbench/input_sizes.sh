#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: input sizes that the network was not trained for are warned of once for all cases, before anything is measured; --strict refuses them.
export VRSEG_ENGINE_PRECISION=fp32 # auto would name cases after the CPU
clip=$VRS_DATA/person_flat.mp4
check() {
  code=0
  vrbench --threads 1 "$@" "$clip" 2>&1 || code=$?
  echo "exit $code: $*"
}
check --list --input-size 256x256,320x320
check --list --input-size 256x256,192x192,512x512 --precision fp32,fp16
check --list --input-size 512x512 --model selfie_segmentation,selfie_segmentation_landscape
check --list --input-size 512x512 --scope net_only
check --input-size 256x256,512x512 --strict
check --versus engine.input_size=512x512 --strict
ls
