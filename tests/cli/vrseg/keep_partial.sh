#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: --keep-partial saves the frames before the place where an input breaks off as a complete file, says how many,
# and still fails (3); without it nothing stays.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -i "$VRS_DATA/person_flat.mp4" -c copy -movflags +faststart whole.mp4
head -c 120000 whole.mp4 >cut.mp4
head -c 30000 "$VRS_DATA/person_flat_alpha.mkv" >cut.mkv
rm whole.mp4
for file in cut.mp4 cut.mkv; do
  for flag in --no-keep-partial --keep-partial; do
    code=0
    vrseg $file -o "out_$file" $flag --preset ultrafast --log-level error >summary || code=$?
    sed 's/ in .* -> / -> /' summary
    echo "exit $code: $file $flag"
  done
  frames=$(ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=nb_read_frames -of csv=p=0 "out_$file" | tr -d ,)
  test "$frames" -gt 3 && test "$frames" -lt 60 || echo "$frames frames"
done 2>&1
rm summary
ls -A
