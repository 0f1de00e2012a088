#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards which sound goes into containers whose muxers say nothing of it, or too much: MPEG program streams and MXF were said not to hold what they
# do, and a second track in FLV, or a sample rate that it has no number for, ended the job.  What is copied decodes to the same samples.
command -v ffmpeg >/dev/null || exit 77
clip() { # CODEC RATE FILE OPTION...
  codec=$1 rate=$2 file=$3
  shift 3
  ffmpeg -v error -f lavfi -i testsrc=s=64x64:r=25:d=0.4 -f lavfi -i sine=r="$rate":d=0.4 -map 0:v -map 1:a -c:v libx264 -preset ultrafast -g 5 \
    -c:a "$codec" -strict -2 "$@" "$file"
}
samples() { # FILE: a hash of them, without those that an encoder has put before or behind
  ffmpeg -v error -i "$1" -map 0:a:0 -c:a pcm_s16le -f s16le - | tail -c +12001 | head -c 12000 | md5sum
}
job() { # IN OUT
  rm -f "$2"
  vrseg "$1" -o "$2" --backend null --preset ultrafast --progress none --log-level warning 2>&1 >/dev/null | grep 'left out' || :
  if ! test "$(ffprobe -v error -select_streams v -show_entries stream=codec_type -of csv=p=0 "$2" | head -n 1)"; then echo "$1 -> $2: no video"; fi
  if test "$(samples "$1")" = "$(samples "$2" 2>/dev/null)"; then echo "$1 -> $2: the same samples"; fi
}
for codec in mp2 ac3 dca pcm_s16be pcm_s24le; do clip $codec 48000 $codec.mkv; done
clip pcm_s16be 22050 low.mkv
clip pcm_s16le 44100 cd.mkv
clip pcm_s16le 48000 le.mkv
clip aac 44100 two.mkv -map 1:a
for codec in mp2 ac3 dca pcm_s16be; do
  job $codec.mkv out.mpg
  job $codec.mkv out.vob
done
job pcm_s24le.mkv out.vob
job low.mkv out.vob
for in in le pcm_s24le cd mp2; do job $in.mkv out.mxf; done
for in in two cd le pcm_s16be; do job $in.mkv out.flv; done
ffmpeg -v error -i le.mkv -c:v copy -c:a flac flac.mkv
job dca.mkv out.avi
job flac.mkv out.avi
job flac.mkv out.wmv
