#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A video in segments with a recurrent network: each leaves what the next one begins with.
prepare() { clip clip.mp4 9; }
run() { exec vrseg clip.mp4 -o out.mp4 --overwrite --segment-frames 3 -m "$VRS_DATA/../files/recurrent/colours.yaml" --max-regions 1 $quiet; }
