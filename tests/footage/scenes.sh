#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: networks find the people of synthetic scenes (scenes.txt), each by its floor; prints a table of all figures of --truth.
#
#   tests/footage/scenes.sh BIN_FOLDER selfie|rvm FRAMES [VRSEG OPTION...]
#
# FRAMES of each scene at 10 frames/s.  Figures are those of the eye that has less: IoU mean and worst, F within 2 px, MAD, MSE x 1000 and dtSSD x 100
# over the people's box; and how well the eyes agree.  Fails when an IoU is below its floor; 77 where the network is not installed.
set -u
if [ $# -lt 3 ]; then
  echo "usage: scenes.sh BIN_FOLDER selfie|rvm FRAMES [VRSEG OPTION...]" >&2
  exit 2
fi
bin=$(cd "$1" && pwd) here=$(cd "$(dirname "$0")" && pwd) frames=$3
# shellcheck source=tests/small_network.sh
. "$here/../small_network.sh"
case $2 in
  selfie) column=1 model=selfie_segmentation ;;
  rvm) column=2 model=rvm_mobilenetv3; unset $VRS_SMALL_NETWORK ;; # with the defaults' refined edges
  *) echo "$2 is no network of scenes.txt" >&2; exit 2 ;;
esac
shift 3
if "$bin/vrseg" --list-models | grep -q "^$model .*not installed"; then
  echo "skipped: $model is not installed"
  exit 77
fi
scratch=$(mktemp -d "${TMPDIR:-/tmp}/vrs-scenes-XXXXXX") || exit 3
trap 'rm -rf "$scratch"' EXIT
failed=0
echo "| scene | IoU mean / worst | F 2 px | MAD | MSE x1000 | dtSSD x100 | eyes agree, of truth's |"
echo "|---|---|---|---|---|---|---|"
while read -r selfie rvm scene; do
  case $selfie in \#* | '') continue ;; esac
  floor=$selfie
  [ $column = 1 ] || floor=$rvm
  "$bin/vrseg" "synth:$scene,frames=$frames,fps=10" -m $model -o null: --truth synth: --precision fp32 \
    --log-level error --progress none "$@" >"$scratch/out" || exit 3
  awk -v scene="$scene" -v floor="$floor" '
    $2 == "frame" && ($4 < iou || !eyes++) { iou = $4; worst = $5 }
    $2 == "box" && ($4 < f || !boxes++) { f = $4 }
    $2 == "box" { mad = $6 > mad ? $6 : mad; mse = $8 > mse ? $8 : mse; dtssd = $10 > dtssd ? $10 : dtssd }
    /^eyes, where the truth/ { agree = substr($11, 1, 6) " / " $NF }
    END {
      note = iou < floor ? " below " floor : ""
      printf "| %s | %.3f / %.3f | %.3f | %.4f | %.2f | %.2f | %s |%s\n", scene, iou, worst, f, mad, mse, dtssd, agree, note
      exit iou < floor
    }' "$scratch/out" || failed=1
done <"$here/scenes.txt"
exit $failed
