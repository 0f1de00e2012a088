#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: mattes that lack frames are paired by time: gaps are found, and errors stay none; every second frame on purpose is no gap; a source of
# another rate has no frame for some mattes.
cut() { # FILTER FILE
  ffmpeg -v error -i "$VRS_DATA/person_flat_alpha.mkv" -vf "$1" -fps_mode passthrough -frames:v 20 -pix_fmt gray -c:v ffv1 "$2"
}
events() {
  vranalyze matte "$@" --format csv >out
  grep -E '^event_list,|^truth,IoU,(mean|worst),|^findings,verdict' out || true
}
echo "-- without frames 6, 7 and 12"
cut "select='not(eq(n,6)+eq(n,7)+eq(n,12))'" gaps.mkv
events gaps.mkv --source "$VRS_DATA/person_flat.mp4" --truth "$VRS_DATA/person_flat_alpha.mkv"
events gaps.mkv
echo "-- every second frame"
cut framestep=2 half.mkv
events half.mkv --source "$VRS_DATA/person_flat.mp4" --truth "$VRS_DATA/person_flat_alpha.mkv"
echo "-- twice as fast as the source says"
ffmpeg -v error -i "$VRS_DATA/person_flat.mp4" -vf "select='not(mod(n,3))'" -fps_mode passthrough -frames:v 5 -c:v ffv1 third.mkv
events gaps.mkv --source third.mkv --max-frames 6
