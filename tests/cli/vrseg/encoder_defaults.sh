#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: an encoder without preset and crf gets neither of the defaults, and is told so when they are asked for (2); of what decides on the rate, the
# strongest source does.  What FFmpeg would write and nobody read as it was is refused at the start.
vrseg "$VRS_DATA/person_flat.mp4" -o out.mkv --encoder ffv1 --max-frames 1 --log-level error | sed 's/ in .* -> / -> /'
vrseg "$VRS_DATA/person_flat.mp4" -o out2.mkv --encoder ffv1 --crf 30 --max-frames 1 --log-level error 2>message || echo $?
grep -c crf message

# What was typed, and the output has no use for, is refused; what a profile says gives way.
refuse() {
  code=0
  vrseg "${clip:-$VRS_DATA/person_flat.mp4}" --max-frames "${frames:-1}" --log-level error "$@" >/dev/null 2>message || code=$?
  echo "$code $* $(cat message)"
}
refuse -o 3.mkv --profile quality --encoder ffv1
refuse -o 4.mkv --encoder ffv1 --crf 20
refuse -o 5.mkv --encoder ffv1 --preset veryfast
refuse -o 6.webm --encoder libvpx-vp9 --preset ultrafast --crf 40
refuse -o 7.mov --output-mode cutout --crf 20
refuse -o y4m:8.y4m --encoder nosuch
refuse -o 9.y4m --quality 50
refuse -o a_%03d.png --encoder ffv1
refuse -o b.jpg --layout mono --crf 5 --quality 5
refuse -o c.jpg --preset fast
refuse -o d.jpg --quality 60 --encoder mjpeg
refuse -o e.png --profile quality
VRSEG_OUTPUT_CRF=30 VRSEG_OUTPUT_ENCODER=libx264 refuse -o f.png
VRSEG_OUTPUT_QUALITY=30 refuse -o i.y4m
refuse -o null: --encoder ffv1 --crf 20
refuse -o g.mp4 --profile quality --quality 90
refuse -o h.mp4 --crf 20 --quality 50

# What would be read as something else is refused before a frame is read, and what has another place gets it.
ffmpeg -v error -f lavfi -i testsrc2=s=128x64:r=25:d=0.2 -pix_fmt yuv420p10le -c:v ffv1 deep.mkv
ffmpeg -v error -f lavfi -i testsrc2=s=128x64:r=25:d=0.2 -pix_fmt yuv420p -c:v ffv1 eight.mkv
quick() { # CLIP OPTION...
  clip=$1
  frames=5
  shift
  refuse "$@" --backend null --progress none --layout mono | sed 's/ --backend.*mono//'
  unset clip frames
}
quick deep.mkv -o k.mkv --encoder jpeg2000
quick deep.mkv -o l.mkv --encoder libopenjpeg
quick eight.mkv -o m.mkv --encoder jpeg2000
for file in n.avi n.mov n.mkv; do quick deep.mkv -o $file --encoder rawvideo; done
for file in o.avi o.mov; do quick eight.mkv -o $file --encoder rawvideo; done
quick eight.mkv -o p.webp
quick eight.mkv -o q.webp --encoder libwebp_anim
quick eight.mkv -o r.mov --encoder libsvtav1
quick eight.mkv -o s.mkv --encoder libsvtav1 --segment-frames 3

# Two of the environment matter to who encodes.
export VRSEG_OUTPUT_CRF=18 VRSEG_OUTPUT_QUALITY=50
refuse -o j.mp4
refuse -o j.y4m
refuse -o j.mp4 --crf 25
vrseg --list-models >models
ls
