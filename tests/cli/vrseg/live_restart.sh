#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards a live sender that begins anew, with times from 0 on, while decoding is too slow and looks for a later key frame: that one never comes, and
# the pictures of the new beginning are shown.
command -v ffmpeg >/dev/null || exit 77
. "$VRS_TEST_DIR/cli/preload.sh"
preload slow_decoder.so
for colour in blue red; do
  ffmpeg -v error -f lavfi -i color=c=$colour:s=320x180:r=1000:d=0.03 -c:v libx264 -preset ultrafast -bf 0 $colour.mp4 </dev/null
done
for _ in $(seq 20); do echo "file $PWD/blue.mp4"; done >parts
ffmpeg -v error -f concat -safe 0 -i parts -c copy first.flv </dev/null
ffmpeg -v error -i red.mp4 -c copy anew.flv </dev/null
# 600 blue frames in 0.6 s, more than a second late from the 112th on; 30 red ones, which end long before the time that the jump is to
(cat first.flv; tail -c +14 anew.flv) |
  LD_PRELOAD=$preload vrseg - --live --background blur -o cut.mkv --preset ultrafast --progress none >summary 2>messages
grep -o 'skipping to a later key frame' messages
ffmpeg -v error -i cut.mkv -vf scale=1:1 -f rawvideo -pix_fmt rgb24 - </dev/null | tail -c 3 | od -An -tu1 |
  awk '{print ($1 > 128 && $3 < 128) ? "ends red" : "ends with " $0}'
