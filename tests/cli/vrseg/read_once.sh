#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: what would read an input twice refuses one that can be read only once, under whatever name (2), before it opens it: nothing is taken
# from it, and nobody waits for a writer.  A file that standard input stands for is none, under either name, and is read as one: to its end, where
# MP4 has its index, and back.  Where that has begun, "-" is the rest, and of an MP4 in a pipe whose index is behind its pictures one sentence says it
# (3).  A background video, which is played again, cannot come from a named pipe (3); a picture can.
clip=$VRS_DATA/person_flat.mp4
command -v ffmpeg >/dev/null || exit 77
job='-m selfie_segmentation --backend null --progress none --log-level error'
mkfifo fifo
refused() {
  code=0
  timeout 20 vrseg "$@" $job 2>&1 || code=$?
  echo "exit $code"
}
vrseg "$clip" -o done.mp4 --max-frames 5 $job >/dev/null
cp done.mp4 before.mp4
echo '-- skip-existing'
refused fifo -o done.mp4 --skip-existing --overwrite
cat "$clip" | {
  refused /dev/stdin -o done.mp4 --skip-existing --overwrite
  cmp - "$clip" && echo untouched
}
refused - -o done.mp4 --skip-existing --max-frames 5 <"$clip"
refused "$clip" fifo --output-dir out --skip-existing
cmp done.mp4 before.mp4
refused /dev/stdin -o done.mp4 --skip-existing --max-frames 5 <"$clip"
echo '-- preview'
refused fifo --preview 0 -o sheet.png
cat "$clip" | {
  refused - --preview 0 -o sheet.png
  refused /dev/stdin --preview 0.2 -o sheet.png
  cmp - "$clip" && echo untouched
}
refused /dev/stdin --preview 0 -o sheet.png --overwrite <"$clip"
refused - --preview 0 -o sheet.png --overwrite <"$clip"
echo '-- calibration'
code=0
vrseg --calibrate fifo -m selfie_segmentation 2>&1 || code=$?
echo "exit $code"
echo '-- a folder for the output'
refused - --output-dir out <"$clip"
refused "$clip" - --output-dir out <"$clip"
refused /dev/stdin <"$clip"
echo '-- an index behind the pictures'
ffmpeg -v error -stream_loop 3 -i "$clip" -c copy -movflags 0 late.mp4
same() { # NAME [OPTION...]: the mattes of the file, and of standard input
  name=$1
  shift
  vrseg $name -o hash:file.txt $job --overwrite "$@" >/dev/null
  vrseg - -o hash:standard.txt $job --overwrite "$@" <$name | sed 's/ in .*//'
  cmp file.txt standard.txt && echo same
}
same late.mp4
same late.mp4 --start 3 --duration 1
same late.mp4 --sandbox
cat late.mp4 | refused - -o piped.mkv
echo '-- the rest of a file'
ffmpeg -v error -i "$clip" -c copy clip.ts
{
  dd bs=188 count=1 status=none >/dev/null
  refused - -o new.mp4 --skip-existing
  vrseg - -o rest.mkv $job | sed 's/ in .*//'
} <clip.ts
{
  dd bs=188 count=1 status=none >/dev/null
  refused - -o piped.mkv
} <late.mp4
rm late.mp4 clip.ts rest.mkv file.txt standard.txt
echo '-- background'
ffmpeg -v error -i "$clip" -c copy clip.mkv
ffmpeg -v error -i "$clip" -frames:v 1 room.png
cat clip.mkv >fifo 2>/dev/null &
refused "$clip" -o behind.mp4 --background fifo
wait
cat room.png >fifo &
refused "$clip" -o behind.mp4 --background fifo --max-frames 3 | sed 's/ in .*, .*//'
wait
ls -A
