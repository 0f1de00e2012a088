#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the built-in clip shows people, with exact truth beside it: quality is measured without a file of one's own.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
vrbench --threads 1 --batch-size 2 --precision fp32 --runs 1 --duration 0.1 --warmup 0.1 --min-frames 3 --gates off --no-graphs --output-dir out \
  >report 2>progress
grep -o 'input [a-z]* ([^)]*)' report
grep -c 'FPS counts stereo frames: median over runs' report
# Over people: an empty matte would have no overlap with them.
tr -d '\t\n ' <out/results.json | grep -o '"iou":[0-9.]*' | head -1 | awk -F: '{ print ($2 > 0.8 ? "people found" : "no people: " $2) }'
tr -d '\t\n ' <out/results.json | grep -c '"iou":"theclip' || true
ls "$XDG_CACHE_HOME"/vrseg/clips | sed 's/^[0-9a-f]*-//' | sort
