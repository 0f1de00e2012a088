#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: vranalyze matte, which measures mattes in files, finds the figures that --truth finds while they are made.
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
"$bin/vranalyze" matte "$scratch/matte.mkv" --truth "${data}_alpha.mkv" --format csv >"$scratch/figures" || exit 3
# means of both eyes; the matte in the file is rounded to 8 bits
awk -F, '
  FNR == NR {
    n = split($0, word, / +/)
    if (word[2] == "frame") { iou += word[4] / 2; mad += word[6] / 2; eyes++ }
    if (word[2] == "box") { f += word[4] / 2; mse += word[8] / 2; dtssd += word[10] / 2 }
    if (/^eyes, where the truth/) agree = substr(word[11], 1, 6) + 0
    next
  }
  # table,row,column,value; rows of both eyes are quoted, "IoU, left"
  $1 == "truth" && / (left|right)",mean,/ { got[substr($2, 2)] += $NF / 2 }
  $1 == "truth_figures" { got[$2] = $NF }
  function check(name, want, most) {
    off = got[name] - want
    printf "%s: %s, while they were made %.4f\n", name, got[name], want
    if (got[name] == "" || off > most || -off > most)
      bad = 1
  }
  END {
    check("IoU", iou, 0.002); check("MAD x1000", mad * 1000, 0.5); check("F within 2 px", f, 0.005)
    check("MSE x1000 over box", mse, 0.1); check("dtSSD x100 over box", dtssd, 0.1); check("eyes agree", agree, 0.002)
    exit bad || eyes != 2
  }' "$scratch/truth" "$scratch/figures"
