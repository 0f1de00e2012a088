#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a drawn clip that is shorter than the frames whose quality is wanted: the first loop is compared, and the run does not fail.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
vrbench --threads 1 --runs 1 --duration 0.5 --warmup 0.1 --min-frames 12 --gates off --no-graphs -D out synth:160x80,frames=5 >report 2>&1 ||
  { cat report; exit 1; }
tr -d '\t\n ' <out/results.json | grep -o '"quality_frames":[0-9]*\|"status":"[a-z]*"' | sort -u
