#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards sound that the edit list of a file hides, as trimming without encoding makes it: a second of it, loud in its first half, lies before the
# first picture.  In outputs with an edit list and without one, nobody hears it, and it delays the pictures by no more than what a decoder needs to
# begin.
command -v ffmpeg >/dev/null || exit 77
make_clip() { # NAME OPTION...: of the codec of the sound
  name=$1
  shift
  ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=6 -f lavfi -i "aevalsrc=if(lt(t\,3.5)\,sin(2764*t)\,0):d=6:s=44100" -c:v libx264 \
    -preset ultrafast -g 300 "$@" "whole_$name"
  ffmpeg -v error -ss 4 -i "whole_$name" -c copy -avoid_negative_ts 0 "$name"
}
show() { # CLIP OUTPUT
  vrseg "$1" -o "$2" --backend null --preset ultrafast --segment-frames none --progress none --log-level warning >summary
  ffmpeg -i "$2" -map 0:a -af volumedetect -f null - 2>&1 | sed -nE 's/.*max_volume: (-?[0-9]+).*/\1/p' |
    awk -v name="$2" '{ print name ": " ($1 < -60 ? "silence" : "loud at " $1 " dB") }'
  ffprobe -v error -select_streams v -show_entries stream=start_time -of csv=p=0 "$2" | head -n 1 |
    awk -F , '{ print "  the pictures begin " ($1 > 0.05 ? "at " $1 " s" : $1 > 0 ? "with what a decoder needs" : "at once") }'
}
make_clip aac.mp4 -c:a aac
make_clip pcm.mov -c:a pcm_s16le
loudness=$(ffmpeg -ignore_editlist 1 -i aac.mp4 -map 0:a -af volumedetect -f null - 2>&1 | sed -nE 's/.*max_volume: (-?[0-9]+).*/\1/p')
[ "$loudness" -gt -10 ] || echo "the clip hides no sound"
for output in aac.mkv aac.ts aac_again.mp4; do show aac.mp4 $output; done
for output in pcm.mkv pcm_again.mov; do show pcm.mov $output; done
