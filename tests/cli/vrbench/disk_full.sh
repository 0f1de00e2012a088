#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards a disk that is full (a small file system of our own) while mattes are kept, and while a run writes its video: the measurement ends with the
# cause, exit code 3 and how to go on, no run is taken for one that failed, and --resume makes them all when there is room.
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
  echo "exit $code: $(grep -o 'No space left on device; every finished run is saved; continue with vrbench --resume disk/out' message)"
}
failed() { grep -c '"status":"failed"' disk/out/journal.jsonl || true; }
echo '-- the mattes'
run -m selfie_segmentation -t 1 --set output.lossless=true --runs 2 --duration 4 --warmup 0.2 --min-frames 300 --no-graphs --output-dir disk/out \
  clip.mp4
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
