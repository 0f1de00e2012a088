#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --auto-optimize of several resolutions: a search and a file for each, and one table of what was chosen; vrseg takes the files.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
cp "$VRS_DATA/person_flat.mp4" a.mp4
vrtune --auto-optimize --quick --rounds 1 --only queue_size --queue-size 2,4 --resolution own,320x240 --threads 1 --precision fp32 \
  -m selfie_segmentation --max-frames 10 --progress none --save-config my.yaml a.mp4 >out 2>err || echo "exit $?"
cat err
# What one round has shown to be faster, or nothing; and how wide the table is, differ from run to run.
grep -cE '^(not verified: only 1 interleaved round with the default, and a gain needs 8|The default stays: )' out
grep -oE '^(VERDICT .*|saved: my-.*)' out
sed -n '/^Best settings of each resolution/,$p' out >table
sed -nE 's/^  (640x480|320x240) .* fp32 +1 +[0-9.]+ .*/\1: a row/p; s/^  ([0-9]+x[0-9]+) .*(my-[a-z0-9]+\.yaml)$/\1: \2/p' table
for size in own 320x240; do
  vrseg a.mp4 -o null: --max-frames 2 -c my-$size.yaml --progress none --log-level warning >/dev/null && echo "my-$size.yaml works"
done
