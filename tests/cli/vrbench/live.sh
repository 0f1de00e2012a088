#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Scopes and modes in one sweep: figures carry their labels, live cases get counts and a verdict, and none is compared with another kind.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
vrbench --threads 1 --batch-size 1 --precision fp32 --scope end_to_end,net_only --mode offline,live@20 --full --resolution own --runs 1 \
  --duration 0.8 --warmup 0.3 --min-frames 3 --no-graphs --output-dir out "$VRS_DATA/person_flat.mp4" >report 2>progress
grep -c '^In real time' report
vranalyze out --no-html --format csv >cases.csv
sed -n 's/^cases,.*"\([a-z_]*, [a-z0-9@]*, [a-z]*\)"$/\1/p' cases.csv | sort
grep -c '^live,r=640x480/b=1/p=fp32/t=1/mode=live@20,verdict,.*% of [0-9]* frames missed 50.0 ms' cases.csv
grep -o '"live_verdict":.*"\(pass\|fail\)",' out/results.json | wc -l
grep -c '"scope":.*"net_only"' out/results.json
vranalyze out | grep -c '^In real time'
echo "# synthetic people have exact truth, at every size"
vrbench --threads 1 --batch-size 1 --precision fp32 --resolution own,320x160 --runs 1 --duration 0.3 --warmup 0.2 --min-frames 3 --no-graphs \
  --output-dir synth synth:640x320,frames=40 >report 2>/dev/null
grep -o 'All cases: [^.]*\.' report
grep -cE '"iou":\s*[0-9]' synth/results.json
grep -c '"input_kind":.*"synthetic"' synth/results.json
