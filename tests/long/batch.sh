#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: one call with VRS_LENGTH files makes every one of them, and neither memory nor descriptors grow from file to file. The most memory of the
# last third is that of the second one, within 1 % + 1 MiB. The fewest descriptors of the last third are no more than the most of the second one:
# inside a file their number changes by a few, and chance decides which of them the twenty looks a second meet.
files=${VRS_LENGTH:?number of files}
mkdir in
vrseg synth:128x64,frames=2 -o in/clip_0.mp4 --backend null --preset ultrafast --log-level error >clip 2>&1 || { cat clip; exit 1; }
for i in $(seq $((files - 1))); do ln in/clip_0.mp4 "in/clip_$i.mp4"; done
vrseg in --output-dir out --layout mono --model selfie_segmentation_landscape --preset ultrafast --log-level error >table 2>messages &
pid=$!
while [ -d /proc/$pid/fd ]; do
  made=$(ls out 2>/dev/null | wc -l)
  echo "$made $(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' /proc/$pid/status 2>/dev/null) $(ls /proc/$pid/fd 2>/dev/null | wc -l)"
  sleep 0.05
done >samples
code=0
wait $pid || code=$?
[ $code -eq 0 ] || { tail -n 3 messages; exit 1; }
[ "$(ls out | wc -l)" -eq "$files" ] || { echo "$(ls out | wc -l) outputs of $files"; exit 1; }
awk -v files="$files" '
  $2 > 0 && $3 > 0 { third = int($1 * 3 / files); n[third]++; if ($2 > rss[third]) rss[third] = $2
    if ($3 > most[third]) most[third] = $3
    if (!fewest[third] || $3 < fewest[third]) fewest[third] = $3 }
  END {
    printf "%d files: %.1f and %.1f MiB, at most %d and at least %d descriptors\n", files, rss[1] / 1024, rss[2] / 1024, most[1], fewest[2]
    if (!n[1] || !n[2]) { print "not looked at often enough"; exit 1 }
    exit rss[2] > rss[1] * 1.01 + 1024 || fewest[2] > most[1]
  }' samples
