#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: names, side data and refusals of packed films.  The fisheye has no word in a container, so that the projection goes and the stereo layout
# stays; the name says the rest.  Requests that a player would ignore, or that the format cannot hold, end before anything is written.
command -v ffprobe >/dev/null || exit 77
mkdir films
cp "$VRS_DATA/person_vr180_sbs.mp4" films/trip_180_LR.mp4
run() {
  vrseg "$@" --max-frames 2 --preset ultrafast --log-level warning 2>&1 | sed 's/ in .* -> / -> /'
}
run films/trip_180_LR.mp4 --output-mode alpha
run films/trip_180_LR.mp4 --output-mode alpha --player xbvr --fov 190 --alpha-color red --alpha-size exact
run films/trip_180_LR.mp4 --player heresphere
ls films
for file in trip_FISHEYE180_alpha trip_FISHEYE190_alpha trip_green_LR_180_SBS; do
  ffprobe -v error -select_streams v -show_entries stream=width,height,sample_aspect_ratio:stream_side_data -of compact "films/$file.mp4"
done
echo "refused:"
run films/trip_180_LR.mp4 --output-mode alpha --player xbvr
run films/trip_180_LR.mp4 --output-mode alpha --player deovr -o films/other.mp4
run films/trip_180_LR.mp4 --output-mode matte --player deovr
run films/trip_180_LR.mp4 --fov 190
run films/trip_180_LR.mp4 --alpha-color red
run "$VRS_DATA/person_flat.mp4" --output-mode alpha -o films/flat.mp4
run films/trip_180_LR.mp4 --output-mode alpha --projection equirect -o films/all.mp4
run films/trip_180_LR.mp4 --output-mode alpha -o films/unnamed.mp4 --strict
run films/trip_180_LR.mp4 --output-mode alpha -o films/unnamed.mp4
ls films
