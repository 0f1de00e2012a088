#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A profile of the job apart from the runs: trace, samples, operators, what it costs; and combinations that cannot work.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
clip=$VRS_DATA/person_flat.mp4
vrbench --quick --resolution own --precision fp32 --batch-size 1 --threads 1 --runs 1 --duration 0.2 --warmup 0.1 --min-frames 5 --profile-run \
  --output-dir out "$clip" >report 2>progress
ls -1 out/profile
tr '\n' ' ' <report | tr -s ' ' | grep -o 'The profile of r=[^ ]*/b=1/p=fp32/t=1 is' | sed 's/r=[^ ]*/ID/'
tr '\n' ' ' <report | tr -s ' ' | grep -c 'These runs are in no other figure. because profiling costs .* over 3 pairs'
grep -c '^Operators by memory$\|^Operators by arithmetic intensity$' report
# Nothing comes faster from memory than memory gives: what caches hold has no share of it.
jq -c '[.profiles[].ops[].memory_share | select(. != null)] | [length > 0, all(. <= 1)]' out/results.json
grep -c '"ph":' out/profile/trace.json | awk '{ print ($1 > 20 ? "spans" : "few spans") }'
echo "runs that are recorded: $(tr -d '\t\n ' <out/results.json | grep -o '"status":"ok"' | wc -l)"
tr -d '\t\n ' <out/results.json | grep -o '"profile_run":{"case_id":"[^"]*","pairs":3' | sed 's/r=[^"]*/ID/'
for g in roofline memory-over-time frame-times frame-time-over-time stages; do
  [ -s "out/plots/$g.gp" ] && [ -s "out/plots/$g.tsv" ] && [ -s "out/plots/$g.svg" ] && [ -s "out/plots/$g.png" ] || echo "$g is missing"
done
vrbench --profile-run --net-only || echo "exit $?"
vrbench --profile-run --soak 1h "$clip" || echo "exit $?"
vrbench --profile-run --versus engine.precision=fp16 "$clip" || echo "exit $?"
