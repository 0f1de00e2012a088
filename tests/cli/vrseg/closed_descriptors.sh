#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: whichever of standard input, output and error are closed, the video is that of an undisturbed run.  With standard input and error closed it
# used to get descriptor 2, and log lines stood inside it.
command -v ffmpeg >/dev/null || exit 77
. "$VRS_TEST_DIR/cli/closed.sh"
frames() {
  ffmpeg -nostdin -v error -i "$1" -map 0:v -f framemd5 - 2>&1
}
for type in mp4 mkv; do
  for closed in none 0 1 2 01 02 12 012; do
    code=0
    without $closed vrseg "$VRS_DATA/person_flat.mp4" -o $closed.$type --max-frames 3 || code=$?
    frames $closed.$type >$closed.frames
    cmp -s none.frames $closed.frames || echo "the frames of $closed.$type are others"
    ! grep -aq 'vrseg: ' $closed.$type || echo "$closed.$type holds messages"
    echo "$type without $closed: exit $code, $(grep -vc '^#' $closed.frames) frames"
  done
done
