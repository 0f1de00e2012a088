#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: one SIGTERM ends vrtune in the middle of its measurements with 143, and says how to go on.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
. "$VRS_TEST_DIR/cli/stopping.sh"
vrtune --auto-optimize --quick --output-dir out "$VRS_DATA/person_flat.mp4" >report 2>progress &
pid=$!
until grep -q run out/journal.jsonl 2>/dev/null || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
ends TERM $pid 'a search'
grep -o 'the same command with --resume out goes on' progress
echo '-- before anything was measured there is nothing to go on with'
vrtune --auto-optimize --quick --output-dir early "$VRS_DATA/person_flat.mp4" >report 2>progress &
pid=$!
until [ -e early ] || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
ends TERM $pid 'a search'
grep interrupted progress
ls early 2>/dev/null || true
