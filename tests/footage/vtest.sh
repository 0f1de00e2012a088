#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the pedestrians of OpenCV's vtest.avi, seen by both eyes alike, are in the mattes of both eyes, as counted by hand (vtest_people.txt).
#
#   tests/footage/vtest.sh BIN_FOLDER MIN_PERCENT FRAMES [VRSEG OPTION...]
#
# FRAMES of the video (0: all 795) become a side-by-side clip.  VTEST_EYE is the size of an eye (960), VTEST_FPS the rate of the clip (10, or 30:
# each picture three times).  Fails when less than MIN_PERCENT of the people are in both mattes; exit code 77 without the video of Debian's
# opencv-doc, or where -m rvm_mobilenetv3 is asked for and not installed.
set -u
if [ $# -lt 3 ]; then
  echo "usage: vtest.sh BIN_FOLDER MIN_PERCENT FRAMES [VRSEG OPTION...]" >&2
  exit 2
fi
bin=$(cd "$1" && pwd) here=$(cd "$(dirname "$0")" && pwd) percent=$2 frames=$3
shift 3
eye=${VTEST_EYE:-960} fps=${VTEST_FPS:-10}
video=/usr/share/doc/opencv-doc/examples/data/vtest.avi
if [ ! -f $video ]; then
  echo "skipped: no $video (apt-get install opencv-doc; images of Debian that leave /usr/share/doc out need dpkg's path-include for it)"
  exit 77
fi
case " $* " in
  *' -m rvm_mobilenetv3 '*)
    if "$bin/vrseg" --list-models | grep -q '^rvm_mobilenetv3 .*not installed'; then
      echo "skipped: rvm_mobilenetv3 is not installed"
      exit 77
    fi ;;
esac
scratch=$(mktemp -d "${TMPDIR:-/tmp}/vrs-vtest-XXXXXX") || exit 3
trap 'rm -rf "$scratch"' EXIT
limit=
[ "$frames" = 0 ] || limit="-frames:v $((frames * fps / 10))"
# shellcheck disable=SC2086
ffmpeg -v error -i $video -vf "scale=$eye:$eye:flags=lanczos,split[a][b];[a][b]hstack" -r "$fps" $limit -c:v libx264 -preset ultrafast -crf 14 \
  "$scratch/vtest.mp4" || exit 3
"$bin/vrseg" "$scratch/vtest.mp4" --layout sbs --output-mode matte -o "$scratch/matte.mkv" --encoder ffv1 --log-level error --progress none \
  "$@" >/dev/null || exit 3
ffmpeg -v error -i "$scratch/matte.mkv" -f rawvideo -pix_fmt gray - |
  "$bin/../tests/count_people" "$here/vtest_people.txt" "$((2 * eye))x$eye" sbs $((fps / 10)) "$percent"
