#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards HDR films: kept with their tags where the encoder has 10 bits, with a green of SDR's brightness; SDR with BT.709's tags where it has 8 or
# where that is asked for, greys as BT.2390 maps them; said in one line; nothing to do for SDR films.
command -v ffmpeg >/dev/null || exit 77
# greys of code 64 + 876 * (0, 0.25, 0.4, 0.58, 0.75): 0, 5.1, 32, 203 and 983 nits of PQ
for code in 64 283 414 572 721; do
  ffmpeg -v error -f lavfi -i "color=gray:s=64x64:r=10:d=0.2,format=yuv420p10le,geq=lum=$code:cb=512:cr=512" -c:v ffv1 -color_range tv \
    -colorspace bt2020nc -color_trc smpte2084 -color_primaries bt2020 "$code.mkv" </dev/null
done
probe() {
  ffprobe -v error -select_streams v -show_entries stream=pix_fmt,color_space,color_transfer,color_primaries -of csv=p=0 "$1"
}
# first samples of Y, U and V
sample() {
  ffmpeg -v error -i "$1" -vf crop=2:2:8:8 -frames:v 1 -f rawvideo -pix_fmt "$2" - | od -An -v -t "$3" | tr -s ' '
}
say() {
  grep -o 'is HDR.*\|is not HDR.*' messages || echo nothing
}
vrseg 572.mkv -o kept.mkv --encoder ffv1 --no-follow --log-level info --progress none >/dev/null 2>messages
say
probe kept.mkv
echo "green:$(sample kept.mkv yuv420p10le u2)"
vrseg 572.mkv -o narrow.mkv --encoder mpeg4 --progress none >/dev/null 2>messages
say
probe narrow.mkv
vrseg 572.mkv -o pictures_%03d.jpg --progress none >/dev/null 2>messages
say
for code in 64 283 414 572 721; do
  vrseg $code.mkv -o sdr.mkv --overwrite --encoder ffv1 --output-mode cutout --tonemap bt2390 --progress none >/dev/null 2>messages
  echo "$code:$(sample sdr.mkv yuv420p u1)"
done
say
probe sdr.mkv
vrseg "$VRS_DATA/person_flat.mp4" -n 2 -o null: --tonemap bt2390 --progress none >/dev/null 2>messages
say
