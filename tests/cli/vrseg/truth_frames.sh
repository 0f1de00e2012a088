#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: --truth compares each frame with its own truth.  Matroska rounds times to milliseconds, so that --start 0.067 lies behind frame 2 of the
# clip (MP4) and not behind that of its truth: the figures are those of --start 0.1, also with --every-nth.
# Of one frame alone there is no dtSSD.  --skip-existing says that nothing was compared.
set -e
job="-m selfie_segmentation --no-follow --precision fp32 --log-level error --progress none -o null:"
compare() {
  vrseg "$VRS_DATA/person_flat.mp4" $job --truth "$VRS_DATA/person_flat_alpha.mkv" "$@" | grep '^mono'
}
same() {
  name=$1
  shift
  compare --start 0.1 "$@" >expected
  compare --start 0.067 "$@" >actual
  printf '%s: %s frames, ' "$name" "$(awk '$2 == "frame" { print $3 }' actual)"
  cmp -s expected actual && echo same || { echo other; cat expected actual; }
}
same one_go -n 6
same every_nth -n 3 --every-nth 3
compare -n 1 | sed -E 's/[0-9]+\.[0-9]+/0/g'
compare -n 1 -o there.mkv >/dev/null
vrseg "$VRS_DATA/person_flat.mp4" $job --truth "$VRS_DATA/person_flat_alpha.mkv" -n 1 -o there.mkv --skip-existing
