#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a disk that is full (a small file system of our own).  In one go nothing is left of the output; in segments those that fitted stay and the
# same command goes on when there is room; what cannot fit by the bit rate is refused before any work, and by the size of the first segment after it.
# Pictures that were there stay until all new ones are.
command -v ffmpeg >/dev/null || exit 77
unshare -rm true 2>/dev/null || exit 77
cp "$VRS_DATA/person_flat.mp4" clip.mp4
vrseg clip.mp4 -o whole.mp4 --lossless --preset ultrafast --segment-frames 10 --progress none --log-level error >summary
cat >inside.sh <<'SH'
set -eu
mkdir disk
mount -t tmpfs -o size=4m tmpfs disk || exit 77
run() { # [OPTION...]: exit code, and how it was said
  code=0
  vrseg clip.mp4 --progress none --log-level error "$@" >summary 2>message || code=$?
  echo "exit $code $(grep -o 'No space left\|will need about\|MB more' message | tr '\n' ' ')"
}
segments() { ls disk/.out.mp4.vrseg 2>/dev/null | grep -c '^segment' || true; }
lossless="--lossless --preset ultrafast --segment-frames 10"
echo "-- in one go"
run -o disk/out.nut --encoder rawvideo --segment-frames none
ls -A disk
echo "-- in segments: all of them fit, but not the video beside them"
run -o disk/out.mp4 $lossless
segments
mount -o remount,size=64m disk
run -o disk/out.mp4 $lossless
cmp disk/out.mp4 whole.mp4
rm disk/out.mp4
ls -A disk
echo "-- too large by its first segment"
mount -o remount,size=3m disk
run -o disk/out.mp4 $lossless
segments
mount -o remount,size=64m disk
run -o disk/out.mp4 $lossless --processes
cmp disk/out.mp4 whole.mp4
rm disk/out.mp4
mount -o remount,size=4m disk
echo "-- too large by its bit rate"
run -o disk/out.mp4 --bitrate 400M
run -o disk/out.mp4 --bitrate 400M --segment-frames 10
ln -s disk/out.mp4 link.mp4 # the disk behind it counts
run -o link.mp4 --bitrate 400M
rm link.mp4
ls -A disk
rm -rf disk/* disk/.o*
echo "-- full already"
mount -o remount,size=64k disk
echo old >disk/out.mp4
cat /dev/zero >disk/fill 2>/dev/null || true
run -o disk/out.mp4 --overwrite
run -o disk/out.mp4 --overwrite --segment-frames 10
ls -A disk
cat disk/out.mp4
rm disk/*
echo "-- pictures over old ones"
mount -o remount,size=64m disk
vrseg clip.mp4 -o 'disk/p_%02d.png' --max-frames 6 --color ff0000 --log-level error >summary
cksum disk/* >before
mount -o remount,size=$(($(du -sk disk | cut -f1) + 40))k disk
run -o 'disk/p_%02d.png' --max-frames 6 --overwrite
ls -A disk | wc -l
cksum disk/* | cmp before -
mount -o remount,size=64m disk
run -o 'disk/p_%02d.png' --max-frames 6 --overwrite
cksum disk/* | cmp -s before - || echo "they are new"
ls -A disk | wc -l
SH
code=0
unshare -rm sh inside.sh 2>errors || code=$?
cat errors
rm -rf clip.mp4 whole.mp4 inside.sh errors message summary before
exit $code
