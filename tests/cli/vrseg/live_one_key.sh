#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards a live stream with one key frame only, the first, whose decoding is too slow: there is nothing to skip to, so what comes is shown, late.
command -v ffmpeg >/dev/null || exit 77
. "$VRS_TEST_DIR/cli/preload.sh"
preload slow_decoder.so
# 300 blue frames and 30 red ones at 1000 a second, more than a second late from the 112th on
ffmpeg -v error -f lavfi -i color=c=blue:s=320x180:r=1000:d=0.3 -f lavfi -i color=c=red:s=320x180:r=1000:d=0.03 \
  -filter_complex '[0][1]concat' -c:v libx264 -preset ultrafast -bf 0 -g 10000 -sc_threshold 0 film.flv </dev/null
cat film.flv | LD_PRELOAD=$preload vrseg - --live --background blur -o cut.mkv --preset ultrafast --progress none >summary 2>messages
grep -o 'decodes too slowly for its rate' messages
grep -o 'skipping to a later key frame' messages || echo 'skips to no key frame'
ffmpeg -v error -i cut.mkv -vf scale=1:1 -f rawvideo -pix_fmt rgb24 - </dev/null | tail -c 3 | od -An -tu1 |
  awk '{print ($1 > 128 && $3 < 128) ? "ends red" : "ends with " $0}'
