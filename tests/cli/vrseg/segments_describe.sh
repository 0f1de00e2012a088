#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: what a video in segments says of its pictures is what one go says, whatever the segments' own container can tell: codec, tag, pixel format,
# colours, range and aspect ratio; and its pictures decode to the same ones.
command -v ffprobe >/dev/null || exit 77
ffmpeg -v error -i "$VRS_DATA/person_flat.mp4" -vf scale=96:64,setsar=4/3,format=yuv420p -frames:v 20 -c:v libx264 -preset ultrafast -an \
  -color_range pc -color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc clip.mp4
fields=codec_name,profile,codec_tag_string,pix_fmt,width,height,sample_aspect_ratio,color_range,color_space,color_transfer,color_primaries
fields=$fields,chroma_location,field_order,has_b_frames,avg_frame_rate,r_frame_rate,extradata_size
describe() { # FILE
  ffprobe -v error -select_streams v -show_entries stream=$fields "$1"
  ffmpeg -v error -i "$1" -map 0:v -fps_mode passthrough -f framemd5 - | grep -v '^#'
}
compare() { # NAME OPTION...
  name=$1
  shift
  for segment in none 8; do
    rm -f "$name"
    vrseg clip.mp4 -o "$name" --backend null --segment-frames $segment --overwrite --progress none --log-level error "$@" >summary || echo "exit $?"
    describe "$name" >"$segment.txt"
  done
  cmp none.txt 8.txt && echo "$name $*: $(sed -n 's/^codec_tag_string=//p' 8.txt), $(grep -c '^0,' 8.txt) frames"
}
for encoder in libx264 libx265; do compare o.mp4 --preset ultrafast --encoder $encoder; done
for encoder in libx264 mpeg2video mpeg4 ffv1 utvideo rawvideo prores_ks; do compare o.mkv --encoder $encoder; done
compare o.mp4 --encoder mpeg2video
compare o.wmv --preset ultrafast
for encoder in mjpeg rawvideo; do compare o.mov --encoder $encoder; done
compare o.mkv --output-mode cutout
compare o.mov --output-mode cutout
compare o.mov --output-mode cutout --encoder qtrle
