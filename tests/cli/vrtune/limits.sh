#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards limits and configurations that cannot be met, or not together: one sentence, the exit code that belongs to it, and no file.  A limit of
# memory is one of memory in use: processes that reserve more address space keep it.
cp "$VRS_DATA/person_flat.mp4" a.mp4
check() {
  code=0
  vrtune --auto-optimize --quick --rounds 1 --only queue_size --queue-size 2,4 --progress none --save-config my.yaml "$@" >out 2>err || code=$?
  sed -nE 's/needs about [0-9]+ MiB/needs about N MiB/; /^Nothing was chosen|^VERDICT INFEASIBLE/p' out | sed -E 's/ (fps|low)=[0-9.]*//g'
  cat err
  echo "exit $code: $*"
}
check --memory-limit 1M a.mp4
check --memory-limit 600M --threads 1 --max-frames 20 a.mp4
rm -f my.yaml
check --min-iou 1 --max-frames 20 a.mp4
echo 'tempo: 3' >unknown.yaml
check -c unknown.yaml a.mp4
echo 'engine: {threds: 3}' >unknown.yaml
check -c unknown.yaml a.mp4
check --candidate unknown.yaml a.mp4
check --candidate nosuch.yaml a.mp4
check --queue-size 8-2 a.mp4
check --resume nosuch a.mp4
mkdir folder
echo '{' >folder/journal.jsonl
check --resume folder a.mp4
check --output-dir /proc/nowhere a.mp4
vrtune --detect-bottlenecks --candidate unknown.yaml a.mp4 2>&1 || echo "exit $?"
rm out err
ls
