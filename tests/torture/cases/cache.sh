#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Mattes are kept for another output.
prepare() { clip clip.mp4 6; }
run() { exec vrseg clip.mp4 -o out.mp4 --overwrite --segment-frames none --cache --cache-dir kept $quiet; }
optional='kept kept/*'
