#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: raw video of more than 8 bits is not decoded, so that its samples may use the bits above their depth.  They count as white: the job ends
# well, on the reference and on this machine's instruction sets, also where frames are skipped and a matte is packed.
command -v ffprobe >/dev/null || exit 77
unset VRSEG_CPU

# raw NAME WIDTH HEIGHT: four frames of 10 bits, all bits of all samples set
raw() {
  echo "YUV4MPEG2 W$2 H$3 F25:1 Ip A1:1 C420p10 XYSCSS=420P10" >"$1"
  for frame in 1 2 3 4; do
    echo FRAME
    head -c $(($2 * $3 * 3)) /dev/zero | tr '\0' '\377'
  done >>"$1"
}
raw wide.y4m 320 160
raw disc.y4m 380 190
job() { # INPUT OPTION...
  code=0
  vrseg "$@" --layout sbs --projection hequirect -o out.mkv --preset ultrafast --overwrite --no-cache --progress none >summary 2>messages || code=$?
  echo "exit $code, $(ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 out.mkv | tr -d ,) frames: $*"
  rm -f out.mkv
}
for cpu in ref ''; do
  export VRSEG_CPU=$cpu
  test "$cpu" || unset VRSEG_CPU
  job wide.y4m
  job disc.y4m --output-mode alpha --stride 2
  job wide.y4m --backend null
done
