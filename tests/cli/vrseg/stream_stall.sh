#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a server that takes nothing any more fails an RTMP output after the 10 s that streams may be silent. Closing the connection, which FFmpeg
# wants to do with words that the server does not take either, adds little: it took 20 s more.
command -v ffmpeg >/dev/null || exit 77
port=$((20000 + $$ % 20000))
hex=$(printf ':%04X ' "$port")
ffmpeg -v error -f rawvideo -pix_fmt yuv420p -s 640x480 -r 25 -i /dev/urandom -frames:v 10 -c:v ffv1 noise.mkv </dev/null
ffmpeg -v quiet -listen 1 -i "rtmp://127.0.0.1:$port/live/key" -c copy -flush_packets 1 got.flv </dev/null &
peer=$!
for _ in $(seq 600); do
  grep -q "$hex" /proc/net/tcp && break
  sleep 0.1
done
vrseg synth:640x480,frames=100000 --background noise.mkv -o "rtmp://127.0.0.1:$port/live/key" --lossless --preset ultrafast --log-level error \
  --progress none 2>message &
pid=$!
until test -s got.flv || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
kill -STOP $peer
(sleep 26 && kill -KILL $pid && echo 'late:') 2>/dev/null &
dog=$!
code=0
wait $pid || code=$?
kill $dog 2>/dev/null || true
kill -KILL $peer
echo "$code: $(sed "s/$port/PORT/" message)"
