#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: when the video goes to standard output, nothing else does: header, and frames of a fixed size.
vrseg "$VRS_DATA/person_flat.mp4" -o y4m:- --max-frames 3 --stats >video.y4m
head -n 1 video.y4m | cut -d ' ' -f 1-3
frame=$((640 * 480 * 3 / 2 + 6))
header=$(head -n 1 video.y4m | wc -c)
test "$(wc -c <video.y4m)" -eq $((header + 3 * frame)) && echo "three frames and nothing else"
