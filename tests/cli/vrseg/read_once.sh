#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: what would read an input twice refuses one that can be read only once, under whatever name (2), before it opens it: nothing is taken
# from it, and nobody waits for a writer.  A file that standard input stands for is none.  A background video, which is played again, cannot come
# from a named pipe (3); a picture can.
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
refused - -o new.mp4 --skip-existing <"$clip"
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
echo '-- calibration'
code=0
vrseg --calibrate fifo -m selfie_segmentation 2>&1 || code=$?
echo "exit $code"
echo '-- a folder for the output'
refused - --output-dir out <"$clip"
refused "$clip" - --output-dir out <"$clip"
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
