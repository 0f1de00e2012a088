#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: inputs that would have one output are told before the first of them starts, however they and their folders are spelled; where names depend
# on what inputs are, those that only look alike go on.  A picture's output is one picture, also where % stands in its name.
command -v ffmpeg >/dev/null || exit 77
mkdir -p in/sub shots
cp "$VRS_DATA/person_flat.mp4" in/a.mp4
ffmpeg -v error -i in/a.mp4 -frames:v 1 in/a.mkv -frames:v 1 in/a.avi -frames:v 1 shots/we0.png -vf scale=64:32 -frames:v 1 in/a_360.mp4
cp in/a.mp4 in/sub
ln -s in link
cp shots/we0.png shots/we1.png
try() {
  echo "-- $*"
  code=0
  vrseg "$@" --backend null --preset ultrafast --max-frames 1 --progress none --log-level error >table 2>message || code=$?
  sed 's/ [0-9]*\.[0-9][0-9]//g; s/  */ /g' table
  cat message
  echo "exit $code"
  [ ! -d out ] || find out -type f | sort
  rm -rf out in/*_green* in/*_alpha*
}
try in/a.mp4 in/a.avi --output-dir out
try in/a.mp4 in/a.mkv --output-dir out
try in/a.mp4 in/a.mp4
try in/a.mp4 ./in/sub/../a.mp4
try in/a.mkv link/a.mkv
try in --output-dir out
rm in/a.avi
try in --output-dir out --recursive
try in/a.mp4 in/sub/a.mp4
try in/a.mp4 in/a_360.mp4 --output-dir out --output-mode alpha --layout auto
try in/a.mkv in/a_360.mp4 --output-dir out --player deovr --layout mono
try 'shots/we%d.png' 'shots/we*.png' --output-dir out
cp shots/we0.png 'shots/we%d.png'
try 'shots/we%d.png' shots/we0.png --output-dir out
cp shots/we0.png shots/we_d.png
try 'shots/we%d.png' shots/we_d.png shots/we0.png --output-dir out
