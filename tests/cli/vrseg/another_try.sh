#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards another try after a lack of memory: what --trace names stays what it is, a link or a pipe, and the trace is whole; a video for a pipe is not
# begun twice.
. "$VRS_TEST_DIR/cli/preload.sh"
preload failing_encoder.so
codec='--encoder ffv1'
try() { # OPTION...
  code=0
  LD_PRELOAD=$preload vrseg "$VRS_DATA/person_flat.mp4" --max-frames 3 $codec --progress none "$@" 2>messages >video || code=$?
  echo "exit $code, tried again: $(grep -c 'trying again' messages)" >said
}
whole() { # FILE
  [ "$(head -n 1 "$1")" = '[' ] && [ "$(tail -n 1 "$1")" = ']' ] && echo "$1 is whole"
}
echo "-- a new trace"
try -o new.mkv --trace new.json
cat said
whole new.json
echo "-- a link"
echo old >real.json
ln -s real.json link.json
try -o link.mkv --overwrite --trace link.json
cat said
readlink link.json
whole real.json
echo "-- a pipe"
mkfifo pipe
exec 9<>pipe
try -o pipe.mkv --overwrite --trace pipe
cat said
exec 9>&-
[ -p pipe ] && echo "pipe is a pipe"
echo "-- a video on a pipe"
codec=
try -o y4m:-
cat said
grep -a -c YUV4MPEG2 video
tail -n 1 messages
