#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: inputs that fall silent, and whose demuxer has no limit to that, end with exit code 3: an address of RTP that nobody sends to, a live
# playlist (no end mark) that no longer grows, as a file and by HTTP, which FFmpeg would read again for hours.  --live keeps what came, and counts it.
# A wish to stop ends the wait, and what was made is saved; a playlist that grows at last goes on, as a file, too, whose old segments go meanwhile.
command -v ffmpeg >/dev/null || exit 77
command -v python3 >/dev/null || exit 77
port=$((20000 + $$ % 20000))
ffmpeg -v error -f lavfi -i testsrc=s=64x64:r=25:d=8 -c:v libx264 -preset ultrafast -bf 0 -g 25 -sc_threshold 0 src.ts
ffmpeg -v error -i src.ts -c copy -f segment -segment_time 2 -segment_list list.m3u8 -segment_list_type m3u8 part%d.ts
grep -v ENDLIST list.m3u8 >silent.m3u8
sed 's/^#EXT-X-TARGETDURATION.*/#EXT-X-TARGETDURATION:100000/' silent.m3u8 >slow.m3u8
sed '/part3/d' silent.m3u8 | sed '$d' >grows.m3u8
mkdir slides
cp part*.ts grows.m3u8 slides
cp grows.m3u8 live.m3u8
cp grows.m3u8 taken.m3u8
python3 -m http.server --bind 127.0.0.1 "$port" >/dev/null 2>&1 &
server=$!
trap 'kill $server' EXIT
hex=$(printf ':%04X ' "$port")
for _ in $(seq 100); do
  ! grep -q "$hex" /proc/net/tcp || break
  sleep 0.1
done
job='--backend null --preset ultrafast --progress none --log-level error --overwrite'
frames() { # those of a playlist begin with its third segment from the end; live ones are dropped, and the decoder may hold some
  count=$(ffprobe -v error -select_streams v -count_packets -show_entries stream=nb_read_packets -of csv=p=0 "$1")
  case $1 in
    grows.* | slides.*) echo "$count" ;;
    *) [ "$count" -gt 0 ] && echo some ;;
  esac
}
try() { # NAME INPUT [OPTION...]: the exit code, the message, and whether there are frames in the output
  name=$1
  shift
  code=0
  timeout 120 vrseg "$@" -o $name.mkv $job >$name.report 2>$name.message || code=$?
  {
    printf '%s: %s ' "$name" $code
    sed "s/:$port/:PORT/; s/:$((port + 1))/:RTP/; s/; the .* frames before/; the frames before/; s/after frame [0-9]*/after some frames/" \
      $name.message
    sed -n 's/^\([a-z]*:\) [0-9]* frames came, [0-9]* dropped.*/\1 frames that came, and those that were dropped/p' $name.report
    [ ! -e $name.mkv ] || frames $name.mkv
  } >$name.result
}
try rtp "rtp://127.0.0.1:$((port + 1))" &
jobs=$!
try file silent.m3u8 &
jobs="$jobs $!"
try kept silent.m3u8 --keep-partial &
jobs="$jobs $!"
try slow slow.m3u8 &
jobs="$jobs $!"
try http "http://127.0.0.1:$port/silent.m3u8" --live &
jobs="$jobs $!"
try grows "http://127.0.0.1:$port/grows.m3u8" &
jobs="$jobs $!"
try slides slides/grows.m3u8 &
jobs="$jobs $!"
try live live.m3u8 --live &
jobs="$jobs $!"
vrseg silent.m3u8 -o stopped.mkv $job >/dev/null 2>&1 &
stopped=$!
vrseg taken.m3u8 --live -o taken.mkv $job >/dev/null 2>&1 &
taken=$!
become() { # FILE, the list at once, as those do who write one
  cat >grows.tmp && mv grows.tmp "$1"
}
stop() { # NAME PROCESS
  kill "$2"
  code=0
  wait "$2" || code=$?
  echo "$1: $code $(frames "$1.mkv")"
}
sleep 8
become grows.m3u8 <list.m3u8
become live.m3u8 <list.m3u8
become taken.m3u8 <silent.m3u8
sed 's/^#EXT-X-MEDIA-SEQUENCE.*/#EXT-X-MEDIA-SEQUENCE:2/; /^#EXTINF/{N;/part[01]/d}' list.m3u8 | become slides/grows.m3u8
rm slides/part[01].ts
stop stopped $stopped
sleep 4
stop taken $taken
wait $jobs
cat rtp.result file.result kept.result slow.result http.result grows.result slides.result live.result
