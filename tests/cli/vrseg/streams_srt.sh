#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards SRT and RTP with ffmpeg at the other end: the last frames of an SRT stream arrive too, whichever latency the receiver asks for; a sender that
# goes away ends a job well, and a receiver that joins an RTP stream gets pictures from the next key frame on.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v quiet -protocols | grep -q '^ *srt$' || exit 77
port=$((20000 + $$ % 20000))
clip=$VRS_DATA/person_flat.mp4
count() {
  ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=nb_read_frames -of csv=p=0 "$1"
}
# Until a socket listens on the port (hexadecimal in /proc).
await() {
  hex=$(printf ':%04X ' "$port")
  for _ in $(seq 600); do
    grep -q "$hex" /proc/net/udp && return
    sleep 0.1
  done
}

for latency in '' '&rcvlatency=2000000'; do
  ffmpeg -v quiet -y -f mpegts -i "srt://127.0.0.1:$port?mode=listener$latency" -c copy got.mkv </dev/null &
  peer=$!
  await
  vrseg "$clip" -o "srt://127.0.0.1:$port" --live --preset ultrafast --log-level error --progress none >summary
  wait $peer || true
  shown=$(sed -n 's/^\([0-9]*\) frames\{0,1\} in.*/\1/p' summary)
  frames=$(count got.mkv)
  test "$frames" -eq "$shown" && echo "srt$latency: to the end" || echo "srt$latency: $frames of $shown frames"
  port=$((port + 1))
done

vrseg "srt://127.0.0.1:$port?mode=listener" --live -o in.mkv --progress none >/dev/null 2>messages &
receiver=$!
await
ffmpeg -v error -re -i "$clip" -c copy -bsf:v h264_mp4toannexb -f mpegts "srt://127.0.0.1:$port" </dev/null
code=0
wait $receiver || code=$?
echo "from srt: $code, $(grep -c 'left after frame' messages)"
test "$(count in.mkv)" -ge 2 || cat messages

# A receiver that is kept waiting by a busy machine may miss the key frames of a short film; not three times.
for attempt in 1 2 3; do
  port=$((port + 2))
  timeout -s INT 15 ffmpeg -v quiet -y -protocol_whitelist rtp,udp -i "rtp://127.0.0.1:$port" -c copy rtp.mkv </dev/null &
  peer=$!
  await
  vrseg synth:320x240,frames=300,fps=25 --live -o "rtp://127.0.0.1:$port" --preset ultrafast --log-level error --progress none >/dev/null
  wait $peer || true
  frames=$(count rtp.mkv 2>errors)
  test "${frames:-0}" -lt 10 || break
done
test "${frames:-0}" -ge 10 && echo "rtp: joined" || cat errors
