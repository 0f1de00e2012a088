#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards the time of sound in containers where a reader counts samples: sound that begins late, pauses or ends early was up to a second early in
# AVI, MXF and MOV, and MXF lost the pictures behind its end.  Silence is put in, of each format, also with --start and in segments.  Packets of
# compressed sound in AVI are within half of one of their time.  Where the first picture is not at 0, AVI had empty ones behind it, and sound came up
# to two seconds early against its picture.
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

echo "== and pictures stay with their sound"
flash() { # FORMAT FILE WHEN: a flash and a beep at 1.6 s, beside pictures and sound where WHEN is true of t
  ffmpeg -v error -f lavfi -i color=black:s=64x64:r=25:d=3 -f lavfi -i sine=f=1000:r=48000:d=3 -c:v libx264 -preset ultrafast -g 5 \
    -vf "drawbox=t=fill:c=white:enable='between(t,1.59,1.79)',select='gte(t,$3)'" -fps_mode passthrough \
    -af "volume=4,volume=0:enable='not(between(t,1.6,1.8))',asetnsamples=480,aselect='${4:-1}'" -c:a "$1" -y "$2"
}
together() { # IN OUT OPTION...: frames of the output, and the time of the flash, and of the beep after it
  in=$1 out=$2
  shift 2
  vrseg "$in" -o "$out" "$@" --backend null --background blur --preset ultrafast --progress none --log-level warning 2>&1 >/dev/null |
    sed 's/ are left out: they lie.*/ are left out/; s/, and silence of that kind.*//'
  seen=$(ffmpeg -copyts -i "$out" -map 0:v -vf blackdetect=d=0.01:pix_th=0.3 -f null - 2>&1 | sed -n 's/.*black_end:\([-0-9.]*\).*/\1/p' | head -n 1)
  heard=$(ffmpeg -copyts -i "$out" -map 0:a -af silencedetect=n=-30dB:d=0.05 -f null - 2>&1 |
    sed -n 's/.*silence_end: \([-0-9.]*\).*/\1/p' | head -n 1)
  awk -v seen="$seen" -v heard="$heard" -v out="$out" -v count="$(ffprobe -v error -select_streams v -count_packets \
    -show_entries stream=nb_read_packets -of csv=p=0 "$out")" \
    'BEGIN { off = heard - seen; beep = off > -0.03 && off < 0.08 ? "with it" : off " later"
      printf "%s: %d packets, flash %.2f, beep %s\n", out, count, seen, beep }'
}
flash pcm_s16le flash.mkv 0.744
flash pcm_s16le both.mkv 0.744 'gte(t,0.5)'
flash pcm_s16le after.mkv 0.744 'gte(t,1.2)'
flash aac flash_aac.mkv 0.744
flash wmav2 flash_wma.mkv 0.744
for out in avi mxf mov; do together flash.mkv flash.$out; done
for out in avi mxf mov; do together flash.mkv flash_start.$out --start 1.015; done
for out in avi mov; do together flash.mkv flash_segments.$out --segment-frames 10; done
together flash.mkv flash_start_segments.avi --start 1.015 --segment-frames 10
for out in avi mxf; do together both.mkv both.$out; done
for out in avi mxf; do together after.mkv after.$out; done
for codec in aac wma; do
  together flash_$codec.mkv flash_$codec.avi
  together flash_$codec.mkv start_$codec.avi --start 1.015
done
ffmpeg -v error -i flash_aac.mkv -c copy flash.ts
together flash.ts flash_ts.avi

echo "== gaps without silence"
for codec in wmav2 adpcm_ms; do
  clip $codec $codec.mkv
  vrseg $codec.mkv -o gap_$codec.avi --backend null --preset ultrafast --progress none --log-level warning 2>&1 >/dev/null
  clip $codec whole_$codec.mkv 1
  vrseg whole_$codec.mkv -o whole_$codec.avi --backend null --preset ultrafast --progress none --log-level warning 2>&1 >/dev/null
done

echo "== no sound in the part"
job gaps.mkv none.mxf --start 1.7

echo "== samples are those of the input"
clip pcm_s16le whole.mkv 1
md5() { ffmpeg -v error -i "$1" -map 0:a -f md5 -c:a pcm_s16le -; }
for out in mkv avi mxf mov; do
  vrseg whole.mkv -o whole_out.$out --backend null --preset ultrafast --progress none --log-level warning >/dev/null
  test "$(md5 whole.mkv)" = "$(md5 whole_out.$out)" && echo "$out: all"
done
