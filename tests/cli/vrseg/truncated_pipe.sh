#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: an input that breaks off is no success where its container tells (3, no output), in a pipe as in a file, wherever it breaks off; a whole one
# is one (0).  Matroska and AVI also as they are written to a pipe, without their lengths.  Raw video tells nothing between two frames, MPEG-TS never:
# docs/vrseg.md says so.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -f lavfi -i testsrc=s=64x64:r=25:d=6 -f lavfi -i sine=d=6 -c:v mpeg4 -g 25 -c:a aac src.mkv
write() { # NAME [OPTION...]
  name=$1
  shift
  ffmpeg -v error -i src.mkv -c copy "$@"
  names="$names $name"
}
names=
write first.mp4 -movflags +faststart first.mp4
write parts.mp4 -movflags +frag_keyframe+empty_moov parts.mp4
write a.mov -movflags +faststart a.mov
write a.mkv a.mkv
write piped.mkv -f matroska - >piped.mkv
write live.mkv -f matroska -live 1 - >live.mkv
write a.nut a.nut
write a.avi -c:a mp3 a.avi
write a.flv -an -c:v flv a.flv
write a.mxf -an -c:v mpeg2video a.mxf
write a.y4m -an -c:v wrapped_avframe -pix_fmt yuv420p a.y4m
job='--backend null --preset ultrafast --progress none --log-level error --overwrite'
try() { # NAME SHARE: an exit code for the file and for a pipe
  head -c $(($(stat -c %s "$1") * $2 / 100)) "$1" >"part.${1##*.}"
  for in in "part.${1##*.}" -; do
    code=0
    # shellcheck disable=SC2002 # as a file it would be one for vrseg, too
    cat "part.${1##*.}" | vrseg "$in" -o out.mp4 $job >/dev/null 2>message || code=$?
    [ $code = 0 ] || grep -q -e 'truncated' message || echo "$1 $2: $(cat message)"
    [ $code = 0 ] || [ ! -e out.mp4 ] || echo "$1 $2: an output"
    printf ' %s' $code
    rm -f out.mp4
  done
}
for name in $names; do
  printf '%s:' $name
  for share in 100 91 55 33; do
    printf ' |%s' "$(try $name $share)"
  done
  echo
done
echo '-- with --keep-partial the frames before are kept'
code=0
head -c 60000 first.mp4 | vrseg - -o out.mp4 $job --keep-partial >/dev/null 2>&1 || code=$?
echo "$code $(ffprobe -v error -show_entries stream=codec_type -of csv=p=0 out.mp4 | tr '\n' ' ')"
