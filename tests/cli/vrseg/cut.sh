#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: --start and --duration cut picture and sound alike, times begin at 0, --truth begins at the same frame, --max-frames and --every-nth go with
# them, also at the very end of the film; a time that is none is refused (2), and a start behind the last frame is told as such (3), as is one in
# raw video without time stamps.  In AVI with B-pictures no frame is lost, though a key frame near the start may come too late and none lies two
# seconds earlier; sound from before the first picture is kept, in one go and in segments; subtitles are shortened to the part, and shift nothing.
clip=$VRS_DATA/person_vr180_sbs.mp4
quiet="--log-level error --backend null --preset ultrafast --overwrite"
span() {
  ffprobe -v error -select_streams "$2" -show_entries packet=pts_time,duration_time -of csv=p=0 "$1" |
    awk -F, '{ if (NR == 1 || $1 < first) first = $1; if ($1 + $2 > last) last = $1 + $2 }
      END { printf "%s %d packets %.2f to %.2f\n", "'"$2"'", NR, first, last }'
}

vrseg "$clip" -o cut.mp4 --start 0:00.5 --duration 1 $quiet | sed 's/ in .*//'
span cut.mp4 v
span cut.mp4 a
vrseg "$clip" -o cut.mkv --start 1.5 $quiet | sed 's/ in .*//'
span cut.mkv v
vrseg "$clip" -o cut.mkv --start 1 --max-frames 29 --every-nth 2 $quiet | sed 's/ in .*//'
span cut.mkv v
vrseg "$clip" -o cut.mp4 --max-frames 57 $quiet | sed 's/ in .*//'
span cut.mp4 a
vrseg "$clip" -o null: --start 1 --duration 0.2 --truth "$VRS_DATA/person_vr180_sbs_alpha.mkv" --log-level error |
  awk '$2 == "frame" { print $1, $3, ($4 > 0.94 ? "good" : $4) }'
code=0
vrseg "$clip" -o null: --start later || code=$?
echo "exit $code"
ffmpeg -v error -i "$clip" -vf scale=64:32 -frames:v 3 -pix_fmt yuv420p short.y4m
ffmpeg -v error -i short.y4m short%d.png
cp "$clip" long.mp4
ffmpeg -v error -i "$clip" -an -vf scale=64:32 -c:v libx264 -preset ultrafast raw.h264
for input in long.mp4 short.y4m short%d.png raw.h264; do
  code=0
  vrseg $input -o null: --start 10 --backend null || code=$?
  echo "exit $code"
done

ffmpeg -v error -f lavfi -i testsrc2=s=64x32:r=25:d=3 -c:v mpeg4 -bf 2 -g 12 reordered.avi
for start in 0.4 1.36 2.4; do
  vrseg reordered.avi -o null: --start $start $quiet | sed 's/ in .*//'
done

for type in mp4 mkv ts; do
  ffmpeg -v error -itsoffset 0.7 -i "$clip" -i "$clip" -map 0:v -map 1:a -c copy late.$type
  for segments in none 20; do
    vrseg late.$type -o cut.mkv --start 0.1 --segment-frames $segments $quiet >/dev/null
    span cut.mkv v
    span cut.mkv a
  done
done

printf '1\n00:00:00,200 --> 00:00:01,200\nOne\n\n2\n00:00:01,300 --> 00:00:01,900\nTwo\n' >text.srt
ffmpeg -v error -i "$clip" -i text.srt -map 0:v -map 0:a -map 1 -c copy -c:s mov_text text.mp4
vrseg text.mp4 -o cut.mkv --start 0.5 --duration 1 $quiet >/dev/null
span cut.mkv v
ffprobe -v error -select_streams s -show_entries packet=pts_time,duration_time -of csv=p=0 cut.mkv

# Without sound, too, in one go and in segments.
ffmpeg -v error -i text.mp4 -map 0:v -map 0:s -c copy silent.mp4
for segments in none 5; do
  vrseg silent.mp4 -o cut.mkv --max-frames 10 --segment-frames $segments $quiet >/dev/null
  ffprobe -v error -select_streams s -show_entries packet=pts_time,duration_time -of csv=p=0 cut.mkv
done
