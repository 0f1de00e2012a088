#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: an existing output is left alone without --overwrite (2) and replaced with it.
echo old >out.mkv
code=0
vrseg "$VRS_DATA/person_flat.mp4" -o out.mkv --encoder ffv1 --max-frames 2 || code=$?
echo "$code $(cat out.mkv)"
vrseg "$VRS_DATA/person_flat.mp4" -o out.mkv --encoder ffv1 --max-frames 2 --overwrite --log-level error >/dev/null
head -c 4 out.mkv | od -An -tx1
ls -A
