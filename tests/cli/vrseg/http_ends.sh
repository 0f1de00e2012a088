#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: an input by HTTP whose connection ends before the stated length, or before the last chunk, is truncated (3, no output), also as MPEG-TS,
# which itself tells nothing; --live keeps what came.  Whole ones are a success (0), also where the server answers a seek with a length, by which the
# chunks that came before are not the last ones, and where a long index of an AVI file is passed by a seek behind its end, for which nothing is asked.
# Where a server cannot seek, what lies before --start is read and dropped (of a short file a seek would have read the rest).  A gzip text of two
# members, of which FFmpeg 5.1 reads the first and then nothing for ever, is an error.
command -v ffmpeg >/dev/null || exit 77
command -v python3 >/dev/null || exit 77
ffmpeg -v error -f lavfi -i testsrc=s=256x256:r=25:d=4 -vf noise=alls=60:allf=t -c:v libx264 -crf 10 \
  -preset ultrafast -bf 0 -g 25 -sc_threshold 0 a.ts
ffmpeg -v error -i a.ts -c copy a.mkv
ffmpeg -v error -f lavfi -i testsrc2=s=160x120:r=25:d=4 -c:v libx264 -preset ultrafast -bf 2 -g 25 small.mkv
ffmpeg -v error -f lavfi -i testsrc=s=64x64:r=1:d=75 -f lavfi -i sine=r=48000:d=75,asetnsamples=n=8 -c:v libx264 -preset ultrafast -c:a pcm_s16le \
  a.avi
printf '#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4.0,\na.ts\n#EXT-X-ENDLIST\n' >a.m3u8
cat >server.py <<'PY'
import gzip, http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def log_message(self, *args):
        pass
    def do_GET(self):  # /HOW/SHARE/NAME
        _, how, share, name = self.path.split('/')
        data = open(name, 'rb').read()
        part = data if name.endswith('m3u8') else data[:len(data) * int(share) // 100]
        if how == 'gzip':
            data = part = gzip.compress(data[:len(data) // 2]) + gzip.compress(data[len(data) // 2:])
        begin = int(self.headers.get('Range', 'bytes=0-')[6:].split('-')[0])
        with_length = how in ('length', 'gzip') or (how == 'seeks' and begin > 0)
        is_range = how == 'ranges' or (how == 'seeks' and begin > 0)
        self.send_response(206 if is_range else 200)
        if how == 'gzip':
            self.send_header('Content-Encoding', 'gzip')
        if how == 'seeks':
            self.send_header('Accept-Ranges', 'bytes')
        if how != 'ranges':
            self.send_header('Connection', 'close')
        if is_range:
            self.send_header('Content-Range', 'bytes %d-%d/%d' % (begin, len(data) - 1, len(data)))
            data, part = data[begin:], part[begin:]
        if with_length:
            self.send_header('Content-Length', str(len(data)))
        else:
            self.send_header('Transfer-Encoding', 'chunked')
        self.end_headers()
        if with_length:
            open('ranges', 'a').write('%d\n' % begin)
            self.wfile.write(part)
        else:
            for i in range(0, len(part), 4096):
                piece = part[i:i + 4096]
                self.wfile.write(b'%x\r\n' % len(piece) + piece + b'\r\n')
            if how == 'ranges' or len(part) == len(data):
                self.wfile.write(b'0\r\n\r\n')
        self.close_connection = True
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
open('port.tmp', 'w').write(str(server.server_port))
import os
os.rename('port.tmp', 'port')
server.serve_forever()
PY
python3 server.py 2>/dev/null &
server=$!
trap 'kill $server' EXIT
for _ in $(seq 100); do
  [ ! -e port ] || break
  sleep 0.1
done
try() { # PATH [OPTION...]: the exit code, whether there is an output, and whether the message says why
  path=$1
  shift
  code=0
  rm -f out.mp4
  vrseg "http://127.0.0.1:$(cat port)/$path" -o out.mp4 "$@" --backend null --preset ultrafast --progress none --log-level error >/dev/null \
    2>message || code=$?
  printf '%s:' "$path${1:+ $*}" && printf ' %s' $code
  [ ! -e out.mp4 ] || printf ' output'
  ! grep -q 'truncated\|Input/output error\|timed out' message || printf ' told'
  echo
}
for how in length chunks; do
  for name in a.ts a.mkv; do
    try $how/100/$name
    try $how/60/$name
  done
  try $how/60/a.ts --live
done
try length/100/a.m3u8
try length/60/a.m3u8
try chunks/100/a.m3u8
rm ranges
try seeks/100/a.mkv
try seeks/60/a.mkv
try seeks/100/a.mkv --start 3
try seeks/60/a.ts --start 1
for how in chunks length; do
  try $how/100/small.mkv --start 3
  ffprobe -v error -select_streams v -count_packets -show_entries stream=nb_read_packets -of csv=p=0 out.mp4
done
try ranges/100/a.avi
grep -c '[1-9]' ranges | sed 's/^[1-9].*/sought/'
try gzip/100/a.ts
