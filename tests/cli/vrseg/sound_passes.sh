#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards the time of sound from Matroska and in it. Readers take from that of Opus what a decoder drops at first: it was 7 ms early, and 7 more each
# time. Packets of TrueHD are shorter than a millisecond, and came a millisecond apart: sound was ever later, by a fifth of the time.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -f lavfi -i testsrc=s=64x64:r=25:d=1 -f lavfi -i sine=r=48000:d=1 -c:v libx264 -preset ultrafast -g 5 -c:a libopus in.mp4
first() { # STREAM FILE
  ffprobe -v error -select_streams "$1" -show_entries packet=pts_time -of csv=p=0 "$2" | head -n 1
}
job() { # IN OUT OPTION...
  in=$1 out=$2
  shift 2
  vrseg "$in" -o "$out" "$@" --backend null --preset ultrafast --progress none --log-level warning >/dev/null
  echo "$in -> $out $*: sound begins at $(echo "$(first a "$out") $(first v "$out")" | awk '{ printf "%.1f", ($1 - $2) * 1000 }') ms of the video"
}
job in.mp4 one.mkv
job one.mkv two.mkv
job two.mkv three.mkv
job three.mkv three.mp4
job three.mkv start.mkv --start 0.4
job in.mp4 segments.mkv --segment-frames 10
job in.mp4 one.webm --encoder libvpx
job one.webm two.webm --encoder libvpx

# 1200 packets of 0.8 ms
ffmpeg -v error -f lavfi -i testsrc=s=64x64:r=25:d=1 -f lavfi -i sine=r=48000:d=1 -c:v libx264 -preset ultrafast -g 5 -c:a truehd \
  -strict -2 truehd.mkv
for out in mkv mp4; do
  vrseg truehd.mkv -o truehd_out.$out --backend null --preset ultrafast --progress none --log-level warning >/dev/null
  ffprobe -v error -select_streams a -show_entries packet=pts_time -of csv=p=0 truehd_out.$out |
    awk -v out=$out 'NR == 1 { first = $1 } { last = $1 } END { printf "TrueHD in %s: %d packets last %.1f s\n", out, NR, last - first }'
done
