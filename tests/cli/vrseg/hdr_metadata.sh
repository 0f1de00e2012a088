#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: mastering display and light levels of an HDR video that stand only in its coded pictures (SEI messages) are in the container of the output,
# made in one go and in segments, and in the pictures where the container holds none, or it is told that they are lost; an output that becomes SDR has
# none.
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

in_pictures() {
  ffprobe -v error -read_intervals '%+#1' -select_streams v -show_frames "$1" |
    grep -E '^(red_x|min_luminance|max_luminance|max_content|max_average)=' |
    tr '\n' ' ' || true
}
for job in "libx265 ts none" "libx265 ts 4" "libx265 hevc none" "libsvtav1 ivf none" "ffv1 nut none" "ffv1 mkv none"; do
  set -- $job
  ffmpeg -hide_banner -encoders | grep -q "$1" || continue
  vrseg clip.mkv -o light.$2 --encoder $1 --tonemap off --layout mono --segment-frames $3 --overwrite --progress none --backend null \
    -m selfie_segmentation --log-level warning 2>&1 >/dev/null || true
  echo "$job: $(in_pictures light.$2)"
done
# a decoder of H.264 may pass over them
vrseg clip.mkv -o light.ts --encoder libx264 --preset ultrafast --tonemap off --layout mono --overwrite --progress none --log-level warning >/dev/null
ffmpeg -i light.ts -c copy -frames:v 1 -bsf:v trace_headers -f null - 2>&1 |
  sed -nE 's/.* (display_prim.*\[0\]|max_display_m.*|max_content_l.*) .*( = .*)/\1\2/p'
vrseg clip.mkv -o mapped.ts --encoder libx264 --tonemap bt2390 --layout mono --progress none --log-level warning >/dev/null
echo "mapped: $(in_pictures mapped.ts)"
