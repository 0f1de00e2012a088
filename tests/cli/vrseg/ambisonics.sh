#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: SA3D, which says what channels of ambisonics are and which FFmpeg does not write, is in .mp4 and .mov as it was, in segments too,
# and the files are whole; elsewhere it is told that it is lost.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -f lavfi -i testsrc2=s=64x64:r=10:d=1 -f lavfi -i 'aevalsrc=sin(t*99)|sin(t*88)|sin(t*77)|sin(t*66):d=1:c=quad' -c:v libx264 \
  -preset ultrafast -c:a aac -map 0:v -map 1:a -map 1:a plain.mp4
# Into the description of the last track: its end, and the sizes of what is around it.
number() {
  od -An -tu4 --endian=big -j "$2" -N 4 "$1" | tr -d ' '
}
place_of() {
  LC_ALL=C grep -abo "$2" "$1" | tail -n 1 | cut -d: -f1
}
at=$(($(place_of plain.mp4 mp4a) - 4))
end=$((at + $(number plain.mp4 $at)))
head -c $end plain.mp4 >in.mp4
printf '\000\000\000\044SA3D\000\000\000\000\000\001\000\000\000\000\000\004\000\000\000\000\000\000\000\001\000\000\000\002\000\000\000\003' >>in.mp4
tail -c +$((end + 1)) plain.mp4 >>in.mp4
for name in moov trak mdia minf stbl stsd mp4a; do
  at=$(($(place_of in.mp4 $name) - 4))
  printf "$(printf '\\%03o\\%03o' $((($(number in.mp4 $at) + 36) / 256)) $((($(number in.mp4 $at) + 36) % 256)))" |
    dd of=in.mp4 bs=1 seek=$((at + 2)) conv=notrunc 2>/dev/null
done
look() {
  place=$(LC_ALL=C grep -abo SA3D "$1" | cut -d: -f1)
  if test -n "$place"; then od -An -tx1 -j $((place - 4)) -N 36 "$1"; fi
}
sound() {
  ffmpeg -v error -i "$1" -map "0:a:$2" -c copy -f streamhash -hash md5 -
}
echo "in.mp4:$(look in.mp4)"
for job in "mp4 none" "mp4 4" "mov none" "mkv none"; do
  set -- $job
  vrseg in.mp4 -o out.$1 --segment-frames $2 --backend null -m selfie_segmentation --no-refine --preset ultrafast --layout mono --overwrite \
    --progress none --log-level warning 2>&1 >/dev/null
  echo "$job:$(look out.$1)"
  for track in 0 1; do
    if test "$(sound in.mp4 $track)" = "$(sound out.$1 $track)"; then echo "sound $track is the same"; fi
  done
  ffmpeg -v error -i out.$1 -f null -
done
