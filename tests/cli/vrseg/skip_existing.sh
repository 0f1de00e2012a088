#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --skip-existing: in every container a complete output is skipped and keeps its bytes; one that was cut, that a killed muxer has left, or
# that holds other frames, or one less at its end, is made again, under a name that was typed only with --overwrite; one that a stopped run has saved
# is never complete.
cp "$VRS_DATA/person_flat.mp4" clip.mp4
ffmpeg -v error -i clip.mp4 -c copy clip.mkv
run() {
  code=0
  vrseg --max-frames 12 --preset ultrafast --progress none "$@" >out 2>err || code=$?
  sed 's/ in [0-9.]* s, .* ->/ ->/' out
  grep -E 'making it again|is unfinished|already exists|standard input|was not finished|holds|end of file' err |
    sed 's/header it has [0-9]* bytes, the file has [0-9]*/header it has N bytes, the file has M/' || true
  [ $code -eq 0 ] || echo "exit $code"
}
for kind in mp4 mov mkv webm avi ts; do
  echo "-- $kind"
  run clip.mkv -o out.$kind --skip-existing
  cp out.$kind whole.$kind
  run clip.mkv -o out.$kind --skip-existing
  cmp out.$kind whole.$kind
  head -c $(($(wc -c <whole.$kind) * 7 / 10)) whole.$kind >out.$kind
  run clip.mkv -o out.$kind --skip-existing
  run clip.mkv -o out.$kind --skip-existing --overwrite
  cmp out.$kind whole.$kind
done
echo '-- AVI counts frames, not ticks of the clock of the input'
ffprobe -v error -select_streams v -show_entries stream=avg_frame_rate,nb_frames -of csv=p=0 whole.avi
vrseg clip.mkv -o third.avi --every-nth 3 --max-frames 12 --progress none --log-level error >/dev/null
ffprobe -v error -select_streams v -show_entries stream=avg_frame_rate,nb_frames -of csv=p=0 third.avi
echo '-- a muxer that was killed: no length'
ffmpeg -v error -i whole.mkv -c copy -f matroska -live 1 pipe:1 | cat >out.mkv
run clip.mkv -o out.mkv --skip-existing
echo '-- other frames'
run clip.mp4 -o out.mp4 --skip-existing --max-frames 6
run clip.mp4 -o out.mp4 --skip-existing --max-frames 6 --overwrite
run clip.mp4 -o out.mp4 --skip-existing --max-frames 6
echo '-- an output that ends a frame too early, with the length of --start and --duration too, and of frames that an edit list hides'
short() { # FRAMES OPTION...: made without the last of all
  most=$(($1 - 1))
  shift
  run "$@" --overwrite --max-frames $most
  run "$@" --skip-existing --max-frames 20
  run "$@" --skip-existing --max-frames 20 --overwrite
  run "$@" --skip-existing --max-frames 20
}
ffmpeg -v error -i clip.mkv -frames:v 12 -an -c:v libx264 -preset ultrafast -bf 0 -g 1 twelve.mkv
ffmpeg -v error -ss 0.5 -i clip.mkv -t 0.4 -c copy -an edited.mp4
short 12 twelve.mkv -o out.mkv
short 12 clip.mkv -o out.mp4 --start 0.4 --duration 0.4
short 14 edited.mp4 -o out.mp4
echo '-- frames that are missing before the last one were damaged'
ffmpeg -v error -i twelve.mkv -c copy -bsf:v 'noise=drop=eq(n\,4)' lost.mkv
vrseg lost.mkv -o out.mkv --overwrite --preset ultrafast --progress none >/dev/null 2>&1
run twelve.mkv -o out.mkv --skip-existing
echo '-- segments that another run has left, of which it was not made'
mkdir .out.mp4.vrseg
echo '{}' >.out.mp4.vrseg/checkpoint.json
run clip.mp4 -o out.mp4 --skip-existing --segment-frames none
rm -r .out.mp4.vrseg
echo '-- what is no file counts its own frames'
mkdir pictures
ffmpeg -v error -i clip.mkv -frames:v 9 -vf scale=64:48 pictures/p%03d.png
made() { run "$@" --output-dir made --skip-existing | awk '/^input/ { next } /^vrseg:/ { print; next } { print $1, $(NF - 1), $NF }'; }
for again in 1 2; do
  made 'pictures/p%03d.png' synth:64x64,frames=3
done
rm pictures/p00[5-9].png
made 'pictures/*.png'
made 'pictures/p%03d.png'
echo '-- standard input'
cat clip.mkv | run - -o out.mp4 --skip-existing
