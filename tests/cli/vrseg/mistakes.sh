#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the usual mistakes give one sentence and the right exit code (2 usage and configuration, 3 files), and no output appears.
mkdir folder
: >empty.mp4
echo 'some notes' >text.mp4
cp "$VRS_DATA/person_flat.mp4" clip.mp4
printf 'engine:\n  threads: [1\n' >bad.yaml
limit="--max-frames 1"
check() {
  code=0
  vrseg $limit --log-level error "$@" || code=$?
  echo "exit $code: $*"
}
check folder -o out.mp4
check empty.mp4 -o out.mp4
check text.mp4 -o out.mp4
check clip.mp4 -o
check clip.mp4 out.mp4
check clip.mp4 -o nowhere/out.mp4
check clip.mp4 -o folder
check clip.mp4 -o out.xyz
check clip.mp4 -o out.webm --encoder libx264
check clip.mp4 -o clip.mp4 --overwrite
check clip.mp4 -o out.mp4 --model nosuch
check clip.mp4 -o out.mp4 --model nosuch.tflite
check clip.mp4 -o out.mp4 -c bad.yaml
check clip.mp4 -o out.mp4 -c missing.yaml
check clip.mp4 -o out.mp4 --profile nosuch
check clip.mp4 -o out.mp4 --threads abc
check clip.mp4 -o out.mp4 --view-projection gnomonic
check clip.mp4 -o out.mp4 --layout mono --projection fisheye:300 --view-projection camera
check clip.mp4 -o out.mp4 --input-size 100x100
check clip.mp4 -o out.mp4 --log-file nowhere/log
limit= # a preview is one frame
check clip.mp4 --preview 1:99 -o sheet.png
check clip.mp4 --preview 9999 -o sheet.png
ls -A
