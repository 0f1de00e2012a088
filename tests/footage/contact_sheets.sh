#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Contact sheets of real footage, to be looked at one by one: pictures and videos of Debian's opencv-doc, and of PyPI packages that can be fetched.
#
#   tests/footage/contact_sheets.sh BIN_FOLDER OUT_FOLDER [VRSEG OPTION...]
#
# A sheet has a row for each network: input, matte and composite by selfie_segmentation, and below by rvm_mobilenetv3 where it is installed.  What was
# seen on them is in pictures_people.txt.  The sheets are for eyes, not for git: the pictures are not part of this project.  vtest.sh counts people
# without eyes.
set -u
if [ $# -lt 2 ]; then
  echo "usage: contact_sheets.sh BIN_FOLDER OUT_FOLDER [VRSEG OPTION...]" >&2
  exit 2
fi
bin=$(cd "$1" && pwd) here=$(cd "$(dirname "$0")" && pwd) data=/usr/share/doc/opencv-doc/examples/data
mkdir -p "$2" && out=$(cd "$2" && pwd) || exit 3
shift 2
networks=selfie_segmentation
if "$bin/vrseg" --list-models | grep -q '^rvm_mobilenetv3 .*not installed'; then
  echo "rvm_mobilenetv3 is not installed: sheets have one row"
else
  networks="$networks rvm_mobilenetv3"
fi
sheet() { # NAME TIME FILE
  name=$1 time=$2 file=$3 rows=
  shift 3
  for network in $networks; do
    "$bin/vrseg" "$file" --layout mono --projection flat -m "$network" --preview "$time" -o "$out/$name.$network.png" --overwrite --log-level error \
      --progress none "$@" >/dev/null || exit 3
    rows="$rows -i $out/$name.$network.png"
  done
  if [ "$networks" = selfie_segmentation ]; then
    mv "$out/$name.selfie_segmentation.png" "$out/$name.png"
    return
  fi
  # shellcheck disable=SC2086
  ffmpeg -v error -y $rows -filter_complex vstack "$out/$name.png" || exit 3
  rm -f "$out/$name".*_segmentation.png "$out/$name".rvm_*.png
}
if [ -f $data/vtest.avi ]; then
  for picture in messi5.jpg basketball1.png basketball2.png; do
    [ ! -f $data/$picture ] || sheet "${picture%.*}" 0 $data/$picture "$@"
  done
  for second in 1 10 20 30 40 50 60 70; do
    sheet "vtest_$second" $second $data/vtest.avi "$@"
  done
else
  echo "skipped: no pictures in $data (apt-get install opencv-doc)"
fi
if sh "$here/fetch_pictures.sh" "$out/pictures"; then
  for picture in astronaut.png camera.png bus.jpg zidane.jpg; do
    sheet "${picture%.*}" 0 "$out/pictures/$picture" "$@"
  done
fi
