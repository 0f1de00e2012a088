#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A video replaces an older one, in one go.
prepare() {
  clip clip.mp4 6
  echo old >out.mp4
}
run() { exec vrseg clip.mp4 -o out.mp4 --overwrite --segment-frames none $quiet; }
