#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards nothing: it measures.  Prints the table that settles the profiles: what settings do on both truth clips and on scenes, and what they cost.
#
#   tests/footage/profiles.sh BIN_FOLDER [FRAMES [NAME...]]
#
# FRAMES of each truth clip (60: all) and 20 of each scene; NAMEs of profiles.txt (all where none is given).  Each figure is that of the eye that has
# less: IoU mean / worst, F within 2 px, MAD, MSE x 1000, dtSSD x 100 over the people's box; and processor time of preprocess and inference in ms per
# frame.  Scenes: the mean of their figures, the least of their worst frames.
set -u
if [ $# -lt 1 ]; then
  echo "usage: profiles.sh BIN_FOLDER [FRAMES [NAME...]]" >&2
  exit 2
fi
bin=$(cd "$1" && pwd) here=$(cd "$(dirname "$0")" && pwd) frames=${2:-60}
# shellcheck source=tests/small_network.sh
. "$here/../small_network.sh"
data=$here/../data
shift $(($# > 1 ? 2 : 1))
wanted=" $* "
scenes="1024x512,sbs,scene=stand,people=1 1024x512,sbs,scene=meet,people=2 1024x512,sbs,scene=back+pattern,people=2
  640x480,mono,flat,scene=stand+hair,people=1"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/vrs-profiles-XXXXXX") || exit 3
trap 'rm -rf "$scratch"' EXIT

# Runs vrseg on $1 with the truth $2 and the options that follow; adds a line "IOU WORST F MAD MSE DTSSD MS" to $scratch/figures.
measure() {
  input=$1 truth=$2
  shift 2
  "$bin/vrseg" "$input" -o null: --truth "$truth" --precision fp32 --threads 1 --stats --log-level error --progress none "$@" \
    >"$scratch/out" || exit 3
  awk '
    $1 == "preprocess" || $1 == "inference" { ms += $4 }
    $2 == "frame" && ($4 < iou || !eyes++) { iou = $4; worst = $5 }
    $2 == "box" && ($4 < f || !boxes++) { f = $4 }
    $2 == "box" { mad = $6 > mad ? $6 : mad; mse = $8 > mse ? $8 : mse; dtssd = $10 > dtssd ? $10 : dtssd }
    END { print iou, worst, f, mad, mse, dtssd, ms }' "$scratch/out" >>"$scratch/figures"
}

show() { # the means of all runs
  awk '{ for (i = 1; i <= 7; i++) sum[i] += $i; if (NR == 1 || $2 < worst) worst = $2 }
    END {
      printf "%.4f / %.3f | %.3f | %.4f | %.2f | %.2f | %.1f |", sum[1] / NR, worst, sum[3] / NR, sum[4] / NR, sum[5] / NR, sum[6] / NR, sum[7] / NR
    }' "$scratch/figures"
  rm "$scratch/figures"
}

figures="F 2 px | MAD | MSE | dtSSD | ms"
echo "| settings | VR180: IoU mean / worst | $figures | flat: IoU | $figures | scenes: IoU | $figures |"
echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
while IFS='|' read -r name vr flat; do
  case $name in \#* | '') continue ;; esac
  name=$(echo "$name" | sed 's/ *$//')
  case $wanted in '  ' | *" $name "*) ;; *) continue ;; esac
  [ -n "$flat" ] || flat=$vr
  printf '| %s | ' "$name"
  # shellcheck disable=SC2086
  {
    if [ "$vr" != ' - ' ]; then
      measure "$data/person_vr180_sbs.mp4" "$data/person_vr180_sbs_alpha.mkv" --max-frames "$frames" $vr
      show
    else printf ' | | | | | |'
    fi
    if [ "$flat" != ' -' ]; then
      measure "$data/person_flat.mp4" "$data/person_flat_alpha.mkv" --max-frames "$frames" $flat
      show
    else printf ' | | | | | |'
    fi
    for scene in $scenes; do
      [ "${PROFILES_SCENES:-yes}" = yes ] || break
      case $scene in *flat*) options=$flat ;; *) options=$vr ;; esac
      case $options in ' -' | ' - ') continue ;; esac
      measure "synth:$scene,frames=20,fps=10" synth: $options
    done
    [ ! -f "$scratch/figures" ] || show
  }
  echo
done <"${PROFILES_LIST:-$here/profiles.txt}"
