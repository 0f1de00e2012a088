#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: what the journal or the result of an earlier measurement says is read, the clip and the background among them, is not written by a command
# that goes on with it, compares with it, or searches on (2).  Nothing is lost, and neither is what a user has in a folder work/ where results go:
# of that only what killed runs have left is removed.
cp "$VRS_DATA/person_flat.mp4" clip.mp4
ffmpeg -v error -i clip.mp4 -frames:v 1 room.png
printf 'ffconcat version 1.0\nfile clip.mp4\n' >list.ffconcat
measure() { # FOLDER VIDEO FLAGS...
  folder=$1
  shift
  vrbench "$@" --threads 1 --runs 1 --warmup 0.1 --duration 0.1 --min-frames 1 --max-frames 2 --no-graphs --gates off --output-dir "$folder" \
    >report 2>messages || code=$? # of the comparison, which two runs do not decide
  [ -e "$folder/results.json" ] || { echo "nothing was measured, exit $code"; cat messages; exit 1; }
}
measure runs clip.mp4 --background room.png
measure named list.ffconcat
measure both clip.mp4 --versus "output.background=room.png"
vrtune --auto-optimize --quick --output-dir search clip.mp4 >report 2>messages &
pid=$!
until grep -q run search/journal.jsonl 2>/dev/null || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
kill $pid
wait $pid || true
cat clip.mp4 room.png list.ffconcat | cksum >before

refused() {
  code=0
  "$@" >report 2>messages || code=$?
  [ $code = 2 ] || echo "exit $code: $*"
  sed "s|$PWD|DIR|g" messages
  cat clip.mp4 room.png list.ffconcat | cksum | cmp -s - before || { echo "lost: $*"; exit 1; }
}
refused vrbench --resume runs --metrics-file clip.mp4
refused vrbench --resume runs --metrics-file ./room.png
refused vrbench --resume named --log-file list.ffconcat
refused vrbench --resume named --metrics-file clip.mp4
refused vrbench --resume both --metrics-file room.png
refused vrbench --versus runs --metrics-file clip.mp4
refused vrbench --versus runs/results.json --metrics-file room.png
refused vrtune --auto-optimize --quick --resume search --save-config clip.mp4 --overwrite
refused vrtune --auto-optimize --quick --resume search --save-config clip.mp4 --overwrite clip.mp4
ln -s clip.mp4 clip-own.yaml
refused vrtune --auto-optimize --quick --resume search --resolution own --save-config clip.yaml --overwrite
frames=$(ls runs/frames/*.bin)
cp "$frames" kept
refused vranalyze runs --html "$frames"
cmp "$frames" kept
vrbench --resume runs --metrics-file bench.prom --log-file log.txt >report 2>messages || cat messages
ls bench.prom

mkdir work work/sub work/.run.mkv.vrseg
echo mine | tee work/notes.txt >work/sub/more
touch work/run.mkv work/plain.mkv work/.run.mkv.vrseg/output work/.plain.mkv.part work/run.mkvs
measure . clip.mp4
ls -A work
cat work/notes.txt work/sub/more
