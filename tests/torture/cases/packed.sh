#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A packed video that is decoded again and compared with its mattes: it has its name when that is done, and not before.  Where something is left of a
# run that did not say so, the same command goes on without --overwrite.
prepare() {
  clip clip.mp4 2
  ffmpeg -v error -i clip.mp4 -vf scale=256:128 -c:v libx264 -preset ultrafast eyes_180_LR.mp4
  rm clip.mp4
}
run() {
  over=--overwrite
  if [ -e .out.mp4.mattes.vrseg ] || ls .out.mp4.vrseg/.output.* >/dev/null 2>&1; then
    grep -qs PASS said || over=
  fi
  exec vrseg eyes_180_LR.mp4 -o out.mp4 $over --output-mode alpha --verify-pack $quiet >said
}
loose="$loose said"
streams=said
