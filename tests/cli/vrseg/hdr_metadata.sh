#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: mastering display and light levels of an HDR video that stand only in its coded pictures (SEI messages) are in the container of the output,
# made in one go and in segments; an output that becomes SDR has none.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -hide_banner -encoders | grep -q libx265 || exit 77
display='G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)'
ffmpeg -v error -f lavfi -i testsrc2=s=128x128:r=25:d=0.4 -vf format=yuv420p10le -c:v libx265 -preset ultrafast -color_primaries bt2020 \
  -color_trc smpte2084 -colorspace bt2020nc -x265-params "log-level=none:hdr10=1:master-display=$display:max-cll=987,321" clip.mkv
look() {
  ffprobe -v error -select_streams v -show_entries stream=color_transfer:stream_side_data_list "$1" |
    grep -E 'transfer|red_x|max_luminance|max_content|max_average' | tr '\n' ' ' || true
}
echo "input: $(look clip.mkv)"
for out in kept.mkv kept.mp4; do
  for segments in none 4; do
    vrseg clip.mkv -o $out --encoder libx265 --preset ultrafast --layout mono --segment-frames $segments --overwrite --progress none \
      --log-level error >/dev/null
    echo "$out, $segments: $(look $out)"
  done
done
vrseg clip.mkv -o mapped.mkv --encoder libx264 --preset ultrafast --tonemap bt2390 --layout mono --progress none --log-level error >/dev/null
echo "mapped: $(look mapped.mkv)"
