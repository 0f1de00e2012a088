#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The first signal ends the run in progress and saves the others (exit code 143); --resume makes the missing runs, and
# the default once more beside them where its run of that round is of the call before.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
clip=$VRS_DATA/person_flat.mp4
vrbench --threads 1 --batch-size 1,2,4 --runs 2 --duration 0.3 --warmup 0.2 --min-frames 5 --no-graphs --output-dir out "$clip" >report 2>progress &
pid=$!
tries=0
until [ -f out/journal.jsonl ] && [ "$(wc -l <out/journal.jsonl)" -ge 3 ]; do
  sleep 0.1
  tries=$((tries + 1))
  [ $tries -lt 600 ] || exit 1
done
kill -TERM $pid
if wait $pid; then exit 1; else echo "exit $?"; fi
grep -o 'continue with vrbench --resume out' progress
grep -c '"complete":.*false' out/results.json
before=$(wc -l <out/journal.jsonl)
[ "$before" -lt 7 ]
printf '{"case":{"id":"torn' >>out/journal.jsonl
vrbench --resume out --no-graphs >report 2>progress2
grep -c 'ended in the middle of a line' progress2
grep -c '"complete":.*true' out/results.json
# Every case in every round, and a run of the default in the same call.
jq -c '[.cases[] | .id as $id | .runs[] | {id: $id, round, session}] as $runs | ($runs | map({id, round}) | unique | length),
  ($runs | map(select(.round as $r | .session as $s | $runs | any(.id == $runs[0].id and .round == $r and .session == $s))) | map({id, round})
  | unique | length)' out/results.json
if vrbench --resume out --runs 5; then exit 1; else echo "exit $?"; fi
if vrbench --resume nowhere; then exit 1; else echo "exit $?"; fi
