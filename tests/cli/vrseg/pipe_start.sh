#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: --start in a pipe gives the pictures, the sound and the subtitles that the file gives, whose demuxer seeks: no demuxer reads ahead for a
# place in what comes once.  Also from a named pipe, with --duration, --every-nth, --live and --truth, between and behind the frames.  Raw video
# without time stamps is refused (3), and not taken from its beginning.
command -v ffmpeg >/dev/null || exit 77
job='-m selfie_segmentation --backend null --encoder ffv1 --progress none --log-level error --overwrite'
printf '1\n00:00:01,400 --> 00:00:01,800\nOne\n\n2\n00:00:02,500 --> 00:00:02,900\nTwo\n' >text.srt
ffmpeg -v error -f lavfi -i testsrc2=s=64x64:r=25:d=3 -f lavfi -i sine=d=3 -i text.srt -map 0 -map 1 -map 2 -c:v libx264 -preset ultrafast \
  -bf 2 -g 25 -c:a aac -c:s srt a.mkv
write() { # [OPTION...] NAME
  ffmpeg -v error -i a.mkv -map 0:v -map 0:a? "$@"
}
write -c copy -bsf:v h264_mp4toannexb a.avi
write -c copy a.flv
write -c copy a.ts
write -c copy a.nut
write -c copy -movflags +faststart a.mp4
write -c:v libvpx -deadline realtime -g 25 -c:a libvorbis a.webm
write -c:v libtheora -g 25 -c:a libvorbis a.ogv
write -bf 2 -c:v mpeg2video -c:a mp2 a.mpg
write -an -pix_fmt yuv420p a.y4m
write -an -f rawvideo -pix_fmt yuv420p a.yuv
write -an -c copy a.h264
same() { # NAME [OPTION...]: packets of the video, of sound and of subtitles, and whether a pipe gives those of the file
  name=$1
  shift
  code=0
  vrseg $name -o file.mkv $job "$@" >/dev/null
  cat $name | vrseg - -o pipe.mkv $job "$@" >/dev/null || code=$?
  for from in file pipe; do
    ffmpeg -v error -i $from.mkv -map 0 -c copy -f framemd5 - | grep -v '^#' >$from.md5 || true
  done
  printf '%s %s: %s,' $name "$*" $code
  cut -d, -f1 pipe.md5 | sort | uniq -c | awk '{ printf " %s", $1 }'
  cmp -s file.md5 pipe.md5 && echo ' same' || echo ' other'
}
for name in a.mkv a.avi a.flv a.ts a.nut a.mp4 a.webm a.ogv a.mpg a.y4m; do
  same $name --start 1.3
done
same a.mkv --start 0.2
same a.mkv --start 2.6
same a.mpg --start 2.6
same a.mkv --start 1.3 --duration 0.9
same a.flv --start 1.3 --every-nth 2
same a.yuv --start 1.3 --raw-format yuv420p --raw-size 64x64 --fps 25
echo '-- a named pipe'
mkfifo fifo
cat a.mkv >fifo &
vrseg fifo -o null: $job --start 1.3 | sed 's/ in .*//'
wait
cat a.mkv >fifo &
vrseg a.mkv -o null: $job --start 1.3 --truth fifo | awk '$2 == "frame" { print $1, $3 }'
wait
cat a.mkv | vrseg - -o live.mkv $job --start 1.3 --live >/dev/null
ffprobe -v error -select_streams a -count_packets -show_entries stream=nb_read_packets -of csv=p=0 live.mkv
echo '-- no start'
for name in a.h264 a.mkv; do
  code=0
  cat $name | vrseg - -o none.mkv $job --start 3.5 || code=$?
  echo "exit $code"
done 2>&1
ls none.mkv 2>/dev/null || true
