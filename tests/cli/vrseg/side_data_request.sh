#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the metadata of an output say what --layout and --projection or the name of the input say, not what contradicts them in the file; what is
# only guessed is not said.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -f lavfi -i testsrc2=s=128x64:r=10:d=0.2 -c:v libx264 -preset ultrafast plain.mkv
cp plain.mkv plain_180_LR.mkv
look() {
  ffprobe -v error -select_streams v -show_entries stream_side_data_list "$1" |
    grep -E '^(type|inverted|projection|bound_left)=' | tr '\n' ' ' || true
}
try() {
  vrseg "$@" --backend null -m selfie_segmentation --no-refine --preset ultrafast --overwrite -t 1 --max-frames 2 --progress none \
    --log-level warning 2>&1 >/dev/null || true
}
say() {
  for clip in "$VRS_DATA/person_vr180_sbs.mp4" plain.mkv plain_180_LR.mkv; do
    try "$clip" -o "$@"
    echo "$(basename "$clip") -o $*: $(look "$1")"
  done
}
say out.mp4
say out.mp4 --layout tb
say out.mp4 --layout mono
say out.mp4 --projection equirect
say out.mkv --layout rl --projection hequirect
echo "not held:"
try plain_180_LR.mkv -o out.mov
try plain.mkv -o out.mov --layout sbs
