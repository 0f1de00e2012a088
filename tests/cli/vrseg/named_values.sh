#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a number never means what a word beside its range does, by flag, file or environment: 0 seconds are not all, and a gate of 0 smooths
# nothing where none smooths everything.  Counts that are 0 for auto in files of other programs stay so.  What is printed is read again.
cp "$VRS_DATA/person_flat.mp4" clip.mp4
tell() {
  code=0
  "$@" >/dev/null 2>message || code=$?
  echo "$code $(cat message)"
}
job() {
  tell vrseg clip.mp4 -o null: --max-frames 1 --log-level error "$@"
}
tell vrseg clip.mp4 -o null: --max-frames 0
echo 'input.duration: 0' >none.yaml
job --duration 0
job -c none.yaml
VRSEG_INPUT_DURATION=0 job
job --frame-timeout 0
job --input-size 0x0
job --batch-timeout-ms 0
job -t 0 --prefetch 0 --decode-workers 0
echo '-- the gate'
for gate in none 0 12; do
  vrseg clip.mp4 -o "hash:$gate" --output-mode matte --max-frames 6 \
    --smoothing 0.3 --smoothing-window 3 --motion-gate $gate --progress none >/dev/null
done
vrseg clip.mp4 -o hash:plain --output-mode matte --max-frames 6 --progress none >/dev/null
cmp 0 plain
cmp -s none plain && echo 'none smooths nothing'
cmp -s none 12 && echo '12 is none'
echo '-- printed and read'
vrseg -t 0 --motion-gate 0 --smoothing 0.3 --batch-timeout-ms none --crf auto --dump-config >first.yaml
vrseg -c first.yaml --dump-config >second.yaml
for file in first second; do
  grep -oE '^  (threads|motion_gate|batch_timeout_ms|crf|duration): [^ ]*' $file.yaml | tr '\n' ' '
  echo
done
