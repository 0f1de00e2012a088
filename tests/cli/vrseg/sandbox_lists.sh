#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: with --sandbox playlists, picture sequences and networks that are links give the bytes that they give without, while a decoder that was
# taken over reads nothing beside a playlist that it does not name.  What leads elsewhere (names in a playlist, links in a folder or sequence) or is
# hidden is refused by name, before the job begins where the command names it, and of a folder of videos alone.
. "$VRS_TEST_DIR/cli/preload.sh"
preload hostile_decoder.so
# LeakSanitizer starts a process that stops and reads this one, which the sandbox is there to refuse; other tests look for leaks.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
mkdir -p in/low/.hidden elsewhere/low out
cp "$VRS_DATA/person_flat.mp4" elsewhere/clip.mp4
for folder in in/low elsewhere; do
  ffmpeg -v error -i elsewhere/clip.mp4 -t 0.2 -c copy -muxdelay 0 $folder/a.ts
  cp $folder/a.ts $folder/b.ts
done
cp in/low/a.ts in/low/.hidden/a.ts
ln -s a.ts in/low/same.ts
ln -s ../../elsewhere/a.ts in/low/out.ts
hls() { # NAME SEGMENT...
  to=$1
  shift
  printf '#EXTM3U\n#EXT-X-TARGETDURATION:1\n' >"$to"
  printf '#EXTINF:1,\n%s\n' "$@" >>"$to"
  echo '#EXT-X-ENDLIST' >>"$to"
}
concat() { # NAME FILE...
  to=$1
  shift
  echo 'ffconcat version 1.0' >"$to"
  printf 'file %s\n' "$@" >>"$to"
}
job() { # INPUT OPTION...
  code=0
  vrseg "$@" --max-frames 9 --progress none >summary 2>messages || code=$?
  grep -h 'sandbox\|cannot' messages | sed "s|$(pwd -P)|HERE|g" || true
  [ $code -eq 0 ] || echo "exit code $code"
}
both() { # WHAT INPUT OPTION...
  echo "-- $1"
  shift
  rm -f out/*
  job "$@" -o hash:out/plain
  job "$@" -o hash:out/boxed --sandbox
  if [ -e out/boxed ]; then cmp out/plain out/boxed && echo "the same: $(cut -d ' ' -f 1-2 summary)"; fi
}

hls in/low/list.m3u8 a.ts b.ts
printf '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\nlow/list.m3u8\n' >in/master.m3u8
both "HLS" in/low/list.m3u8
both "a list of lists" in/master.m3u8
(cd in/low && echo "-- from its folder" && job list.m3u8 -o hash:../../out/here --sandbox && cmp ../../out/here ../../out/plain)
concat in/list.ffconcat low/a.ts low/same.ts
both "a concat script, with a link that stays" in/list.ffconcat
ln -s ../in/master.m3u8 elsewhere/link.m3u8
cp in/low/list.m3u8 elsewhere/low/list.m3u8
cp in/low/?.ts elsewhere/low
both "a link to a list" elsewhere/link.m3u8
both "as the background" elsewhere/clip.mp4 --background in/list.ffconcat

echo "-- a decoder that was taken over"
echo secret >in/low/secret
touch in/low/mode
HOSTILE_SECRET=in/low/secret HOSTILE_NEW=in/low/new HOSTILE_MODE=in/low/mode LD_PRELOAD=$preload \
  vrseg in/low/list.m3u8 --sandbox -o out/clip.mp4 --max-frames 3 --preset ultrafast --progress none >summary 2>messages || cat messages
grep ' a file:' messages

hls in/low/above.m3u8 a.ts ../../elsewhere/a.ts
both "a list that leads out" in/low/above.m3u8
hls in/low/absolute.m3u8 a.ts "$PWD/elsewhere/a.ts"
both "by a whole path" in/low/absolute.m3u8
hls in/low/linked.m3u8 a.ts out.ts
both "by a link" in/low/linked.m3u8
hls in/low/hides.m3u8 a.ts .hidden/a.ts
both "to a hidden file" in/low/hides.m3u8
printf '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\nlow/above.m3u8\n' >in/master.m3u8
both "by a list in it" in/master.m3u8
ls out

echo "-- pictures"
mkdir -p p1 p2 pictures
vrseg elsewhere/clip.mp4 -o 'pictures/%d.png' --max-frames 6 --progress none >summary 2>messages || cat messages
mv pictures/[0-3].png p1
mv pictures/[45].png p2
both "a sequence" 'p1/%d.png'
both "wildcards in its folder" 'p?/*.png'
ln -s 0.png p1/4.png
both "with a link that stays" 'p1/%d.png'
mv p1/3.png elsewhere
ln -s ../elsewhere/3.png p1/3.png
both "with one that leads out, by number" 'p1/%d.png'
both "by wildcard" 'p1/*.png'
both "as the background" elsewhere/clip.mp4 --background 'p1/*.png'
rm p1/3.png p1/4.png
cp -r p2 elsewhere
rm -r p2
ln -s elsewhere/p2 p2
both "a folder that is a link, where others match" '[p]?/*.png'
(cd p1 && ln -s ../elsewhere/p2 q2 && mkdir q1 && cp 1.png q1)
both "and is not named" 'p1/q?/*.png'
both "the link is named" 'p2/*.png'
both "a list that leads to a folder which the command names" in/low/above.m3u8 --background 'elsewhere/%d.png'

mkdir net link
cp "$VRS_SOURCE_DIR"/configs/models/example_matting.* net
ln -s ../net/example_matting.yaml link/net.yaml
cp net/example_matting.onnx link
both "a network that is a link" elsewhere/clip.mp4 -m link/net.yaml
ln -sf ../net/example_matting.onnx link/example_matting.onnx
both "a network whose manifest names a link" elsewhere/clip.mp4 -m link/net.yaml

echo "-- a folder of videos"
mkdir videos
cp elsewhere/clip.mp4 videos/b.mp4
cp elsewhere/clip.mp4 videos/d.ts
ln -s ../elsewhere/clip.mp4 videos/a.mp4
ln -s ../elsewhere videos/more
hls videos/c.ts ../elsewhere/a.ts
vrseg videos --recursive --output-dir out --sandbox --max-frames 3 --preset ultrafast --progress none >summary 2>messages || echo "exit code $?"
sed "s|$(pwd -P)|HERE|g" messages | grep error
awk '{ print $1, $5 }' summary
