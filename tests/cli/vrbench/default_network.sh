#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: vrbench and vrtune measure what vrseg does when nobody chooses, and what they write names the network, not the word auto; a case that the
# network cannot run is skipped with the reason; an older result is measured again with the network that it was made with.
unset $VRS_SMALL_NETWORK
export VRSEG_ENGINE_PRECISION=fp32 # auto would name cases after the CPU
network=$(vrseg synth:64x64,frames=1 -o null: --progress none 2>&1 >/dev/null | sed -n 's/^vrseg: network \([^ ]*\) .*/\1/p')
[ "$network" = rvm_mobilenetv3 ] || exit 77
cp "$VRS_DATA/person_flat.mp4" clip.mp4
short="--threads 1 --warmup 0.1 --duration 0.1 --min-frames 2 --gates off --no-graphs --log-level error"
vrbench $short --runs 1 --streams 1,2 --output-dir out clip.mp4 >report 2>progress
names() { grep -q "model: $network " "$1" && echo named; }
echo "results.json: $(names out/results.json)"
echo "recommended.yaml: $(names out/recommended.yaml)"
grep -o "the network rvm_mobilenetv3 is recurrent, so frames cannot run in parallel; engine.streams can be at most 1" out/results.json | head -n 1
vranalyze out --no-html | grep -q "$network" && echo "vranalyze names it"
echo "net only: $(vrbench --net-only --threads 1 --duration 0.1 --json - | tail -n 1 | sed 's/.*"model":[[:blank:]]*"\([^"]*\)".*/\1/')"
echo "-- measured again"
sed 's/  model: rvm_mobilenetv3 [^\\]*\\n//; s/rvm_mobilenetv3/selfie_segmentation/' out/results.json >older.json
grep -c '"base_config":.*model:' older.json || true
vrbench $short --versus older.json --runs 2 --output-dir again clip.mp4 >report 2>progress || echo "exit $?"
grep -o '"versus_config":[^,]*' again/results.json | grep -c selfie_segmentation
echo "-- vrtune"
vrtune --auto-optimize --quick --only "threads streams" --rounds 1 --budget 1 -n 4 --log-level error --progress none \
  --save-config tuned.yaml clip.mp4 >report 2>messages || echo "exit $?"
echo "tuned.yaml: $(names tuned.yaml)"
echo "streams: $(grep -c 'streams=' report)"
