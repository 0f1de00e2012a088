#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a colon in the names of pictures, or of their folder, is no protocol of FFmpeg, as input and as background.
command -v ffmpeg >/dev/null || exit 77
mkdir plain 'a:b'
for i in 1 2 3; do ffmpeg -v error -f lavfi -i "testsrc2=s=64x64:d=1" -vf "select=eq(n\,$i)" -frames:v 1 plain/$i.png; done
for i in 1 2 3; do cp plain/$i.png "a:b/c:$i.png"; done
hash() {
  to=$1
  shift
  vrseg "$@" -o "hash:$to" --progress none --log-level warning >/dev/null || echo "failed: $*"
}
hash whole 'plain/*.png'
for pattern in 'a:b/*.png' 'a:b/c:%d.png' "$PWD/a:b/*.png" './a:b/c:?.png'; do
  hash out "$pattern"
  cmp whole out && rm out
done
cd a:b
hash out '*.png'
cmp ../whole out && rm out
hash with c:1.png --background c:2.png
hash same ../plain/1.png --background ../plain/2.png
cmp with same && echo "all are read"
