#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: compare_mattes, which measures mattes in files, finds the figures that --truth finds while they are made.
#
#   tests/footage/compare_mattes.sh BIN_FOLDER
set -u
if [ $# -ne 1 ]; then
  echo "usage: compare_mattes.sh BIN_FOLDER" >&2
  exit 2
fi
bin=$(cd "$1" && pwd) here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/small_network.sh
. "$here/../small_network.sh"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/vrs-mattes-XXXXXX") || exit 3
trap 'rm -rf "$scratch"' EXIT
data=$here/../data/person_vr180_sbs
"$bin/vrseg" "$data.mp4" -o "$scratch/matte.mkv" --output-mode matte --encoder ffv1 --truth "${data}_alpha.mkv" --max-frames 5 --precision fp32 \
  -m selfie_segmentation --log-level error --progress none >"$scratch/truth" || exit 3
ffmpeg -v error -i "$scratch/matte.mkv" -fps_mode passthrough -f rawvideo -pix_fmt gray "$scratch/matte.gray" || exit 3
ffmpeg -v error -i "${data}_alpha.mkv" -frames:v 5 -fps_mode passthrough -f rawvideo -pix_fmt gray "$scratch/truth.gray" || exit 3
"$bin/../tests/compare_mattes" 2048x1024 sbs "$scratch/truth.gray" <"$scratch/matte.gray" >"$scratch/figures" || exit 3
# means of both eyes; the matte in the file is rounded to 8 bits
awk '
  FNR == NR && $2 == "frame" { iou += $4 / 2; mad += $6 / 2; eyes++ }
  FNR == NR && $2 == "box" { f += $4 / 2; mse += $8 / 2; dtssd += $10 / 2 }
  FNR == NR && /^eyes, where the truth/ { agree = substr($11, 1, 6) + 0 }
  FNR < NR { got[$1] = $2 }
  function check(name, want, most) {
    off = got[name] - want
    printf "%s: %s, while they were made %.4f\n", name, got[name], want
    if (got[name] == "" || off > most || -off > most)
      bad = 1
  }
  END {
    check("iou", iou, 0.002); check("mad", mad, 0.0005); check("contour_f", f, 0.005)
    check("box_mse", mse, 0.1); check("box_dtssd", dtssd, 0.1); check("disparity_agreement", agree, 0.002)
    exit bad || eyes != 2
  }' "$scratch/truth" "$scratch/figures"
