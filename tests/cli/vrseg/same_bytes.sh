#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the same command writes the same bytes again, in every container: Matroska and WebM files with tags, sound, chapters and fonts, whose
# identifiers FFmpeg draws at random; in one go, in segments, and into a pipe.  Another picture or another sound gives other identifiers.  What vrseg
# says of its work (--log-level) is not in the file, where x265 writes its own parameters; nor is what lay in memory that an encoder has not written
# (MALLOC_PERTURB_ of glibc fills what is allocated).
command -v ffmpeg >/dev/null || exit 77
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
printf ';FFMETADATA1\ntitle=A film\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=400\ntitle=One\n' >film.txt
echo font >font.ttf
ffmpeg -v error -f lavfi -i testsrc2=s=160x96:d=1 -f lavfi -i sine=d=1 -f lavfi -i sine=d=1:f=900 -i film.txt -map 0 -map 1 -map_metadata 3 \
  -c:v libx264 -c:a libopus -attach font.ttf -metadata:s:t mimetype=application/x-truetype-font in.mkv
ffmpeg -v error -i in.mkv -f lavfi -i sine=d=1:f=900 -map 0:v -map 1 -map 0:t -map_metadata 0 -c:v copy -c:a libopus -c:t copy sound.mkv
job() { # INPUT OUTPUT OPTION...
  input=$1 output=$2
  shift 2
  vrseg "$input" -o "$output" --backend null --layout mono --progress none "$@" >summary 2>messages || cat messages
}
twice() { # EXTENSION OPTION...
  extension=$1
  shift
  job in.mkv "one.$extension" "$@"
  job in.mkv "two.$extension" "$@"
  cmp "one.$extension" "two.$extension" && echo "$extension $*: the same bytes"
  ffprobe -v error -show_entries stream=codec_type:chapter_tags=title:format_tags=title -of compact=p=0 "one.$extension" | sort | tr '\n' ' '
  echo
  mkdir "kept_$extension"
  mv one.* two.* "kept_$extension"
}
for extension in mkv mp4 mov avi ts; do twice $extension --preset ultrafast; done
twice webm --encoder libvpx-vp9 --max-frames 5
rm -r kept_mkv
twice mkv --preset ultrafast --segment-frames 10
twice mxf --encoder mpeg2video --no-audio
for extension in ogv ogg; do twice $extension --max-frames 5; done

for level in info debug; do
  vrseg in.mkv -o $level.mp4 --backend null --encoder libx265 --preset ultrafast --max-frames 5 --log-level $level >summary 2>messages || cat messages
done
cmp info.mp4 debug.mp4 && echo "more messages: the same bytes"

ffmpeg -v error -i "$VRS_DATA/person_flat.mp4" -vf scale=322:182,noise=alls=20:allf=t -frames:v 15 -an -c:v ffv1 odd.mkv
for encoder in libx264 libx265; do
  for byte in 0 85 170; do
    MALLOC_PERTURB_=$byte
    export MALLOC_PERTURB_
    job odd.mkv $encoder-$byte.mp4 --encoder $encoder --preset veryfast --backend cpu -m selfie_segmentation
    unset MALLOC_PERTURB_
  done
  cmp $encoder-0.mp4 $encoder-85.mp4 && cmp $encoder-0.mp4 $encoder-170.mp4 && echo "$encoder, other memory: the same bytes"
done

mkfifo pipe.mkv
for name in one two; do
  cat pipe.mkv >$name.mkv &
  job in.mkv pipe.mkv
  wait
done
cmp one.mkv two.mkv && echo "a pipe: the same bytes"

# TrackUID of the first track: 73C5 and eight bytes
uid() { od -An -tx1 -v -w1000000 "$1" | tr -d ' \n' | grep -o '73c588................' | head -n 1; }
job in.mkv plain.mkv
job in.mkv blue.mkv --color 0000ff
job sound.mkv sound_cut.mkv
test "$(for f in plain blue sound_cut; do uid $f.mkv; done | sort -u | wc -l)" = 3 && echo "other content, other identifiers"
ffmpeg -v error -err_detect crccheck+explode -i plain.mkv -f null - && echo "the check sums are right"
