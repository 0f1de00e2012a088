#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: Dolby Vision with colours of its own (profile 5) is refused with what to do, not taken for YCbCr; of 8.1 the metadata are named as lost.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -hide_banner -encoders | grep -q libx265 || exit 77
ffmpeg -v error -f lavfi -i testsrc2=s=64x64:r=10:d=0.2 -vf format=yuv420p10 -c:v libx265 -preset ultrafast -x265-params log-level=none -tag:v hvc1 \
  plain.mp4
# The box with the sample aspect ratio (8 bytes of data) and the one behind it, which give their place to dvcC of 24: version 1.0, profile and level,
# what is present, compatibility.
at=$(LC_ALL=C grep -abo pasp plain.mp4 | head -n 1 | cut -d: -f1)
next=$(od -An -tu4 --endian=big -j $((at + 12)) -N 4 plain.mp4 | tr -d ' ')
room=$((16 + next - 8))
echo "room: $((room >= 24))"
make() {
  cp plain.mp4 "$1"
  {
    printf '\000\000\000'
    printf "\\$(printf %o $((room + 8)))"
    printf "dvcC\\001\\000$2"
    head -c $((room - 5)) /dev/zero
  } | dd of="$1" bs=1 seek=$((at - 4)) conv=notrunc 2>/dev/null
}
make five.mp4 '\012\015\000'
make eight.mp4 '\020\015\020'
for clip in five eight; do
  code=0
  vrseg $clip.mp4 -o out.mkv --backend null -m selfie_segmentation --preset ultrafast --layout mono --progress none >lines 2>&1 || code=$?
  grep Dolby lines || :
  echo "$clip: $code"
done
