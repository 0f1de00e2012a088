#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: without -o the output lies beside the input, named after the mode; standard input has no such name.
mkdir films
cp "$VRS_DATA/person_flat.mp4" films/clip.mp4
vrseg films/clip.mp4 --max-frames 2 --log-level error | sed 's/ in .* -> / -> /'
vrseg films/clip.mp4 --max-frames 2 --log-level error --output-mode matte | sed 's/ in .* -> / -> /'
ls -A films
vrseg - <films/clip.mp4
