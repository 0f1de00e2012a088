#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards configuration files that serve vrseg: what only live jobs use is measured in live cases and does no harm in others, and a sandbox, which runs
# have not, is told to be off.  A sweep that goes on explains no comparison.
printf 'pipeline:\n  live: true\n  late_frames: drop\n  sandbox: true\n' >job.yaml
measure() { # FOLDER FLAGS...
  folder=$1
  shift
  vrbench -c job.yaml --backend null --runs 1 --duration 0.3 --warmup 0.1 --min-frames 3 --gates off --no-graphs --output-dir "$folder" "$@" \
    "$VRS_DATA/person_flat.mp4" >report 2>messages || echo "exit $?"
  grep -o 'job.yaml:4: jobs are measured without a sandbox' messages
  grep -c '"status":"ok"' "$folder/journal.jsonl"
  grep -o 'sandbox: *[a-z]*' "$folder/results.json"
}
measure offline
measure live --mode live@30
grep -o 'late_frames: drop' live/results.json
code=0
vrbench -c job.yaml --strict --backend null --runs 1 --output-dir strict "$VRS_DATA/person_flat.mp4" >report 2>messages || code=$?
tail -n 1 messages | sed 's/.*job.yaml/job.yaml/'
code2=0
vrbench --resume offline --explain >report 2>messages || code2=$?
cat messages
echo "exit $code, $code2"
