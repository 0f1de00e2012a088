#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards the time of sound in containers where a reader counts samples: sound that begins late, pauses or ends early was up to a second early in
# AVI, MXF and MOV, and MXF lost the pictures behind its end.  Silence is put in, of each format, also with --start and in segments.  Packets of
# compressed sound in AVI are within half of one of their time.
command -v ffmpeg >/dev/null || exit 77
clip() { # FORMAT FILE [WHEN RATE]: sound where WHEN is true of t, beside two seconds of pictures
  ffmpeg -v error -f lavfi -i testsrc=s=64x64:r="${4:-25}":d=2 -f lavfi -i sine=f=1000:r=48000:d=2 \
    -af "volume=4,asetnsamples=480,aselect='${3:-between(t,0.3,0.7)+between(t,1.2,1.595)}'" -c:v libx264 -preset ultrafast -g 5 -c:a "$1" -y "$2"
}
sound() { # FILE: frames of the video, and when there is sound, in seconds since the first picture
  echo "$1: $(ffprobe -v error -select_streams v -count_packets -show_entries stream=nb_read_packets -of csv=p=0 "$1") frames, sound" \
    $(ffmpeg -copyts -i "$1" -map 0:a -af silencedetect=n=-30dB:d=0.05 -f null - 2>&1 |
      sed -n 's/.*silence_start: \([-0-9.]*\).*/ends \1/p; s/.*silence_end: \([-0-9.]*\).*/begins \1/p' | awk '{ printf "%s %.2f ", $1, $2 }')
}
job() { # IN OUT OPTION...
  in=$1 out=$2
  shift 2
  vrseg "$in" -o "$out" "$@" --backend null --preset ultrafast --progress none --log-level warning >/dev/null
  sound "$out"
}
clip pcm_s16le gaps.mkv
clip pcm_s16le ntsc.mkv "between(t,0.3,0.7)" 30000/1001
clip pcm_u8 gaps8.mkv
clip pcm_mulaw mulaw.mkv
clip pcm_alaw alaw.mkv
clip pcm_s16be be.mkv
for out in avi mxf mov; do job gaps.mkv gaps.$out; done
job ntsc.mkv ntsc.mxf
job gaps8.mkv gaps8.avi
job gaps8.mkv gaps8.mov
job be.mkv be.mov
job mulaw.mkv mulaw.avi
job alaw.mkv alaw.mov
for out in avi mxf mov; do job gaps.mkv start.$out --start 0.4 --duration 1; done
for out in avi mov; do job gaps.mkv segments.$out --segment-frames 10; done

echo "== compressed"
for codec in aac mp2 ac3; do
  clip $codec $codec.mkv
  ffmpeg -v error -itsoffset 0.5 -i $codec.mkv -i $codec.mkv -map 0:a -map 1:v -c copy later_$codec.mkv
  job later_$codec.mkv $codec.avi
done
ffmpeg -v error -i later_aac.mkv -c copy adts.ts
job adts.ts adts.avi
job later_ac3.mkv start_ac3.avi --start 0.4

echo "== the pictures begin late"
ffmpeg -v error -itsoffset 0.6 -i gaps.mkv -i gaps.mkv -map 0:v -map 1:a -c copy late.mkv
for out in avi mxf mov; do job late.mkv late.$out 2>&1; done

echo "== no sound in the part"
job gaps.mkv none.mxf --start 1.7

echo "== samples are those of the input"
clip pcm_s16le whole.mkv 1
md5() { ffmpeg -v error -i "$1" -map 0:a -f md5 -c:a pcm_s16le -; }
for out in mkv avi mxf mov; do
  vrseg whole.mkv -o whole_out.$out --backend null --preset ultrafast --progress none --log-level warning >/dev/null
  test "$(md5 whole.mkv)" = "$(md5 whole_out.$out)" && echo "$out: all"
done
