#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Segments made by worker processes.
prepare() {
  clip clip.mp4 9
  echo old >out.mp4
}
run() { exec vrseg clip.mp4 -o out.mp4 --overwrite --segment-frames 3 --processes --process-count 2 --backend null $quiet; }
