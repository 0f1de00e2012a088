#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A against B: exit codes 10, 11, 12 and --fail-on; the verdict is the last line; a slowdown on purpose is found; --resume makes no run twice.
export VRSEG_ENGINE_PRECISION=fp32 # auto would name cases after the CPU
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
cp "$VRS_DATA/person_flat.mp4" clip.mp4
short="--threads 1 --warmup 0.1 --duration 0.1 --min-frames 2 --gates off"
# A build of incredible speed.
cat >fast_build <<'EOF'
#!/bin/sh
cat >/dev/null
info='"info":{"width":640,"height":480,"eyes":1,"batch":1,"threads":1,"streams":1}'
echo '{"schema":"vrbench-run/1","status":"VRS_OK",'$info',"run":{"status":"ok","fps":90000,"frames":9,"wall_seconds":1}}'
EOF
chmod +x fast_build
check() {
  if vrbench "$@" >report 2>progress; then code=0; else code=$?; fi
  echo "exit $code: $(tail -n 1 report | cut -d ' ' -f 1-3)"
}
check --versus ./fast_build $short --output-dir builds clip.mp4
wc -l <builds/journal.jsonl
grep -c '^  A: the build .*/fast_build' report
grep -c '^  fps (frames/s) .* SLOWER$' report
tr -d '\t\n' <builds/results.json | grep -c '"comparisons":\[{"metric":"fps",.*"verdict":"SLOWER"'
check --resume builds --versus ./fast_build --fail-on inconclusive,invalid --explain
wc -l <builds/journal.jsonl
grep -c '^look at  8 pairs: Hodges-Lehmann' report
grep -c '^  round ' report
# The table is that of vranalyze.
sed -n '/^A against B/,/^Speed/p' report >mine
vranalyze builds | sed -n '/^A against B/,/^Speed/p' | cmp - mine && echo "one table: $(($(wc -l <mine) > 5))"
check --versus ./fast_build $short --runs 3 --output-dir few clip.mp4
# The same network against itself, slowed down tenfold: whatever else this machine does, that must be seen.  Without files and encoder, whose share
# of a busy machine hides the network.
check --versus engine.threads=1 --inject-slowdown 900% --scope pipeline_no_io --threads 1 \
  --warmup 0.6 --duration 0.3 --min-frames 2 --gates off --output-dir slow clip.mp4
grep -c '^warning: B was slowed by 900 % on purpose' report
sed -n '/^Quality of the matte/,/^$/p' report | grep -c '/side=[AB]  *1\.0000 '
# A case of that result is measured again.
check --versus few/results.json --cell r=640x480/b=auto/p=fp32/t=1/side=B $short --runs 1 --output-dir again
grep -c '^  A: few/results.json, case r=640x480/b=auto/p=fp32/t=1/side=B, measured again\. ' report
# What B gives up is held against A's mattes; both get a clip of the size that is asked for.
check --versus engine.input_size=256x256 --input-size 144x144 $short --runs 1 --resolution 320x240 --output-dir smaller clip.mp4
jq -r '.cases[] | "\(.id | sub("/.*"; "")) \(.width)x\(.height)"' smaller/results.json
for side in A B; do sed -n '/^Quality of the matte/,/^$/p' report | grep -c "/side=$side  *1\.0000 " || true; done
# Without a name it goes into a folder of its own, beside what other measurements have left, and never over one.
mkdir results && echo mine >results/results.json
check --versus ./fast_build $short --runs 1 clip.mp4
check --versus ./fast_build $short --runs 1 clip.mp4
grep '^vrbench: the result' progress
check --versus ./fast_build $short --runs 1 --overwrite clip.mp4
ls -d comparison* && cat results/results.json
# What cannot work is told before anything is measured.
printf '#!/bin/sh\necho hello\n' >no_build
chmod +x no_build
refuse() {
  if vrbench "$@" 2>err; then exit 1; else code=$?; fi
  echo "exit $code: $(sed "s|$PWD/||" err)"
}
refuse --versus ./no_build $short --output-dir none clip.mp4
refuse --versus nonsense clip.mp4
refuse --versus engine.treads=2 clip.mp4
refuse --versus fast --threads 1,2 clip.mp4
refuse --versus fast --all clip.mp4
refuse --versus fast --resolution own,320x240 clip.mp4
refuse --versus few/results.json --case r=1x1/b=1 clip.mp4
refuse --margin 2% clip.mp4
refuse --versus fast --margin two clip.mp4
refuse --versus fast --fail-on regresion clip.mp4
refuse --all --gates maybe clip.mp4
ls -d none 2>/dev/null || true
