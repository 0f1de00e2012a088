#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Which cases a sweep has, and nothing is written.
export VRSEG_ENGINE_PRECISION=fp32 # auto would name cases after the CPU
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
clip=$VRS_DATA/person_flat.mp4
echo "# axes from flags"
vrbench --list --threads 1 --resolution own,320x240 --batch-size 1-4*2 --precision fp32,fp16 "$clip"
echo "# one axis of the defaults"
vrbench --list --threads 1 --precision-only "$clip"
echo "# one axis of the defaults, and what was given besides"
vrbench --list --threads 1 --precision-only --resolution 640x320 "$clip"
echo "# product, filtered"
vrbench --list --full --threads 1 --resolution own,4k --batch-size 1,8 --precision fp32,fp16 --filter 'p=fp16' --skip 'b=8' "$clip"
echo "# any option"
vrbench --list --threads 1 --set output.preset=veryfast,medium "$clip"
echo "# networks, backends, encoders, layouts; one name alone is no axis"
vrbench --list --threads 1 --backend cpu,null --encoder libx264,ffv1 --layout sbs "$clip"
echo "# devices: of the backend that has some; the others have one case"
vrbench --list --threads 1 --device 0,0+1:0 --backend cpu,opencl "$clip"
echo "# devices that no backend of the sweep has stay cases, which are skipped with the reason"
vrbench --list --threads 1 --device 0,1:0 --backend cpu,null "$clip"
echo "# scopes and modes"
vrbench --list --threads 1 --sweep scopes "$clip"
vrbench --list --threads 1 --mode live@30,live@72 "$clip"
echo "# a file"
vrbench --list --threads 1 --sweep network-size "$clip"
ls
