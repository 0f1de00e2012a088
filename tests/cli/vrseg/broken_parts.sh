#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: broken inputs that are long enough for parts.  With --keep-partial a film that is cut off keeps the frames before the cut, the same by one
# process and by several, and fails (3).  Without it no film is made: a cut that the index tells leaves nothing, one that is found on the way leaves
# the parts before it, which --keep-partial then makes a film of.  Damage in the middle is concealed, and the film has all frames.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -i "$VRS_DATA/person_flat.mp4" -c:v libx264 -preset veryfast -g 10 -an -movflags +faststart whole.mp4
size=$(wc -c <whole.mp4)
head -c $((size * 6 / 10)) whole.mp4 >cut.mp4
ffmpeg -v error -i whole.mp4 -c copy whole.mkv
printf '\377\377\377\377\377\377\377' | dd of=whole.mkv bs=1 seek=45 conv=notrunc 2>/dev/null # a size that is not known: tags alone tell
head -c $((size * 6 / 10)) whole.mkv >cut.mkv
count() { ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=nb_read_frames -of csv=p=0 "$1" | tr -d ,; }
for file in cut.mp4 cut.mkv; do
  for how in --no-processes --processes; do
    code=0
    vrseg $file -o "out_$file" --segment-frames 8 $how --preset ultrafast --progress none --log-level error >summary 2>message || code=$?
    echo "exit $code: $file $how $(ls -A | grep '^\.\|^out' || true)"
    code=0
    vrseg $file -o "out_$file" --segment-frames 8 $how --keep-partial \
      --preset ultrafast --progress none --log-level error >summary 2>message || code=$?
    frames=$(count "out_$file")
    echo "exit $code: $file $how --keep-partial $(ls -A | grep '^\.' || true)"
    test "$frames" -gt 20 && test "$frames" -lt 45 || echo "$frames frames"
    eval "kept=\${kept_$(echo $file | tr . _):-$frames}"
    test "$kept" = "$frames" || echo "$frames frames, before $kept"
    eval "kept_$(echo $file | tr . _)=$frames"
    rm -f "out_$file"
  done
done

echo "-- damage in the middle"
cp whole.mp4 hurt.mp4
for at in 45 55 75; do
  head -c 600 /dev/zero | dd of=hurt.mp4 bs=1 seek=$((size * at / 100)) conv=notrunc 2>/dev/null
done
vrseg hurt.mp4 -o one.mkv --encoder ffv1 --segment-frames none --progress none --log-level warning >summary 2>message
grep -c damaged message | sed 's/[1-9]/told/'
for how in --no-processes --processes; do
  vrseg hurt.mp4 -o parts.mkv --encoder ffv1 --overwrite --segment-frames 8 $how --progress none --log-level error >summary 2>message
  echo "$how: $(($(count one.mkv) - $(count parts.mkv))) frames less, $(cat message)"
done
rm summary message
ls -A
