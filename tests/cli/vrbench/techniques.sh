#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Pairs of techniques: what is listed, what is written, going on without repeating, and what is refused.
export VRSEG_ENGINE_PRECISION=fp32 # auto would name cases after the CPU
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
cp "$VRS_DATA/person_flat.mp4" clip.mp4
cp "$VRS_DATA/person_flat_alpha.mkv" clip_alpha.mkv
short="--threads 1 --warmup 0.1 --duration 0.1 --min-frames 24 --gates off"
echo "# the shipped file"
vrbench --techniques --list --filter 'fusion|edges|pool' --skip process clip.mp4
vrbench --techniques --dry-run --filter 'fusion|edges' --runs 3 --budget 1m clip.mp4 >plan
grep 'runs, about\|pair that\|prove nothing\|the budget' plan | sed 's/about .*;/about TIME;/; s/about [0-9]* of/about N of/'
echo "# measured"
vrbench --techniques --filter 'fusion|edges|recomp|pool' --runs 2 $short --output-dir out clip.mp4 >report 2>progress
ls -1 out
grep -c '^\[[1-6]/6\]' progress
wc -l <out/journal.jsonl
# Wide tables go on in a further block, so that these may stand on lines of their own.
grep -c '^  operator-fusion .*INCONCLUSIVE' report
grep -c '^  operator-fusion .*undecided: 2 pairs, at least 8' report
grep -c '^  guided-edges  *IoU with truth  *0\.9[0-9]*  *0\.9[0-9]*' report
grep -c '^  guided-edges .* pay on this clip: ' report
grep -c '^  buffer-pool  *always' report
grep -c '^warning: 2 shared rounds can prove nothing about 2 techniques together' report
grep -c '^| operator-fusion |' out/techniques.md
grep -c '"guided-edges"' out/techniques.json
grep -c '</html>' out/techniques.html
vrseg -c out/recommended.yaml --dump-config >/dev/null
vranalyze out >/dev/null
echo "# resumed"
vrbench --resume out >report 2>/dev/null
wc -l <out/journal.jsonl
grep -c '^  guided-edges  *IoU with truth' report
if vrbench --resume out --profile-ops 2>err; then exit 1; else echo "exit $?: $(cat err)"; fi
echo "# refused"
refuse() {
  if vrbench "$@" 2>err; then exit 1; else code=$?; fi
  echo "exit $code: $(sed "s|$PWD/||g; s|/[^ ]*/configs/||" err)"
}
printf 'techniques:\n  sharper: {improves: speed, off: {output.crf: 20}, on: {output.crff: 30}}\n' >own.yaml
refuse --techniques --sweep own.yaml clip.mp4
refuse --techniques --filter nothing-of-that-name clip.mp4
refuse --techniques --threads 1,2 clip.mp4
refuse --techniques --mode live@30 clip.mp4
refuse --techniques --all clip.mp4
refuse --sweep techniques clip.mp4
