#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: mattes of videos that are two samples wide, which mode alpha makes no larger than its discs, have nothing beside them in discs: runs with
# other bytes in unused memory pack the same pictures, and builds with a sanitizer see no read outside of the matte.
command -v ffmpeg >/dev/null || exit 77
unset VRSEG_CPU
ffmpeg -v error -i "$VRS_DATA/person_flat.mp4" -frames:v 4 -vf scale=2:400 -an -pix_fmt yuv444p -c:v ffv1 thin_180.mkv
sums() { # CPU OPTION...
  export VRSEG_CPU=$1
  test "$1" || unset VRSEG_CPU
  shift
  for byte in 0 77 200; do # of memory that nobody has written to
    MALLOC_PERTURB_=$byte vrseg thin_180.mkv -o out.mkv --overwrite --encoder ffv1 --output-mode alpha --projection hequirect --layout mono \
      --no-follow --no-cache --progress none "$@" >summary 2>messages || cat messages
    ffmpeg -v error -i out.mkv -f framemd5 - | grep -v '^#' | awk '{ print $NF }' | tr '\n' ' '
    echo
  done | sort -u | wc -l
}
for cpu in ref avx2 ''; do
  echo "the whole view: $(sums "$cpu" --view whole) video"
  echo "square looks: $(sums "$cpu") video"
done
