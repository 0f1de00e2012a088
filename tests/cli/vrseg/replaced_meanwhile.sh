#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a file that is replaced while a job runs gives a sentence and no output, not a video of two versions: the input, the mask of --exclude, the
# background, what a playlist in place of one of these names, and in segments also the weights of the network, which each segment loads anew.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -stream_loop 29 -i "$VRS_DATA/person_flat.mp4" -vf scale=320:180 -c:v libx264 -preset ultrafast -g 10 -an in.mp4
cp in.mp4 clip.mp4
ffmpeg -v error -i in.mp4 -c copy clip.ts
cp clip.ts back.ts
printf '#EXTM3U\n#EXT-X-TARGETDURATION:60\n#EXTINF:60,\nclip.ts\n#EXT-X-ENDLIST\n' >clip.m3u8
printf 'ffconcat version 1.0\nfile back.ts\n' >back.ffconcat
ffmpeg -v error -f lavfi -i color=black:s=320x180 -vf drawbox=0:0:60:180:white:fill -frames:v 1 mask.png
ffmpeg -v error -f lavfi -i color=red:s=320x180 -frames:v 1 back.png
printf '\0\0\0\077\0\0\0\077\0\0\0\277' >w.bin
cp "$VRS_CASE_DIR/replaced_files.onnx" net.onnx
printf 'name: own\nlicence: none\nsource: test\nfile: net.onnx\ninput: {size: [64, 36], scale: [4, 4, 4]}\noutput: {kind: probability}\n' >own.yaml

# Stopped as soon as PATTERN matches, FILE is another one of the same bytes (the weights: of other bytes), and then it goes on.
during() { # FILE PATTERN OPTION...
  file=$1
  pattern=$2
  shift 2
  vrseg "${input:-clip.mp4}" -o out.mp4 -m own.yaml --exclude mask.png --background "${back:-back.png}" --progress none --preset ultrafast \
    "$@" >summary 2>message &
  pid=$!
  # shellcheck disable=SC2086
  while kill -0 $pid 2>/dev/null && ! ls $pattern >/dev/null 2>&1; do sleep 0.01; done
  kill -STOP $pid
  cp "$file" kept
  if [ "$file" = w.bin ]; then printf '\0\0\0\077\0\0\0\077\0\0\200\277' >new; else cp "$file" new; fi
  mv new "$file"
  kill -CONT $pid
  code=0
  wait $pid || code=$?
  echo "exit $code: $(sed -n '/while it was in use/s/^vrseg: //p' message)"
  ls out.mp4 2>/dev/null || true
  mv kept "$file"
  rm -rf .out.mp4*
}
echo "-- in one go"
for file in clip.mp4 mask.png back.png; do during $file '.out.mp4.vrseg/.output*' --segment-frames none; done
echo "-- what playlists name"
input=clip.m3u8
during clip.ts '.out.mp4.vrseg/.output*' --segment-frames none
input=clip.mp4 back=back.ffconcat
during back.ts '.out.mp4.vrseg/.output*' --segment-frames 40
unset input back
echo "-- in segments"
for file in clip.mp4 mask.png back.png w.bin; do during $file '.out.mp4.vrseg/checkpoint.json' --segment-frames 40; done
echo "-- by processes"
during w.bin '.out.mp4.vrseg/checkpoint.json' --segment-frames 40 --processes --process-count 2
