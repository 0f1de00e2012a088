#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: whichever of standard input, output and error are closed, vrbench measures every case and its files can be read.
. "$VRS_TEST_DIR/cli/closed.sh"
for closed in none 0 1 2 01 02 12 012; do
  code=0
  without $closed vrbench --backend null --quick --resolution own --precision fp32 --threads 1,2 --batch-size 1 --gates off --runs 1 --max-frames 5 \
    --scope pipeline_no_io --no-graphs -D $closed synth:128x64,frames=60 || code=$?
  vranalyze $closed --no-html --format csv >table || echo "vranalyze: exit $?"
  echo "without $closed: exit $code, $(grep -c '^cases,.*,good runs,1/1$' table) cases, $(grep -vc '^{' $closed/journal.jsonl) other lines"
done
