#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --finish-by of several sizes that is stopped in the second search: the choice of the first is printed and saved all the same, the message
# names the flags that go on beside that file, and these do.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
. "$VRS_TEST_DIR/cli/stopping.sh"
cp "$VRS_DATA/person_flat.mp4" a.mp4
finish=$(date -d '+12 hours' +%H:%M)
search() { # FLAGS...
  exec vrtune --auto-optimize --quick --rounds 1 --only queue_size --queue-size 2,4 --resolution own,320x240 --threads 1 --precision fp32 \
    -m selfie_segmentation --max-frames 10 --progress none --finish-by "$finish" --frames 10 --save-config my.yaml "$@" a.mp4
}
show() { grep -oE '^(VERDICT [A-Z]*|saved: my-[a-z0-9]*.yaml)' "$1"; }
search --output-dir runs >out 2>err &
pid=$!
ready runs/journal.jsonl '"id":"r=320x240' $pid
ends TERM $pid 'the second search'
show out
grep -o 'interrupted; .*' err
(search --resume runs --overwrite) >out 2>err || echo "exit $?"
show out
