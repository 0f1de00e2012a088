#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards what an output takes over: audio packets bit by bit, subtitles (as they are, or in the text form of the container), fonts, chapters, titles
# and HDR colour tags; what a container cannot hold is left out with a message, and the job goes on (FLAC in .mov broke it).
command -v ffmpeg >/dev/null || exit 77
printf '1\n00:00:00,100 --> 00:00:00,400\nHello there\n\n2\n00:00:00,600 --> 00:00:00,900\nSecond\n' >subtitles.srt
cat >film.txt <<EOF
;FFMETADATA1
title=A film
[CHAPTER]
TIMEBASE=1/1000
START=0
END=400
title=One
[CHAPTER]
TIMEBASE=1/1000
START=400
END=1000
title=Two
EOF
echo font >font.ttf
ffmpeg -v error -i "$VRS_DATA/person_vr180_sbs.mp4" -i subtitles.srt -i film.txt -map 0:v -map 0:a -map 0:a -map 1 -map_metadata 2 \
  -map_chapters 2 -t 1 -c:v copy -c:a:0 copy -c:a:1 flac -c:s srt -metadata:s:a:0 language=eng \
  -attach font.ttf -metadata:s:t mimetype=application/x-truetype-font in.mkv

packets() {
  ffmpeg -v error -i "$1" -map "0:a:$2" -c copy -f streamhash -hash md5 -
}
same_audio() {
  if test "$(packets in.mkv $2)" = "$(packets $1 $2)"; then echo "audio $2 is bit by bit the same"; fi
}
for out in out.mkv out.mp4 out.mov; do
  echo "== $out"
  vrseg in.mkv -o $out --preset ultrafast --progress none 2>&1 | grep -E 'becomes|left out' || :
  same_audio $out 0
  [ $out = out.mov ] || same_audio $out 1
  ffprobe -v error -show_entries stream=codec_name,codec_type:chapter_tags=title:format_tags=title -of compact $out |
    grep -E 'subtitle|attachment|title'
  ffmpeg -v error -i $out -map 0:s -f srt texts.srt && grep -E 'Hello|Second' texts.srt
  rm texts.srt
done

ffmpeg -v error -f lavfi -i testsrc2=s=160x80:d=0.2 -pix_fmt yuv420p10 -c:v ffv1 \
  -color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc hdr.mkv
for encoder in libx264 libx265 ffv1 mpeg4; do
  vrseg hdr.mkv -o hdr_$encoder.mkv --encoder $encoder --layout mono --tonemap off --progress none 2>&1 | grep bands || :
  tags=$(ffprobe -v error -show_entries stream=pix_fmt,color_space,color_transfer,color_primaries -of csv=p=0 hdr_$encoder.mkv)
  echo "HDR by $encoder: $tags"
done

# Containers whose muxers tell of one codec alone.
ffmpeg -v error -i in.mkv -map 0:v -map 0:a:0 -c copy aac.mkv
ffmpeg -v error -i in.mkv -map 0:v -map 0:a:0 -c:v copy -c:a libopus opus.mkv
for job in "aac ts" "opus ts" "opus ogg"; do
  vrseg "${job% *}.mkv" -o "sound.${job#* }" --progress none --overwrite 2>&1 | grep 'left out' || :
  packets=$(ffprobe -v error -select_streams a -count_packets -show_entries stream=codec_name,nb_read_packets -of csv=p=0 "sound.${job#* }")
  echo "$job: $(echo "$packets" | head -n 1)"
done
# More fonts than most films have.
set --
for i in $(seq 70); do
  set -- "$@" -attach font.ttf -metadata:s:t:$((i - 1)) mimetype=application/x-truetype-font
done
ffmpeg -v error -i aac.mkv -map 0:v -map 0:a -c copy -t 0.2 "$@" fonts.mkv
vrseg fonts.mkv -o kept.mkv --preset ultrafast --progress none 2>&1 | grep 'left out' || :
echo "fonts: $(ffprobe -v error -select_streams t -show_entries stream=index -of csv=p=0 kept.mkv | wc -l)"
