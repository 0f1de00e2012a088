#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A sequence of pictures replaces a longer one.
prepare() {
  clip clip.mp4 6
  mkdir seq
  vrseg clip.mp4 -o 'seq/IMG_%04d.png' --color ff0000 --backend null $still
  clip short.mp4 4
}
run() { exec vrseg short.mp4 -o 'seq/IMG_%04d.png' --overwrite --backend null $still; }
