#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards videos in segments with a recurrent network: they have the pictures of one go; a run that was killed goes on to the same file, also where
# what a segment has left for the next one is gone or damaged; --processes has no effect, and says so; nothing hidden stays.
command -v ffmpeg >/dev/null || exit 77
net=$VRS_TEST_DIR/files/recurrent/colours.yaml
ffmpeg -v error -i "$VRS_DATA/person_flat.mp4" -vf scale=160:160 -frames:v 24 -an -c:v libx264 -preset veryfast -g 25 clip.mp4
start() { exec vrseg clip.mp4 -m "$net" -o "$@" --progress none 2>messages >summary; }
video() { (start "$@"); }
for frames in none 6; do
  video $frames.mkv --encoder ffv1 --output-mode matte --smoothing-window 3 --segment-frames $frames
  ffmpeg -v error -i $frames.mkv -map 0:v -f framemd5 $frames.txt
done
cmp none.txt 6.txt && echo "as in one go"
segments="--segment-frames 6 --preset ultrafast"
# shellcheck disable=SC2086
video whole.mp4 $segments
for what in kept gone damaged; do
  # shellcheck disable=SC2086
  start out.mp4 $segments &
  pid=$!
  while kill -0 $pid 2>/dev/null && [ "$(ls .out.mp4.vrseg 2>/dev/null | grep -c '^segment.*part')" -lt 3 ]; do sleep 0.01; done
  kill -KILL $pid
  wait $pid 2>/dev/null || true
  [ $what != gone ] || rm -f .out.mp4.vrseg/*.past
  for past in .out.mp4.vrseg/*.past; do
    [ $what != damaged ] || printf x | dd of="$past" bs=1 seek=500 conv=notrunc 2>/dev/null
  done
  # shellcheck disable=SC2086
  video out.mp4 $segments --batch-size 1 --threads 1
  echo "$what: $(grep -c 'continuing an unfinished' messages) $(grep -c 'frames again' messages) $(cmp whole.mp4 out.mp4 && echo same)"
  rm out.mp4
done
# shellcheck disable=SC2086
video out.mp4 $segments --processes
sed -n 's/.*warning: \(--processes.*\)/\1/p' messages
cmp whole.mp4 out.mp4
# shellcheck disable=SC2086
video strict.mp4 $segments --processes --strict || echo "exit $?"
rm messages summary
ls -A
