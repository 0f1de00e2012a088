#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: an input that is replaced at any moment after a job has first looked at it gives no output: while the file is completed, and before each
# look at it, of which one must not take the new file for the old one.
. "$VRS_TEST_DIR/cli/preload.sh"
preload replacing.so
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -i "$VRS_DATA/person_flat.mp4" -vf scale=160:120 -frames:v 8 -c:v libx264 -preset ultrafast -g 4 in.mp4
at() { # POINT OPTION...
  point=$1
  shift
  cp in.mp4 clip.mp4
  cp in.mp4 other.mp4
  code=0
  REPLACE_AT=$point REPLACE_FILE=clip.mp4 REPLACE_BY=other.mp4 LD_PRELOAD=$preload vrseg clip.mp4 -o out.mp4 --encoder libx264 \
    --preset ultrafast --progress none --log-level error "$@" >summary 2>message || code=$?
  result=kept
  [ $code = 0 ] || result=$(grep -c 'clip.mp4 was changed or replaced while it was in use' message)
  [ -f out.mp4 ] && result="$result with an output"
  rm -rf out.mp4 .out.mp4*
}
echo "-- while the file is completed"
at 'trailer 1' --segment-frames none
echo "in one go: $result"
at 'trailer 3' --segment-frames 4
echo "segments that are joined: $result"

# Those after the output has its name may go through; none before.
echo "-- at each look of segments"
seen=
n=24 # the looks before are those of the command line and of the plan
while n=$((n + 1)) && [ $n -lt 200 ]; do
  at "stat $n" --segment-frames 4
  [ -f other.mp4 ] && break # there is no such look
  case $result in
  1) seen=${seen}r ;;
  'kept with an output') seen=${seen}k ;;
  *) seen="$seen($n: $result)" ;;
  esac
done
echo "$seen" | sed 's/rr*/R/; s/k*$//'
