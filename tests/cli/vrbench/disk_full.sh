#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards a disk that is full (a small file system of our own) while mattes are kept, and while a run writes its video or its frame times: the
# measurement ends with the cause, exit code 3 and how to go on, no run is taken for one that failed, and --resume makes them all when there is room.
# A case that is too large for the disk leaves out itself alone.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
unshare -rm true 2>/dev/null || exit 77
cp "$VRS_DATA/person_flat.mp4" clip.mp4
cat >inside.sh <<'SH'
set -eu
mkdir disk
mount -t tmpfs -o size=400k tmpfs disk || exit 77
run() {
  code=0
  vrbench "$@" >report 2>message || code=$?
  echo "exit $code: $(grep -o 'No space left on device; every finished run is saved; continue with vrbench --resume disk/[a-z]*' message)"
}
failed() { grep -c '"status":"failed"' disk/out/journal.jsonl || true; }
echo '-- the mattes'
run -m selfie_segmentation -t 1 --set output.lossless=true --runs 2 --duration 4 --warmup 0.2 --min-frames 300 --no-graphs --output-dir disk/out \
  clip.mp4
echo '-- frame times'
mount -o remount,size=3m disk
head -c 2900k /dev/zero >disk/other
run -m selfie_segmentation -t 1 --backend null --scope pipeline_no_io --runs 1 --duration 2 --min-frames 1000 --no-graphs \
  --output-dir disk/times clip.mp4
grep -c '"status":"failed"' disk/times/journal.jsonl || true
rm -r disk/other disk/times
echo '-- one of two cases'
mount -o remount,size=5m disk
run -m selfie_segmentation -t 1 --set output.lossless=false,true --runs 1 --duration 1 --warmup 0.2 --min-frames 250 --no-graphs \
  --output-dir disk/two clip.mp4
grep -o 'output.lossless=.* is left out for now' message
jq -c '.complete, (.cases[] | [.id, (.runs | map(.status) | unique)])' disk/two/results.json
rm -r disk/two
echo '-- the video of a run'
mount -o remount,size=3m disk
run --resume disk/out --no-graphs
failed
echo '-- none is full'
mount -o remount,size=64m disk
run --resume disk/out --no-graphs
failed
jq -c '.complete, ([.cases[].runs[] | select(.status == "ok") | .round] | unique)' disk/out/results.json
ls disk/out/work 2>/dev/null || true
SH
code=0
unshare -rm sh inside.sh 2>errors || code=$?
[ $code -ne 77 ] || exit 77
cat errors
rm -rf clip.mp4 inside.sh errors message report disk
exit $code
