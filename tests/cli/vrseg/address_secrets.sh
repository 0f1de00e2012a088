#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the password and the token of an address stand in no message, log, trace, metrics file, report or output of a job that uses them, nor where
# such a job fails.
command -v ffmpeg >/dev/null || exit 77
port=$((20000 + $$ % 20000))
clip=$VRS_DATA/person_flat.mp4
hex=$(printf ':%04X ' "$port")

vrseg "tcp://bob:S3cret@127.0.0.1:$port?listen=1&token=S3cret" --live -o got.mkv --trace trace.json --log-file log --log-level debug \
  --metrics-file metrics.prom --profile-job --preset ultrafast --progress none >report 2>messages &
receiver=$!
for _ in $(seq 600); do
  grep -q "$hex" /proc/net/tcp && break
  sleep 0.1
done
ffmpeg -v error -i "$clip" -c copy -bsf:v h264_mp4toannexb -f mpegts "tcp://127.0.0.1:$port" </dev/null
code=0
wait $receiver || code=$?
echo "$code"
grep -o 'process_name.*' trace.json | sed "s/$port/PORT/"
sed -n "s/^\(.*\): .* frames.s, .*/\1/p" messages | sed "s/$port/PORT/" | head -n 1

for target in rtmp://bob:S3cret@127.0.0.1:1/live/S3cret tcp://S3cret@127.0.0.1:1 "udp://127.0.0.1:1?signature=S3cret"; do
  code=0
  vrseg "$clip" -o "$target" --encoder ffv1 --log-file log --progress none >>report 2>message || code=$?
  cat message >>messages
  echo "$code: $(tail -n 1 message)"
done
code=0
vrseg "https://bob:S3cret@127.0.0.1:1/a.ts?api_key=S3cret" -o null: --log-file log --progress none >>report 2>message || code=$?
cat message >>messages
echo "$code: $(tail -n 1 message)"
grep -l S3cret report messages log trace.json metrics.prom got.mkv || echo 'no secret'
