#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Contact sheets of real footage, to be looked at one by one: input, matte and composite of pictures and videos of Debian's opencv-doc.
#
#   tests/footage/contact_sheets.sh BIN_FOLDER OUT_FOLDER [VRSEG OPTION...]
#
# The sheets are for eyes, not for git: OpenCV's pictures are not part of this project.  vtest.sh counts people without eyes.
set -u
if [ $# -lt 2 ]; then
  echo "usage: contact_sheets.sh BIN_FOLDER OUT_FOLDER [VRSEG OPTION...]" >&2
  exit 2
fi
bin=$(cd "$1" && pwd) out=$2 data=/usr/share/doc/opencv-doc/examples/data
shift 2
if [ ! -f $data/vtest.avi ]; then
  echo "skipped: no pictures in $data (apt-get install opencv-doc)"
  exit 77
fi
mkdir -p "$out" || exit 3
sheet() { # NAME TIME FILE
  name=$1 time=$2 file=$3
  shift 3
  "$bin/vrseg" "$data/$file" --preview "$time" -o "$out/$name.png" --overwrite --log-level error "$@" || exit 3
}
for picture in messi5.jpg basketball1.png basketball2.png lena.jpg; do
  [ ! -f $data/$picture ] || sheet "${picture%.*}" 0 $picture "$@"
done
for second in 1 10 20 30 40 50 60 70; do
  sheet "vtest_$second" $second vtest.avi "$@"
done
