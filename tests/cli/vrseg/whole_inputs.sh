#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: whole inputs that look as if something were missing are taken with all their frames (0): playlists of MPEG-TS whose counters begin anew
# with each file, as the input and as a background; AVI whose length counts its head or an odd byte too many, and AVI that counts 25 frames which
# were dropped after its last one, also in a pipe.  A playlist of which one file breaks off is taken, too, as MPEG-TS and MPEG-PS are by themselves,
# wherever they end: docs/vrseg.md says so.  AVI whose second half is zeros, and its index with it, is still truncated (3).
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
  [ -e out.mp4 ] || return 0
  printf '%s: %s, %s\n' "$*" $code "$(ffprobe -v error -select_streams v -count_packets -show_entries stream=nb_read_packets -of csv=p=0 out.mp4)"
}
for name in src.ts list.m3u8 twice.m3u8 list.ffconcat; do
  frames $name
done
frames src.ts --background list.m3u8
ffmpeg -v error -i src.ts -c:v mpeg2video -b:v 400k -f vob src.vob
size=$(stat -c %s src.vob)
for share in 33 55 91; do
  head -c $((size * share / 100)) src.vob >cut$share.vob
done
for name in cut33.vob cut55.vob cut91.vob cut2.ts cut.m3u8 cut.ffconcat; do
  frames $name | sed 's/, .*/, some/'
done
number() { # FILE OFFSET VALUE: 32 bits of it
  # shellcheck disable=SC2059
  printf "$(printf '\\%03o\\%03o\\%03o\\%03o' $(($3 % 256)) $(($3 / 256 % 256)) $(($3 / 65536 % 256)) $(($3 / 16777216)))" |
    dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
ffmpeg -v error -f lavfi -i testsrc=s=64x64:r=25:d=4 -f lavfi -i sine=d=4 -c:v mpeg4 -c:a mp3 plain.avi
size=$(stat -c %s plain.avi)
for more in 1 8; do
  cp plain.avi plus$more.avi
  number plus$more.avi 4 $((size - 8 + more))
done
cp plain.avi dropped.avi
number dropped.avi $(($(grep -abo vids plain.avi | head -n 1 | cut -d : -f 1) + 32)) 125
{
  head -c $((size / 2)) dropped.avi
  head -c $((size - size / 2)) /dev/zero
} >zeros.avi
for name in plain plus1 plus8 dropped zeros; do
  frames $name.avi
  cat $name.avi | frames -
done
