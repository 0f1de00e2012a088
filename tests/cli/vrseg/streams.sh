#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards outputs and inputs that are addresses, with ffmpeg at the other end: every frame arrives over tcp, a datagram stream decodes without an
# error, no B-frames wait in the encoder, a stream goes on when datagrams found no room, what a server gives at once is played in real time, vrseg
# connects to a sender over rtmp, a peer that is not there is told in one sentence.
command -v ffmpeg >/dev/null && command -v python3 >/dev/null || exit 77
port=$((20000 + $$ % 20000))
clip=$VRS_DATA/person_flat.mp4
count() {
  ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=nb_read_frames,has_b_frames -of csv=p=0 "$1"
}
# Until a socket listens on the port (hexadecimal in /proc).
await() {
  hex=$(printf ':%04X ' "$port")
  for _ in $(seq 600); do
    grep -q "$hex" /proc/net/tcp /proc/net/udp && return
    sleep 0.1
  done
}

ffmpeg -v error -f mpegts -i "tcp://127.0.0.1:$port?listen=1" -c copy got.mkv </dev/null &
peer=$!
await
vrseg "$clip" -o "tcp://127.0.0.1:$port" --preset ultrafast -n 30 --log-level error --progress none >/dev/null
wait $peer
echo "tcp: $(count got.mkv)"

port=$((port + 1))
ffmpeg -v error -timeout 20000000 -f mpegts -i "udp://127.0.0.1:$port" -c copy -t 1 -y datagrams.mkv </dev/null 2>errors &
peer=$!
await
vrseg "$clip" --live -o "udp://127.0.0.1:$port" --preset ultrafast --log-level error --progress none >/dev/null
wait $peer || true
frames=$(count datagrams.mkv | cut -d , -f 2)
test "$frames" -ge 20 && echo "udp: a second of it" || cat errors

port=$((port + 1))
vrseg "tcp://127.0.0.1:$port?listen=1" --live -o null: --log-level error --progress none >summary &
receiver=$!
await
ffmpeg -v error -re -i "$clip" -c copy -bsf:v h264_mp4toannexb -f mpegts "tcp://127.0.0.1:$port" </dev/null
wait $receiver
came=$(sed -n 's/^live: \([0-9]*\) frames came, .*/\1/p' summary)
echo "from tcp: $came frames came"

# a server that knows the length gives all at once
port=$((port + 1))
ffmpeg -v error -i "$clip" -c copy -bsf:v h264_mp4toannexb -f mpegts clip.ts
python3 -m http.server --bind 127.0.0.1 "$port" >/dev/null 2>&1 &
peer=$!
await
vrseg "http://127.0.0.1:$port/clip.ts" --live -o null: --log-level error --progress none >summary
kill $peer
wait $peer || true
sed -nE 's/^live: ([0-9]*) frames came, .*, ([0-9]*)[.0-9]* frames.s shown/\1 \2/p' summary |
  awk '{ print "from http: " $1 " frames came, " ($2 < 45 ? "in real time" : "at " $2 " frames/s") }'

# more datagrams than wait for a reader that is slow to begin
port=$((port + 1))
code=0
(await; exec ffmpeg -v error -re -stream_loop 60 -i "$clip" -c copy -f mpegts "udp://127.0.0.1:$port?pkt_size=1316" </dev/null) &
peer=$!
vrseg "udp://127.0.0.1:$port?fifo_size=40" --live -n 20 -o null: --log-level error --progress none >/dev/null 2>message || code=$?
kill $peer
wait $peer || true
echo "from udp: $code $(sed "s/$port/PORT/; s/;.*//" message)"

# ffmpeg waits for who connects, and leaves without a farewell
port=$((port + 1))
timeout 60 ffmpeg -v error -re -i "$clip" -an -c copy -f flv -listen 1 "rtmp://127.0.0.1:$port/live/key" </dev/null &
peer=$!
await
code=0
vrseg "rtmp://127.0.0.1:$port/live/key" --live -o null: --log-level error --progress none >/dev/null 2>message || code=$?
wait $peer || true
echo "$code: $(sed "s/$port/PORT/; s/;.*//" message)"

port=$((port + 1))
code=0
vrseg "$clip" -o "tcp://127.0.0.1:$port" --log-level error 2>message || code=$?
echo "$code: $(sed "s/$port/PORT/g" message)"
code=0
vrseg "rtmp://127.0.0.1:1/live" --live -o null: --log-level error --progress none >message 2>&1 || code=$?
echo "$code: $(cut -d : -f 1-4 message)"
for target in /dev/video977 rtmp://127.0.0.1:1/live; do
  code=0
  vrseg "$clip" -o "$target" --log-level error 2>message || code=$?
  echo "$code: $(cat message)"
done
vrseg /dev/video977 -o null: 2>&1 || echo "$?"
vrseg "$clip" -o "udp://127.0.0.1:1" --encoder ffv1 --log-level error 2>&1 || echo "$?"
