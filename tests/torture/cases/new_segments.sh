#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A video where there was none, in segments.  Without --overwrite: what a killed run has made and not yet cleaned up behind is recognised, the trace
# it has left is written over, and a run that was killed when all of this was done has nothing left to do.
prepare() { clip clip.mp4 6; }
run() {
  if [ -e out.mp4 ] && [ -z "$(find . -name '.out*')" ]; then exit 0; fi
  exec vrseg clip.mp4 -o out.mp4 --segment-frames 3 --backend null --trace trace.json $quiet
}
loose="$loose trace.json"
