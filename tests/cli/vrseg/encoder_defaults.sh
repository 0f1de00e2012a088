#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: an encoder without preset and crf gets neither of the defaults, and is told so when they are asked for (2).
vrseg "$VRS_DATA/person_flat.mp4" -o out.mkv --encoder ffv1 --max-frames 1 --log-level error | sed 's/ in .* -> / -> /'
vrseg "$VRS_DATA/person_flat.mp4" -o out2.mkv --encoder ffv1 --crf 30 --max-frames 1 --log-level error 2>message || echo $?
grep -c crf message
