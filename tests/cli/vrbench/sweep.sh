#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A real sweep with everything that it leaves behind; a used folder is refused; a case that cannot run is a result.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
clip=$VRS_DATA/person_flat.mp4
vrbench --threads 1 --batch-size 1 --precision fp32,fp16,int8 --resolution own,320x240 --runs 2 --duration 0.2 --warmup 0.2 --min-frames 5 \
  --output-dir out "$clip" >report 2>progress
ls -1 out
grep -c '^\[[1-8]/8\]' progress || true
ls -1 out/frames/*.bin | wc -l
for f in out/frames/*.tsv; do sed 1d "$f" | awk -F'\t' 'NF != 8 || $2 < 1e6 { exit 1 }' || echo "$f"; done
ls -1 out/frames/*.tsv | wc -l
tr -d '\t\n ' <out/results.json | grep -c '"unavailable":{'
awk 'length > 100 && !/^measured with: / && !/  # not measured: vrbench / { print "too wide: " $0 }' report
# Shares of stages, and all other tables, are those of vranalyze.
vranalyze out --no-html --targets /dev/null >again
for title in 'Speed' 'Work of each stage' 'What the runs used'; do
  sed -n "/^$title/,/^\$/p" report >mine
  sed -n "/^$title/,/^\$/p" again | cmp - mine && echo "$title: $(($(wc -l <mine) > 5))"
done
vranalyze out --no-html --format csv --targets /dev/null | grep -c '^quality,r=.*,IoU with fp32,[0-9.]*$'
grep -o '"schema":.*"vrbench/1.13"' out/results.json | tr -d '\t '
grep -c '"status":.*"ok"' out/results.json
grep -c '"complete":.*true' out/results.json
wc -l <out/journal.jsonl
grep -c 'fewer than 8\|no other case' out/recommended.yaml
ls out/plots/*.svg >/dev/null
vrseg -c out/recommended.yaml --dump-config >/dev/null
if vrbench --output-dir out "$clip"; then exit 1; else echo "exit $?"; fi
vrbench --overwrite --precision fp32 --runs 1 --duration 0.1 --warmup 0.1 --min-frames 2 --no-graphs --profile-ops --output-dir out \
  "$clip" >report 2>/dev/null
grep -c '^Operators of the network alone' report
grep -c 'ms/run *(%) *GFLOP/s *(%) *GB/s *(%)' report
tr -d '\t\n ' <out/results.json | grep -c '"profiles":\[{"model":"selfie_segmentation".*"ops":\[{"name":"conv'
vranalyze out >/dev/null
wc -l <out/journal.jsonl
