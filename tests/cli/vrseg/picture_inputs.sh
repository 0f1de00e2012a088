#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: picture sequences by number and by pattern, raw video in a file and on standard input, y4m on standard input: all are the same pictures as
# the film they came from, at the rate that was given; what is missing is said (2), no picture is an error (3).  In a folder of outputs each has a
# name, but for addresses.
clip=$VRS_DATA/person_flat.mp4
ffmpeg -v error -i "$clip" -frames:v 5 -c:v ffv1 film.mkv
ffmpeg -v error -i film.mkv -start_number 7 'p%03d.png'
ffmpeg -v error -i film.mkv -f rawvideo film.yuv
ffmpeg -v error -i film.mkv -f yuv4mpegpipe film.y4m
quiet="--log-level warning --stats=false --overwrite --layout mono"

score() {
  awk '$2 == "frame" { print $3, "frames", ($4 > 0.95 ? "good" : $4) }'
}
truth="-o null: --truth $VRS_DATA/person_flat_alpha.mkv"
sums() {
  cut -d' ' -f3 "$1" | cksum
}

vrseg film.mkv -o hash:film.txt $quiet >/dev/null
vrseg film.yuv -o hash:raw.txt $quiet --raw-format yuv420p --raw-size 640x480 --fps 30 >/dev/null
cat film.yuv | vrseg - -o hash:pipe.txt $quiet --raw-format yuv420p --raw-size 640x480 --fps 30 >/dev/null
cat film.y4m | vrseg - -o hash:y4m.txt $quiet >/dev/null
for name in raw pipe y4m; do
  [ "$(sums $name.txt)" = "$(sums film.txt)" ] && echo "$name: the same mattes"
done
vrseg p%03d.png $quiet $truth | score
vrseg 'p*.png' $quiet --fps 10 $truth | score
vrseg 'p*.png' -o seq.mkv $quiet --fps 10 --preset ultrafast >/dev/null
ffprobe -v error -select_streams v -show_entries stream=avg_frame_rate -of csv=p=0 seq.mkv

for wrong in "film.mkv --fps 10" "film.yuv --raw-format yuv420p" "film.mkv --raw-size 2x2" "synth: --fps 5" \
  "film.yuv --raw-format yuv999 --raw-size 2x2" "q%d.png" "q*.png"; do
  code=0
  vrseg $wrong -o null: || code=$?
  echo "exit $code"
done
code=0
vrseg 'p*.png' || code=$?
echo "exit $code"

# A gap is told, wherever FFmpeg's search for the end meets it: it would end g%03d.png before 004, and fail at h013.
for i in 001 002 003 005 006; do cp p007.png g$i.png; done
for i in 010 011 012 014 015 016 017; do cp p007.png h$i.png; done
for name in g h; do
  code=0
  vrseg $name%03d.png -o $name.mkv --log-level error || code=$?
  echo "exit $code"
done
vrseg 'g*.png' -o g.mkv $quiet --fps 10 --preset ultrafast | cut -d ' ' -f 1,2

# One picture gives one picture beside it, whatever is written.
ffmpeg -v error -i film.mkv -frames:v 1 photo.jpg
for mode in green matte cutout; do
  vrseg photo.jpg --output-mode $mode --log-level error | sed 's/ in .* -> / -> /'
done
ffprobe -v error -show_entries stream=codec_name,pix_fmt -of csv=p=0 photo_cutout.png

# Photos say in EXIF how the camera was held (1 to 8): vrseg sees and writes them upright, whatever reads them.
ffmpeg -v error -i film.mkv -frames:v 1 -vf scale=320:200 -pix_fmt yuvj444p held.jpg
exif() { # the file held.jpg, held so
  head -c 2 held.jpg
  printf "\\377\\341\\0\\042Exif\\0\\0II*\\0\\010\\0\\0\\0\\001\\0\\022\\001\\003\\0\\001\\0\\0\\0\\$(printf %03o $1)\\0\\0\\0\\0\\0\\0\\0"
  tail -c +3 held.jpg
}
n=0
for filter in null hflip hflip,vflip vflip transpose=cclock_flip transpose=clock transpose=clock_flip transpose=cclock; do
  n=$((n + 1))
  exif $n >held$n.jpg
  ffmpeg -v error -y -i held.jpg -vf $filter -pix_fmt yuvj444p -c:v libx264 -qp 0 shown.mkv
  vrseg shown.mkv -o hash:shown.txt $quiet >/dev/null
  vrseg held$n.jpg -o hash:held.txt $quiet >/dev/null
  [ "$(sums shown.txt)" = "$(sums held.txt)" ] && echo "held $n: upright" || echo "held $n: not upright"
done
# Of several photos the first one decides, and another is told.
exif 6 >q1.jpg
exif 6 >q2.jpg
exif 8 >q3.jpg
for count in 2 3; do
  vrseg 'q*.jpg' -o q.mkv $quiet --preset ultrafast -n $count | cut -d ' ' -f 1,2
done
ffprobe -v error -select_streams v -show_entries stream=width,height -of csv=p=0 q.mkv

# Beside other inputs, and in a folder for outputs: two that would have one name are told.
mkdir shots
cp p00[78].png shots
for inputs in "p%03d.png shots/*.png synth:64x64,frames=2 film.mkv" "p%03d.png film.mkv p*.png" "synth:64x64,frames=2 udp://127.0.0.1:9" \
  "udp://127.0.0.1:9" "synth:64x64,frames=2 q%d.png gone.mkv"; do
  code=0
  # shellcheck disable=SC2086
  (set -f && vrseg $inputs --output-dir made --backend null --layout mono --preset ultrafast --log-level error) >table || code=$?
  sed 's/ [0-9]*\.[0-9][0-9]//g; s/  */ /g' table
  echo "exit $code"
done
for inputs in "udp://127.0.0.1:9" "film.mkv p%03d.png" "film.mkv udp://127.0.0.1:9"; do
  code=0
  # shellcheck disable=SC2086
  vrseg $inputs || code=$?
  echo "exit $code"
done
ls made
