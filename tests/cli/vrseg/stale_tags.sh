#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: statistics of the old streams do not come into the output, also where their names have a language behind them (mkvmerge of old); a title in
# a language stays.  Timed metadata are named when they are left out; chapters and the time code, which are tracks of QuickTime, are not.
command -v ffmpeg >/dev/null || exit 77
printf ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=400\ntitle=One\n' >chapters.txt
ffmpeg -v error -f lavfi -i testsrc2=s=64x64:r=10:d=0.2 -f lavfi -i sine=d=0.2 -c:v libx264 -preset ultrafast -c:a aac -metadata:s BPS-eng=1 \
  -metadata:s NUMBER_OF_FRAMES-eng=99 -metadata:s NUMBER_OF_BYTES-eng=1 -metadata:s _STATISTICS_TAGS-eng=BPS -metadata:s DURATION-eng=1 \
  -metadata:s BPS=1 -metadata:s title-eng=Kept in.mkv
ffmpeg -v error -i in.mkv -i chapters.txt -map 0 -map_metadata 1 -c copy -timecode 01:00:00:05 in.mov
# a track of data: the time code's under another name
LC_ALL=C sed 's/tmcd/gpmd/g' in.mov >data.mov
try() {
  vrseg "$1" -o "$2" --backend null -m selfie_segmentation --no-refine --preset ultrafast --layout mono -t 1 --progress none 2>&1 |
    grep 'left out' || :
}
try in.mkv out.mkv
ffprobe -v error -show_entries stream_tags -of default=nk=0:nw=1 out.mkv | grep -iE 'BPS|NUMBER|STATISTICS|DURATION-|title'
try in.mov out.mov
ffprobe -v error -show_entries stream_tags=timecode:chapter_tags=title -of default=nk=0:nw=1 out.mov
try data.mov data_out.mov
