#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Mattes come from the cache.
prepare() {
  clip clip.mp4 6
  vrseg clip.mp4 -o hash:first --cache --cache-dir kept $quiet
}
run() { exec vrseg clip.mp4 -o out.mp4 --overwrite --segment-frames none --cache --cache-dir kept $quiet; }
optional='kept kept/*'
