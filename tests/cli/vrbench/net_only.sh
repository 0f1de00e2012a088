#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The last line is one JSON object with median_ms and min_ms; operators come before it.  8 bits take the calibration that is kept, or one made of
# synthetic pictures, and say which.
export VRSEG_ENGINE_PRECISION=fp32 # auto would name cases after the CPU
model=$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite
[ -f "$model" ] || exit 77
vrbench --net-only --model "$model" --threads 1 --duration 0.1 --json - | tail -n 1 >line
grep -c '^{.*"scope":"net_only".*"threads":1,.*"runs":[0-9]*,.*"median_ms":[0-9.]*,"min_ms":[0-9.]*,.*}$' line
vrbench --net-only --threads 1 --duration 0.1 --input-size 512x512 --batch-size 2 --precision fp16 --json out.json
grep -c '"batch":2,"width":512,"height":512' out.json
vrbench --net-only --threads 1 --duration 0.1 --profile-ops --json p.json >table
grep -c 'ms/run *(%) *GFLOP/s *(%) *GB/s *(%)' table
tr '\n' ' ' <table | tr -s ' ' | grep -c 'Peak: [0-9.]* GFLOP/s a thread'
# Shares of the peak are shares: of convolutions between 0 and 300 % (fewer multiplications), of sums without multiply-adds none.
grep -o '"kernel":"conv_f32[^}]*"peak_share":[0-9.e-]*' p.json |
  awk -F: '{ n++; if ($NF <= 0 || $NF > 3) exit 1 } END { print (n > 10) }'
grep -c '"profile":{"model":"selfie_segmentation".*"fma_gflops_1":[0-9.]*,.*"peak_share":[0-9.]*,.*"ops":\[{"name":"conv' p.json
if vrbench --net-only --model missing.tflite --duration 0.1; then exit 1; else echo "exit $?"; fi
head -c 3000 "$model" >cut.tflite
if vrbench --net-only --model cut.tflite --duration 0.1 2>err; then exit 1; else echo "exit $?"; fi
grep -c cut.tflite err
precision() {
  vrbench --net-only --threads 1 --duration 0.1 "$@" --json out.json
  jq -r '"\(.precision), calibration \(.calibration // "none")"' out.json
}
precision --precision int8
precision --precision mixed
precision --precision int8 --model "$VRS_TEST_DIR/files/recurrent/colours.yaml" --input-size 16x16
vrseg --calibrate "$VRS_DATA/person_flat.mp4" -m selfie_segmentation --progress none >calibrated
precision --precision int8
precision --precision fp16
