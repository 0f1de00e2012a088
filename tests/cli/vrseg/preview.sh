#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the contact sheet is a PNG of two rows (eyes) and three columns; times beyond the end and wrong names are refused (2).
clip=$VRS_DATA/person_vr180_sbs.mp4
vrseg "$clip" --preview 0:01 -o sheet.png --log-level error
head -c 24 sheet.png | od -An -tx1
code=0
vrseg "$clip" --preview 1:00 -o late.png --log-level error 2>message || code=$?
echo "$code $(sed 's/.*person/person/' message)"
code=0
vrseg "$clip" --preview soon -o late.png || code=$?
echo $code
code=0
vrseg "$clip" --preview 1 -o sheet.jpg || code=$?
echo $code
ls -A
