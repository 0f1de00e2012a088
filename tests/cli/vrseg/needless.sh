#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a flag that would have no effect beside the others of the command is refused (2) before anything is written; the same in a file or in the
# environment is no error.  An input that is not there is named, not the flag for folders beside it.
cp "$VRS_DATA/person_flat.mp4" clip.mp4
refuse() {
  code=0
  vrseg clip.mp4 -o out.mp4 --max-frames 1 --log-level error "$@" >/dev/null 2>message || code=$?
  echo "$code $* $(cat message)"
}
refuse --cache-dir cache
refuse --cache --truth clip.mp4
refuse --cache --live
refuse --output-mode matte --color ff0000
refuse --background blur --color ff0000
refuse --motion-gate 5
refuse --skip-threshold 0.9
refuse --view whole --view-size 0.4
refuse --device-frames on
refuse --recursive
for name in nosuch synth:64x64,frames=1 -; do # where nothing is, a folder may have been meant
  code=0
  vrseg "$name" --recursive --output-dir out --log-level error </dev/null 2>message || code=$?
  echo "$code $name $(cat message)"
done
refuse --fail-on target
VRSEG_ENGINE_INPUT_SIZE=128x128 refuse --auto-size large
VRSEG_NUM_THREADS=1 VRSEG_ENGINE_THREADS=3 refuse | sed 's/vrseg: VRSEG_[A-Z_]* does not go with VRSEG_[A-Z_]*/vrseg: A does not go with B/'
for flag in -o --log-file --trace --metrics-file --metrics-port --cache-dir --exclude --encoder --preset --projection --hwdecode --raw-format; do
  refuse $flag ''
done
code=0
vrseg clip.mp4 clip.mp4 --output-dir out --target-fps 10 2>&1 || echo "$?"
vrseg clip.mp4 clip.mp4 --max-latency-ms 10 2>&1 || echo "$?"
# of use to the search
vrseg clip.mp4 clip.mp4 --target-fps 10 --auto-tune --dry-run 2>&1 || echo "$?"
ls
echo "-- no value undoes that of a file or of the environment"
echo 'matte: {exclude: "0,0,1,1"}
cache: {enabled: true, dir: cache}
report: {trace: t.json, log_file: log, metrics_file: m.prom}' >set.yaml
vrseg -c set.yaml --exclude '' --trace= --log-file '' --metrics-file '' --cache-dir '' --dump-config | grep '# flag'
vrseg clip.mp4 -c set.yaml -o out.mp4 --max-frames 1 --log-level error --exclude '' --trace= --log-file '' --metrics-file '' --cache-dir '' |
  sed 's/ in .* -> / -> /'
VRSEG_MATTE_EXCLUDE=0,0,1,1 refuse --overwrite --exclude ''
VRSEG_MATTE_EXCLUDE='' refuse --overwrite --exclude ''
VRSEG_OUTPUT_FILE=out.mkv refuse -o ''
rm out.mp4
ls
echo "-- a command may set what they need"
vrseg --interactive --cache-dir cache --skip-threshold 0.9 --motion-gate 5 --fail-on target </dev/null
vrseg --interactive --recursive </dev/null 2>&1 || echo "$?"
echo "-- of a file"
echo 'output: {mode: matte, color: ff0000}
matte: {motion_gate: 5, skip_threshold: 0.9, view: whole, view_size: 0.4}
cache: {dir: cache}
input: {recursive: true}
target: {fps: 1000}
report: {trace: ""}' >all.yaml
vrseg clip.mp4 -o out.mp4 --max-frames 1 --log-level error -c all.yaml | sed -n 's/ in .* -> / -> /p'
echo "-- of a file, with what it does not go with"
job() { # OPTION...
  code=0
  vrseg clip.mp4 --max-frames 1 --log-level error "$@" 2>message | sed -n 's/ in .* -> / -> /p'
  cat message
}
echo 'output: {mode: green, background: blur, player: deovr, fov: 190, alpha_color: red, alpha_size: exact, verify_pack: true}
matte: {despill: 0.5, foreground: "off"}
pipeline: {late_frames: drop, live_fps: 20}' >other.yaml
job -c other.yaml -o matte.mkv --output-mode matte --encoder ffv1 --overwrite
echo 'output: {mode: matte}' >plain.yaml
job -c plain.yaml -o hash:plain
job -c other.yaml -o hash:other --output-mode matte
cmp plain other
VRSEG_OUTPUT_FOV=190 job -o fov.mp4
job -c other.yaml -o typed.mp4 --output-mode matte --despill 0.4
echo "-- what contradicts is told by its place"
echo 'matte.foreground: "on"' >on.yaml
job -c on.yaml -o on.mp4 --despill 0.4
VRSEG_PIPELINE_SANDBOX=true job -o on.mp4 --processes
echo "-- of a file, where vrbench and vrtune measure jobs without a use for it, and where a measurement goes on"
short="-m selfie_segmentation -t 1 --runs 1 --duration 0.2 --warmup 0.1 --min-frames 2 --gates off --no-graphs --progress none"
measure() {
  code=0
  "$@" >report 2>message || code=$?
  echo "exit $code" && grep needs message || true
}
# shellcheck disable=SC2086
measure vrbench -c other.yaml --set output.mode=green,matte $short --output-dir measured clip.mp4
cp measured/journal.jsonl whole.jsonl
head -n -1 whole.jsonl >measured/journal.jsonl
measure vrbench --resume measured --no-graphs --progress none
measure vrtune --auto-optimize -c other.yaml --quick --only threads --dry-run clip.mp4
echo "-- what the input has no use for is told once, with segments too"
for segments in none 4; do
  vrseg clip.mp4 -o one.mp4 --overwrite --layout mono --max-frames 8 --repair-eyes union --segment-frames $segments 2>&1 >/dev/null | grep effect
done
