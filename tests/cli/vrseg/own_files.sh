#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: whatever a command reads is not written, under whatever name, and no file is written twice (2): nothing is made, and nothing is lost.
# What is replaced keeps its mode.
ffmpeg -v error -i "$VRS_DATA/person_flat.mp4" -frames:v 4 -c:v ffv1 in.mkv
ffmpeg -v error -i in.mkv -start_number 0 'p%03d.png'
cp in.mkv truth.mkv
cp in.mkv clip_green.mkv
cp in.mkv clip.mkv
ffmpeg -v error -i in.mkv -frames:v 1 bg.png
ffmpeg -v error -i in.mkv -frames:v 1 -vf format=gray mask.png
echo 'pipeline: {max_frames: 2}' >my.yaml
echo network >net.tflite
printf 'name: own\nlicence: none\nsource: test\nfile: net.tflite\ninput: {size: [64, 64]}\noutput: {kind: probability}\n' >own.yaml
cp "$VRS_TEST_DIR/cli/vrseg/replaced_files.onnx" net.onnx # its weights are in w.bin
printf '\0\0\0\077\0\0\0\077\0\0\0\277' >w.bin
cp in.mkv seg.mkv
printf 'ffconcat version 1.0\nfile sub/../seg.mkv\nfile seg.mkv\n' >list.ffconcat
ffmpeg -v error -i in.mkv -c:v libx264 -preset ultrafast seg.ts
printf '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nseg.ts\n#EXT-X-ENDLIST\n' >list.m3u8
cp list.m3u8 file:list.m3u8 # a path like any other
mkdir clips
cp in.mkv clips/v.mkv
ln -s in.mkv link.mkv
ln bg.png hard.png
ln -s sub/late.mkv late
mkdir sub
cp in.mkv 'sub/v&w.mp4'
{ cat list.m3u8; yes '# no.ts' | head -n 600000; } >long.m3u8
{ printf '<?xml version="1.0"?>\n<!--'; yes 'a comment' | head -n 10000; echo '--><MPD><BaseURL>sub/v&amp;w.mp4</BaseURL></MPD>'; } >late.mpd
printf '<?xml version="1.0"?>\n<MPD><BaseURL>sub/</BaseURL><SegmentURL media="v&amp;w.mp4"/></MPD>\n' >list.mpd
cat *.* | cksum >before
ls -A >names

refused() {
  code=0
  vrseg "$@" --overwrite || code=$?
  [ $code = 2 ] || echo "exit $code: $*"
}
refused in.mkv -o in.mkv
refused in.mkv -o link.mkv
refused in.mkv -o sub/../in.mkv
refused in.mkv -o y4m:in.mkv
refused in.mkv -o null: --trace in.mkv
refused in.mkv -o null: --log-file link.mkv
refused p000.png --preview 0 -o p000.png
refused in.mkv -o out.mkv --background bg.png --trace hard.png
refused in.mkv -o bg.png --background bg.png --max-frames 1
refused in.mkv -o truth.mkv --truth truth.mkv
refused in.mkv -o mask.png --exclude mask.png --max-frames 1
refused in.mkv -o null: -c my.yaml --trace my.yaml
refused in.mkv -o null: --profile ./my.yaml --log-file my.yaml
refused in.mkv -o null: -m net.tflite --log-file net.tflite
refused in.mkv -o null: -m own.yaml --log-file net.tflite
refused in.mkv -o null: -m ./net.onnx --trace w.bin
refused in.mkv -o null: --early-exit --early-exit-model ./net.onnx --trace sub/../w.bin
refused 'p%03d.png' -o 'p%03d.png'
refused 'p*.png' -o p%d.png
refused p002.png -o 'p%03d.png' --max-frames 1
# what a playlist names
refused list.ffconcat -o seg.mkv
refused list.m3u8 -o sub/../seg.ts
refused in.mkv -o seg.mkv --background list.ffconcat
refused in.mkv -o null: --background file:list.m3u8 --log-file seg.ts
refused in.mkv -o 'sub/v&w.mp4' --background list.mpd
refused in.mkv -o 'sub/v&w.mp4' --background late.mpd
# what names more than can be checked, and writes over a file
refused long.m3u8 -o seg.mkv
refused long.m3u8 -o null: --log-file seg.ts
refused clip.mkv --background clip_green.mkv
refused --run-network net.tflite --tensor x=bg.png --output-dir sub --log-file bg.png
# what only the names in a folder say
refused clips --output-dir sub --log-file clips/v.mkv
refused clip.mkv --log-file clip_green.mkv
# one file for two outputs, there or not, under whatever name
refused in.mkv -o new.mkv --trace new.mkv
refused in.mkv -o new.mkv --trace sub/../new.mkv
refused in.mkv -o hash:new.txt --log-file ./new.txt
refused in.mkv -o clip.mkv --trace clip.mkv
refused in.mkv -o late --trace sub/late.mkv
refused in.mkv -o null: --trace t.json --log-file sub/../t.json
# standard input and output, which have no name
refused - -o in.mkv <in.mkv
refused - -o y4m:in.mkv <in.mkv
refused in.mkv -o y4m:- --log-file /dev/stdout | cmp - /dev/null
refused in.mkv -o y4m:- --metrics-file /dev/stdout | cmp - /dev/null
refused in.mkv -o hash:- --trace clip.mkv >>clip.mkv
cat *.* | cksum | cmp - before
ls -A | cmp - names
cmp in.mkv clips/v.mkv

# devices and other files are fine; what is replaced keeps its mode
vrseg - -o y4m:- --max-frames 1 --log-level error <in.mkv 2>/dev/null | head -c 9 && echo
vrseg - -o y4m:- --max-frames 1 --log-level error --log-file /dev/null </dev/null >/dev/null 2>/dev/null || echo "no input: exit $?"
vrseg in.mkv -o null: --log-file /dev/null --trace trace.json --log-level error --stats=false >/dev/null && echo "devices: done"
chmod 640 truth.mkv
vrseg in.mkv -o truth.mkv --encoder ffv1 --overwrite --log-level error >/dev/null
stat -c '%a %n' truth.mkv
