#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: people grow and are feathered by the pixels that were asked for, beyond the region of interest around them, with one region and with
# several, followed or not.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -i "$VRS_DATA/person_flat.mp4" -frames:v 4 -vf scale=320:240 -c:v ffv1 small.mkv
# the leftmost column of the last matte that is at least as bright as $1
left() {
  ffmpeg -v error -i matte.mkv -vf "select=eq(n\,3),format=gray" -frames:v 1 -f rawvideo - | od -An -v -tu1 -w320 |
    awk -v least="$1" '{ for (x = 1; x <= NF && $x + 0 < least; x++); if (!most || x < most) most = x } END { print most }'
}
run() { vrseg small.mkv -o matte.mkv --output-mode matte --no-refine --encoder ffv1 --log-level error --progress none --overwrite "$@" >/dev/null; }
for how in "--max-regions 1" "--max-regions 3" "--no-follow --view centre"; do
  run $how
  start=$(left 128)
  for grow in 20 40 64; do
    run $how --grow $grow
    echo "$how: asked for $grow pixels, grown by $((start - $(left 128)))"
  done
  run $how --feather 40
  far=$((start - $(left 1))) # beside what was soft already, and without what is less than 1 of 255
  [ $far -gt 20 ] && [ $far -lt 60 ] && echo "$how: feathered" || echo "$how: feathered by $far"
done
