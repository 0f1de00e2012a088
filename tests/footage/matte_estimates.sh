#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Measures what the estimates of vranalyze matte are worth on the clips with exact alpha, over truth made worse in known ways and over mattes of
# several networks and settings.  Prints the tables of docs/matte-estimates.md; takes some ten minutes on two cores.
#
#   tests/footage/matte_estimates.sh BIN_FOLDER [FRAMES]
set -eu
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "usage: matte_estimates.sh BIN_FOLDER [FRAMES]" >&2
  exit 2
fi
bin=$(cd "$1" && pwd) data=$(cd "$(dirname "$0")/../data" && pwd) frames=${2:-30}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/vrs-estimates-XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# One line each: a name, then the flags of vrseg.
settings='
selfie -m selfie_segmentation
selfie_unrefined -m selfie_segmentation --no-refine
selfie_whole_view -m selfie_segmentation --view whole
selfie_centre_view -m selfie_segmentation --view centre
selfie_stride_4 -m selfie_segmentation --stride 4
selfie_smooth_12 -m selfie_segmentation --smoothing-window 12
selfie_running_mean -m selfie_segmentation --smoothing 0.3
selfie_grown -m selfie_segmentation --grow 3
selfie_shrunk -m selfie_segmentation --grow -3
selfie_feathered -m selfie_segmentation --feather 4
landscape -m selfie_segmentation_landscape
landscape_whole_view -m selfie_segmentation_landscape --view whole --no-refine
rvm -m rvm_mobilenetv3
rvm_whole_view -m rvm_mobilenetv3 --view whole
rvm_small -m rvm_mobilenetv3 --input-size 128x128
rvm_unrefined -m rvm_mobilenetv3 --no-refine
'
for clip in person_flat person_vr180_sbs; do
  mkdir "$scratch/$clip"
  echo "$settings" | while read -r name flags; do
    [ -n "$name" ] || continue
    # shellcheck disable=SC2086
    "$bin/vrseg" "$data/$clip.mp4" -o "$scratch/$clip/$name.mkv" --output-mode matte --encoder ffv1 --max-frames "$frames" $flags \
      --progress none --log-level error >/dev/null || echo "no matte: $name" >&2
  done
done
"$bin/../tests/matte_estimates" "$frames" "$data/person_flat.mp4" "$data/person_flat_alpha.mkv" "$scratch"/person_flat/*.mkv -- \
  "$data/person_vr180_sbs.mp4" "$data/person_vr180_sbs_alpha.mkv" "$scratch"/person_vr180_sbs/*.mkv
