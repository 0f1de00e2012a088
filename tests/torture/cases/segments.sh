#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A video in segments, with sound.
prepare() {
  clip silent.mp4 9
  ffmpeg -v error -f lavfi -i sine=d=0.3 -i silent.mp4 -map 1:v -map 0:a -c:v copy -c:a aac clip.mp4
}
run() { exec vrseg clip.mp4 -o out.mp4 --overwrite --segment-frames 3 --backend null $quiet; }
