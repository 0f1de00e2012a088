#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the contact sheet is a PNG of two rows (eyes) and three columns; a time beyond the end fails as --start does (3), and wrong names are
# refused (2); pictures and raw video are read as a job reads them.
clip=$VRS_DATA/person_vr180_sbs.mp4
vrseg "$clip" --preview 0:01 -o sheet.png --log-level error
head -c 24 sheet.png | od -An -tx1
code=0
vrseg "$clip" --preview 1:00 -o late.png --log-level error 2>message || code=$?
echo "$code $(sed 's/.*person/person/' message)"
code=0
vrseg "$clip" --preview 1e9 -o late.png --log-level error 2>message || code=$? # the longest time that can be written
echo "$code $(sed 's/.*person/person/' message)"
code=0
vrseg "$clip" --start 1:00 -o late.mp4 --log-level error 2>message || code=$?
echo "$code $(sed 's/.*person/person/' message)"
code=0
vrseg "$clip" --preview soon -o late.png || code=$?
echo $code
code=0
vrseg "$clip" --preview 1 -o sheet.jpg || code=$?
echo $code
# at 10 frames a second there are two seconds, at the usual 25 less than one
mkdir seq
for i in $(seq 1 20); do printf 'P5 64 64 255\n' >seq/p$i.pgm && head -c 4096 /dev/zero >>seq/p$i.pgm; done
vrseg 'seq/p%d.pgm' --fps 10 --layout mono --preview 1 -o seq.png --log-level error
head -c 8192 /dev/zero >raw.yuv
vrseg raw.yuv --raw-format gray --raw-size 64x64 --fps 1 --layout mono --preview 1 -o raw.png --log-level error
rm -r seq raw.yuv
ls -A
