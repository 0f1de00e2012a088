#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a video of MPEG-TS that goes on in another stream (its encoder starts anew with another PID; so in a playlist) is truncated there (3), in a
# file, in a pipe and in HLS, and --keep-partial and --live keep what came.  Videos side by side, of which one begins later, or ends before the other,
# are whole (0), as is a video that begins anew with the same PID.
command -v ffmpeg >/dev/null || exit 77
make() { # NAME SECONDS [OPTION...]
  name=$1
  seconds=$2
  shift 2
  ffmpeg -v error -f lavfi -i testsrc=s=64x64:r=25:d=$seconds -f lavfi -i sine=d=$seconds -c:v libx264 -preset ultrafast -bf 0 -g 25 \
    -sc_threshold 0 -c:a aac "$@" $name
}
make a.ts 4
make b.ts 4 -mpegts_start_pid 300
cat a.ts b.ts >moved.ts
ffmpeg -v error -i a.ts -an -c copy quiet.ts
cat quiet.ts quiet.ts >twice.ts
cat a.ts b.ts a.ts >back.ts
for name in moved twice; do
  printf '#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4.0,\na.ts\n#EXT-X-DISCONTINUITY\n#EXTINF:4.0,\n%s.ts\n#EXT-X-ENDLIST\n' \
    "$(echo $name | sed 's/moved/b/; s/twice/quiet/')" >$name.m3u8
done
sed -i 's/a.ts/quiet.ts/' twice.m3u8
side() { # NAME FIRST SECOND: seconds at which the second video begins, and its length
  ffmpeg -v error -f lavfi -i testsrc=s=96x96:r=25:d=8 -itsoffset $2 -f lavfi -i testsrc=s=64x64:r=25:d=$3 -map 0 -map 1 -c:v libx264 \
    -preset ultrafast -bf 0 -g 25 -program st=0 -program st=1 $1
}
side later.ts 3 5
side sooner.ts 0 4
ffmpeg -v error -f lavfi -i testsrc=s=96x96:r=25:d=4 -f lavfi -i testsrc=s=64x64:r=25:d=8 -map 0 -map 1 -c:v libx264 -preset ultrafast -bf 0 \
  -g 25 ends.ts
job='--backend null --preset ultrafast --progress none --log-level error --overwrite'
try() { # INPUT [OPTION...]: the exit code, the message, and whether there is an output
  code=0
  rm -f out.mp4
  vrseg "$@" -o out.mp4 $job >/dev/null 2>message || code=$?
  printf '%s: %s' "$*" $code
  [ ! -e out.mp4 ] || printf ' output'
  echo
  sed 's/after frame [0-9]*/after some frames/; s/; the .* frames before/; the frames before/' message
}
for name in a.ts moved.ts moved.m3u8 back.ts twice.ts twice.m3u8 later.ts sooner.ts ends.ts; do
  try $name
done
try moved.ts --keep-partial
cat moved.ts | try - --live
