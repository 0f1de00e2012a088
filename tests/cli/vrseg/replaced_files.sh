#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a file that an option names is recognised by its content, not by its name.  Kept mattes are not taken after the mask of --exclude, the
# weights beside the network, its manifest or its calibration have changed, and the new ones are those of a run without a cache.  An unfinished run
# does not go on after one of these or the background has changed: it says which option that is, and keeps its segments.  The same content under a new
# time goes on, to the same bytes.  Of playlists, which stay the same when what they name changes, nothing is kept.
# replaced_files.onnx is sigmoid(convolution 1x1 of 3 channels), whose weights are the 12 bytes of w.bin.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -stream_loop 9 -i "$VRS_DATA/person_flat.mp4" -vf scale=320:180 -c:v libx264 -preset ultrafast -g 10 -an clip.mp4
ffmpeg -v error -i clip.mp4 -vf eq=brightness=-0.3 -c:v libx264 -preset ultrafast dark.mp4
mask() { ffmpeg -v error -y -f lavfi -i color=black:s=320x180 -vf "drawbox=$1:0:60:180:white:fill" -frames:v 1 mask.png; }
weights() { printf '\0\0\0\077\0\0\0\077\0\0'"$1" >w.bin; }
manifest() {
  printf 'name: own\nlicence: none\nsource: test\nfile: net.onnx\ninput: {size: [64, 36], scale: [4, 4, %s]}\n' "$1" >own.yaml
  echo 'output: {kind: probability}' >>own.yaml
}
background() { ffmpeg -v error -y -f lavfi -i "color=$1:s=320x180" -frames:v 1 back.png; }
calibrate() { vrseg --calibrate "$1" -m own.yaml >/dev/null 2>&1; }
options="-m own.yaml -p int8 --exclude mask.png --background back.png --progress none"
# each of the files as it was, and another one
before() { mask 0 && weights '\0\277' && manifest 4 && background red && calibrate clip.mp4; }
change() { # NAME
  case $1 in
    mask) mask 100 ;;
    weights) weights '\200\277' ;;
    manifest) manifest 3 ;;
    calibration) calibrate dark.mp4 ;;
    background) background blue ;;
  esac
}
cp "$VRS_CASE_DIR/replaced_files.onnx" net.onnx

cut() { # NAME OPTION...
  name=$1
  shift
  # shellcheck disable=SC2086
  vrseg clip.mp4 -o "hash:$name" --overwrite --max-frames 8 $options "$@" >summary 2>message
  grep -q 'come from the cache' message && echo "$name: from the cache" || echo "$name: made"
}
before
cut kept --cache --cache-dir cache
cut again --cache --cache-dir cache
for name in mask weights manifest calibration; do
  change $name
  cut "$name" --cache --cache-dir cache
  cut fresh
  cmp "$name" fresh
  cmp -s "$name" kept && echo "the change of the $name shows nothing"
  before
done
cut back --cache --cache-dir cache
cmp kept back
# One for each network and manifest: ranges of pictures that were scaled otherwise are not taken.
echo "calibrations: $(ls "$XDG_CACHE_HOME/vrseg/calibrations" | wc -l)"

echo "-- resume"
long="$options --segment-frames 10 --preset ultrafast"
# shellcheck disable=SC2086
vrseg clip.mp4 -o whole.mp4 $long >summary 2>message
# shellcheck disable=SC2086
vrseg clip.mp4 -o out.mp4 $long >summary 2>message &
pid=$!
while kill -0 $pid 2>/dev/null && [ "$(ls .out.mp4.vrseg 2>/dev/null | grep -c '^segment')" -lt 2 ]; do sleep 0.01; done
kill -KILL $pid
wait $pid || true
for name in mask weights manifest calibration background; do
  change $name
  code=0
  # shellcheck disable=SC2086
  vrseg clip.mp4 -o out.mp4 $long >summary 2>message || code=$?
  echo "$code: $(sed -n 's/.*does not fit: //p' message)"
  before
done
touch -d '2001-02-03' mask.png w.bin own.yaml back.png
# shellcheck disable=SC2086
vrseg clip.mp4 -o out.mp4 $long >summary 2>message
grep -c 'continuing an unfinished run' message
cmp whole.mp4 out.mp4 && echo "the same video"

echo "-- playlists"
printf '#EXTM3U\n#EXT-X-TARGETDURATION:60\n#EXTINF:60,\nseg.ts\n#EXT-X-ENDLIST\n' >list.m3u8
printf 'ffconcat version 1.0\nfile seg.ts\n' >list.ffconcat
for list in list.m3u8 list.ffconcat; do
  for video in clip.mp4 dark.mp4; do
    ffmpeg -v error -y -i $video -c copy seg.ts
    vrseg $list -o "hash:$video.sums" --overwrite --max-frames 8 -m own.yaml --cache --cache-dir cache --progress none >summary 2>message
    grep -q 'come from the cache' message && echo "$list: from the cache" || sed -n 's/^vrseg: \(mattes of\)/\1/p' message
  done
  cmp -s clip.mp4.sums dark.mp4.sums && echo "$list: of the old video"
  for options in "$list" "clip.mp4 --background $list"; do
    # shellcheck disable=SC2086
    vrseg $options -o list.mp4 --overwrite -m own.yaml --segment-frames 10 --max-frames 30 --resume --preset ultrafast --progress none 2>&1 |
      sed -n 's/^vrseg: \(.* in one go\)/\1/p'
  done
done
