#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --dry-run, --list and --resolution before anything is measured: options with their values, steps of each size,
# what is refused; no file or folder is made.
clip=$VRS_DATA/person_flat.mp4
cp -r "$VRS_SOURCE_DIR/tests/machines/numa-server" machine
export VRSEG_ROOT=$PWD/machine
plan() {
  vrtune --auto-optimize --dry-run --threads 1 --streams 1 --precision fp32 --decode-workers 1 "$@" "$clip" || echo "exit $?"
}
# How long a run takes is a guess from this machine's processors.
plan --quick --only 'preset crf stride queue_size' | sed '/^Steps/,/final/s/ *[^ ]*$//; s/about [0-9]* s/about N s/; / up to$/s/ *up to$//'
plan --only preset --resolution own,1440p,640x320 --budget 10m --crf 20 | grep ^Steps
echo '-- what cannot be measured, or is of no use, is said before a run'
plan -m example_recurrent --only 'batch_size scales processes backend prefetch preset' --crf 20 --input-size 64x64 | sed -n '/^What/,/^Steps/p'
plan -m example_recurrent --only 'scales preset' --objective quality --target-fps 10 | sed -n '/^What/,/^Steps/p'
plan --only 'process_count segment_frames' | sed -n '/^What/,/^Steps/p'
echo '-- the hardware profile of a machine with 6 GiB is tried first, but for what is set'
find machine -name memory.max | while read -r file; do echo 6442450944 >"$file"; done
plan --only 'queue_size batch_size' -m example_softmax2 | sed -n '/^What/,/^Steps/p; /profile/,/^$/p'
plan --only 'queue_size batch_size' -m example_softmax2 --queue-size 3 | grep -A 1 'to try first'
vrtune --auto-optimize --list --precision fp32 --threads 1 --only queue_size "$clip"
unset VRSEG_ROOT
echo '-- ids'
vrtune --auto-optimize --list --precision fp32 --threads 1 --only 'preset stride' --preset veryfast --resolution own,640x320 "$clip"
echo '-- refused'
plan --resolution 1080i 2>&1
plan --resolution 640x320,640x321 2>&1
vrtune --detect-bottlenecks --resolution 4k "$clip" 2>&1 || echo "exit $?"
vrtune --auto-optimize --resolution own,640x320 --save-config none/my.yaml "$clip" 2>&1 || echo "exit $?"
touch my-640x320.yaml
vrtune --auto-optimize --resolution own,640x320 --save-config my.yaml "$clip" 2>&1 || echo "exit $?"
rm -r machine
ls -A
