#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: graphs do not decide how a stopped sweep ends. After a stop gnuplot is not started, and one that draws is ended: the exit code is that of
# the signal, what was measured is saved, and the message says how to continue, or what is missing; --resume draws all.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
. "$VRS_TEST_DIR/cli/stopping.sh"
clip=$VRS_DATA/person_flat.mp4
common="--threads 1 --duration 0.3 --warmup 0.2 --min-frames 5 --gates off"

# In place of gnuplot: it tells that it was started, and takes its time.
mkdir tools
echo '#!/bin/sh
echo started >>"$NOTE"
sleep ${SLEEP:-2}' >tools/gnuplot
chmod +x tools/gnuplot
export PATH="$PWD/tools:$PATH" NOTE="$PWD/note"

# shellcheck disable=SC2086 # words, on purpose
env --default-signal=INT vrbench $common --batch-size 1,2 --runs 20 --output-dir out "$clip" >report 2>progress &
pid=$!
until { [ -f out/journal.jsonl ] && [ "$(wc -l <out/journal.jsonl)" -ge 4 ]; } || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
ends INT $pid 'in the second round'
grep -o 'continue with vrbench --resume out' progress
grep -c 'gnuplot' progress || true
test ! -e note || echo 'gnuplot was started'
test -s out/plots/stages.gp && echo 'the scripts are there'
grep -c '"complete":.*false' out/results.json

echo "-- while gnuplot draws"
export SLEEP=60
# shellcheck disable=SC2086 # words, on purpose
vrbench $common --runs 1 --output-dir done "$clip" >report 2>progress &
pid=$!
ready note started $pid
ends TERM $pid 'after the runs'
tail -1 progress
wc -l <note
grep -c '"complete":.*true' done/results.json
grep -o 'done/results.json' report
export SLEEP=0
rm note
vrbench --resume done >report 2>progress
wc -l <note | awk '{ print ($1 > 1 ? "all are drawn" : $1) }'
