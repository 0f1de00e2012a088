#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a video, and each part of one, may have fewer frames than an encoder looks ahead.  libx265 then takes decoding times from memory that it has
# not set (MALLOC_PERTURB_ makes that large figures); what is written has every frame, none decoded after it is shown, each decoded after the last.
command -v ffprobe >/dev/null || exit 77
check() { # FILE: packets, those out of order
  ffprobe -v error -select_streams v -show_entries packet=pts,dts -of csv=p=0 "$1" |
    awk -F, '$2 > $1 || (NR > 1 && $2 <= last) { wrong++ } { last = $2 } END { print NR, wrong + 0 }'
  ffmpeg -v error -i "$1" -map 0:v -f null - && ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0 "$1"
}
for frames in 1 2 3; do
  for perturb in 0 1 165; do
    rm -f one.mp4
    MALLOC_PERTURB_=$perturb vrseg "$VRS_DATA/person_flat.mp4" -o one.mp4 --encoder libx265 --preset ultrafast --max-frames $frames --overwrite \
      --segment-frames none --progress none --log-level error >/dev/null || echo "$frames frames: exit $?"
    echo "$frames frames: $(check one.mp4 | xargs)"
  done
done
for part in 1 2 5; do
  rm -f parts.mp4
  MALLOC_PERTURB_=165 vrseg "$VRS_DATA/person_flat.mp4" -o parts.mp4 --encoder libx265 --max-frames 6 --overwrite --segment-frames $part \
    --progress none --log-level error >/dev/null || echo "parts of $part: exit $?"
  echo "parts of $part: $(check parts.mp4 | xargs)"
done
