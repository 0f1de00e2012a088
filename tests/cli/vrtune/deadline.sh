#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --finish-by of several sizes: all searches take their time before the first choice is printed and saved, since they leave that much less.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
cp "$VRS_DATA/person_flat.mp4" a.mp4
vrtune --auto-optimize --quick --rounds 1 --only queue_size --queue-size 2,4 --resolution own,320x240 --threads 1 --precision fp32 \
  -m selfie_segmentation --max-frames 10 --progress none --finish-by "$(date -d '+12 hours' +%H:%M)" --frames 10 \
  --output-dir runs --save-config my.yaml a.mp4 >out 2>err || echo "exit $?"
grep -oE '^(VERDICT [A-Z]*|saved: my-[a-z0-9]*.yaml)' out
[ my-own.yaml -nt runs/journal.jsonl ] && echo 'saved after the last run'
