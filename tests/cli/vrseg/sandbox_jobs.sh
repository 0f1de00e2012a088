#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: every kind of job does the same with --sandbox as without, and writes the same bytes: containers, sound, encoders with threads of their own,
# pictures, pipes, segments that go on after a kill, caches, calibration, networks by file, folders, previews, traces and names that it makes
# up itself.
# LeakSanitizer starts a process that stops and reads this one, which the sandbox is there to refuse; other tests look for leaks.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
cp "$VRS_DATA/person_flat.mp4" clip.mp4
cp "$VRS_DATA/person_vr180_sbs.mp4" vr180.mp4
run() { # FOLDER OPTION...
  mkdir -p "$1"
  rm -rf "$XDG_CACHE_HOME/vrseg"
  folder=$1
  shift
  (cd "$folder" && vrseg "$@" --progress none --overwrite >"../$folder.summary" 2>"../$folder.messages") || {
    echo "$folder: exit code $?"
    cat "$folder.messages"
  }
}
both() { # WHAT OPTION...
  what=$1
  shift
  rm -rf plain boxed
  run plain "$@"
  run boxed "$@" --sandbox
  diff -r plain boxed >differences && [ "$(ls -A plain)" ] && echo "$what: the same" || cat differences
}
both "mp4 with sound" ../clip.mp4 -o out.mp4 --max-frames 20
both "libx265" ../clip.mp4 -o out.mkv --encoder libx265 --preset ultrafast --max-frames 5
both "libsvtav1" ../clip.mp4 -o out.mkv --encoder libsvtav1 --max-frames 5
grep 'Svt\[warn\]' boxed.messages | uniq -c # as root it asks for priority
both "WebM" ../clip.mp4 -o out.webm --preset ultrafast --max-frames 5
mkdir behind
ln -s behind/out.mkv link.mkv
for option in --overwrite --sandbox; do # first it is not there yet
  vrseg clip.mp4 -o link.mkv --overwrite --max-frames 3 --preset ultrafast --progress none $option >summary 2>messages || cat messages
  cksum <behind/out.mkv
done | uniq | wc -l | sed 's/^1$/a link to another folder: the same/'
mkdir linked named
cp clip.mp4 linked/real.mp4
ln -s ../linked/real.mp4 named/clip.mp4
for option in --overwrite --sandbox; do
  vrseg named/clip.mp4 --overwrite --max-frames 3 --preset ultrafast --progress none $option >summary 2>messages || cat messages
  cksum <named/clip_green.mp4
done | uniq | wc -l | sed 's/^1$/beside an input that is a link: the same/'
ls -A linked
both "pictures" ../clip.mp4 -o 'p_%03d.png' --max-frames 3 --background blur
both "a folder of pictures" ../clip.mp4 -o png:made --max-frames 3
mv plain/made pictures
both "a picture sequence" '../pictures/%06d.png' -o out.mp4 --preset ultrafast
both "segments" ../clip.mp4 -o out.mp4 --segment-frames 15 --preset ultrafast --max-frames 40
both "sums, other threads" ../clip.mp4 -o hash:sums.txt --threads 2 --streams 2 --batch-size 2 --max-frames 10
both "packed and verified" ../vr180.mp4 -o out.mp4 --output-mode alpha --verify-pack --preset ultrafast --max-frames 5
both "a preview" ../clip.mp4 --preview 0.5 -o sheet.png
mv plain/sheet.png .
both "truth and background" ../clip.mp4 -o hash:sums.txt --truth "$VRS_DATA/person_flat_alpha.mkv" --background ../sheet.png --max-frames 5
both "int8" ../clip.mp4 -o hash:sums.txt --precision int8 --max-frames 5
both "a cache, filled" ../clip.mp4 -o hash:sums.txt --cache --cache-dir ../cache --max-frames 10
both "a cache, used" ../clip.mp4 -o hash:sums.txt --cache --cache-dir ../cache --color 0000ff --max-frames 10
grep -c 'come from the cache' boxed.messages
both "a network by file" ../clip.mp4 -o hash:sums.txt -m "$VRS_SOURCE_DIR/configs/models/selfie_segmentation_landscape.yaml" --max-frames 5
both "people without a file" synth:320x160,sbs,hequirect,frames=5 -o out.mkv --preset ultrafast

mkdir videos
mv boxed/out.mkv piped.mkv
cp clip.mp4 videos/one.mp4
cp clip.mp4 videos/two.mp4
for name in plain boxed; do
  option=$([ $name = plain ] || echo --sandbox)
  rm -rf $name
  rm -rf "$XDG_CACHE_HOME/vrseg" # --precision auto would take the calibration that the first round leaves
  vrseg videos --output-dir $name --max-frames 3 --preset ultrafast --progress none $option >summary 2>messages || cat messages
  vrseg clip.mp4 --max-frames 3 --preset ultrafast --progress none --overwrite $option >summary 2>messages || cat messages
  mv clip_green.mp4 $name
  cat piped.mkv | vrseg - --max-frames 3 -o y4m:- --progress none $option >$name/piped.y4m 2>messages || cat messages
  vrseg - --start 0.5 --max-frames 3 -o y4m:- --progress none $option <clip.mp4 >$name/standard.y4m 2>messages || cat messages
  vrseg clip.mp4 -o null: --max-frames 3 --trace $name.json --stats --progress none $option >$name.stats 2>messages || cat messages
  test -s $name.json && grep -c '^decode' $name.stats
  vrseg --calibrate clip.mp4 --progress none $option >$name/calibrated 2>messages || cat messages
done
diff -r plain boxed && ls plain && echo "a folder, a name made up, a pipe, a calibration: the same"

# Who held the output is known to be gone, as it is without the sandbox: the next run does not wait until its lease is old.
killed="clip.mp4 -o killed.mp4 --segment-frames 5 --preset ultrafast --progress none"
vrseg $killed --overwrite >summary 2>messages
mv killed.mp4 whole.mp4
vrseg $killed --sandbox >summary 2>messages &
pid=$!
until [ "$(ls .killed.mp4.vrseg 2>/dev/null | grep -c '^segment')" -ge 2 ] || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
kill -KILL $pid
wait $pid 2>/dev/null || true
vrseg $killed --sandbox >summary 2>messages || cat messages
cmp whole.mp4 killed.mp4 && grep -c 'continuing an unfinished run' messages
