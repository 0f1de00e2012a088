#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: whole inputs that look as if something were missing are taken with all their frames (0): playlists of MPEG-TS whose counters begin anew with
# each file, as the input and as a background.  One of them that breaks off is taken, too, as MPEG-TS is by itself: docs/vrseg.md says so.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -f lavfi -i testsrc=s=64x64:r=25:d=6 -c:v libx264 -preset ultrafast -bf 2 -g 25 src.ts
ffmpeg -v error -i src.ts -c copy -f segment -segment_time 2 -segment_list list.m3u8 -segment_list_type m3u8 part%d.ts
sed 's/part2/cut2/' list.m3u8 >cut.m3u8
head -c $(($(stat -c %s part2.ts) * 2 / 3 / 188 * 188)) part2.ts >cut2.ts
{
  printf '#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:6\n'
  printf '#EXTINF:6.0,\nsrc.ts\n#EXT-X-DISCONTINUITY\n#EXTINF:6.0,\nsrc.ts\n#EXT-X-ENDLIST\n'
} >twice.m3u8
printf 'ffconcat version 1.0\nfile part0.ts\nfile part1.ts\nfile part2.ts\n' >list.ffconcat
sed 's/part2/cut2/' list.ffconcat >cut.ffconcat
job='--backend null --preset ultrafast --progress none --log-level error --overwrite'
frames() { # INPUT [OPTION...]: the exit code and the frames of the output
  code=0
  rm -f out.mp4
  vrseg "$@" -o out.mp4 $job >/dev/null 2>message || code=$?
  [ $code = 0 ] || cat message
  [ ! -e out.mp4 ] || printf '%s: %s, %s\n' "$*" $code "$(ffprobe -v error -count_packets -show_entries stream=nb_read_packets -of csv=p=0 out.mp4)"
}
for name in src.ts list.m3u8 twice.m3u8 list.ffconcat; do
  frames $name
done
frames src.ts --background list.m3u8
for name in cut2.ts cut.m3u8 cut.ffconcat; do
  frames $name | sed 's/, .*/, some/'
done
