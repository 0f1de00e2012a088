#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --background: a picture is cut to the shape of each eye, or goes to the eyes as it is where it has the film's size; a video goes by time, not
# by frames, and begins again; blur shows the surroundings; the bytes do not depend on the number of streams; what cannot be used is said at once.
command -v ffmpeg >/dev/null || exit 77
clip=$VRS_DATA/person_vr180_sbs.mp4
# x y of frame $4 of file $1 as Y U V
pixel() {
  for plane in y u v; do
    x=$2 y=$3
    [ $plane = y ] || { x=$(($2 / 2)); y=$(($3 / 2)); }
    ffmpeg -v error -i "$1" -vf "select=eq(n\,$4),extractplanes=$plane,crop=1:1:$x:$y" -frames:v 1 -f rawvideo - | od -An -tu1 | tr -d '\n'
  done
  echo
}
run() {
  vrseg "$clip" --encoder ffv1 --progress none --log-level error "$@" >/dev/null
}

# left half black, right half white: as wide as two eyes it keeps one half for each, with another size both eyes get both halves
ffmpeg -v error -f lavfi -i color=black:s=1024x1024 -f lavfi -i color=white:s=1024x1024 -filter_complex hstack -frames:v 1 pair.png
ffmpeg -v error -i pair.png -vf scale=800:400 -frames:v 1 other.png
run -o pair.mkv --background pair.png --max-frames 1
run -o other.mkv --background other.png --max-frames 1
four() {
  echo "$(pixel "$1" 20 20 0) |$(pixel "$1" 1000 20 0) |$(pixel "$1" 1040 20 0) |$(pixel "$1" 2020 20 0)"
}
echo "picture of the film's size: $(four pair.mkv)"
echo "picture of another size:    $(four other.mkv)"
test "$(pixel pair.mkv 526 540 0)" = "$(pixel "$clip" 526 540 0)" && echo "the person is as filmed"

# three pictures a tenth of a second each, and a film of 30 frames a second: frames 0-2, 3-5, 6-8, and again
ffmpeg -v error -f lavfi -i "color=black:s=64x64:r=10:d=0.3" -vf "geq=lum=50*(1+N):cb=128:cr=128" -c:v ffv1 steps.mkv
run -o steps_out.mkv --background steps.mkv --max-frames 11
for frame in 0 2 3 5 6 8 9 10; do
  echo "frame $frame: $(pixel steps_out.mkv 20 20 $frame)"
done

for background in blur pair.png steps.mkv; do
  run -o hash:one --background $background --max-frames 11 --streams 1
  run -o hash:three --background $background --max-frames 11 --streams 3
  cmp one three && echo "$background: the same bytes with three streams"
  rm one three
done

# the wall beside the person keeps its colour
run -o blur.mkv --background blur --max-frames 1
echo "blur: $(pixel blur.mkv 200 400 0), filmed $(pixel "$clip" 200 400 0)"

for background in missing.png "$VRS_DATA/README.md" -; do
  vrseg "$clip" -o out.mkv --background "$background" 2>&1 | sed "s|$VRS_DATA|data|" || :
done
vrseg "$clip" -o out.mkv --background blur --output-mode matte 2>&1 || :
ls
