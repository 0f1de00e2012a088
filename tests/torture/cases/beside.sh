#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A MOV file, and files beside it: spans of time and messages.
prepare() { clip clip.mov 6; }
run() { exec vrseg clip.mov -o out.mov --overwrite --segment-frames none --backend null --trace trace.json --log-file log.txt $quiet; }
loose="$loose trace.json log.txt"
