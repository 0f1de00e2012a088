#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards what is recorded live from its background video: one that breaks off stays at its last picture, one that ends begins again, and one that is
# changed meanwhile is told; the output is kept each time, and the exit code is 3 where something was wrong.  Other jobs end there without an output.
command -v ffmpeg >/dev/null || exit 77
vrseg "$VRS_DATA/person_flat.mp4" -o all.y4m --max-frames 20 --log-level error --progress none >/dev/null
ffmpeg -v error -f lavfi -i "color=black:s=64x48:r=25:d=0.12" -vf "geq=lum=50*(1+N):cb=128:cr=128" -pix_fmt yuv420p whole.y4m
head -c $(($(wc -c <whole.y4m) - 100)) whole.y4m >cut.y4m

# run BACKGROUND [OPTION...]: the input goes on until "go" is there
run() {
  background=$1
  shift
  code=0
  (cat all.y4m; until [ -e go ]; do sleep 0.1; done) |
    vrseg - -o out.mkv --encoder ffv1 --background $background "$@" --progress none >summary 2>message || code=$?
  echo "$background $*: exit $code"
  sed -n '/truncated/p; /changed/p' message
  [ ! -e out.mkv ] || echo "kept, the last picture has luma $(ffmpeg -v error -i out.mkv -vf crop=8:8:0:0,scale=1:1 -f rawvideo -pix_fmt gray - |
    tail -c 1 | od -An -tu1)"
  rm -f out.mkv
}

touch go
run cut.y4m --live
run cut.y4m
run whole.y4m --live | sed 's/luma  *\(40\|98\|156\)$/luma of the loop/' # late frames are left out
rm go message
(until grep -qs network message; do sleep 0.1; done; touch whole.y4m go) &
run whole.y4m --live | sed 's/luma  *\(40\|98\|156\)$/luma of the loop/'
