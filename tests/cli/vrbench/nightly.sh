#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: vrbench nightly: the first night records and its program is the baseline; a baseline that is missing is 13, another program than the
# accepted one 14 and never started; a slower build is confirmed by a second invocation and exits 10; a slowdown on purpose too, and is named; two
# nights at once: the second is told; a stop appends nothing; a link below the history is not followed; outputs and metrics.
export VRSEG_ENGINE_PRECISION=fp32 # auto would name cases after the CPU
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
cp "$VRS_DATA/person_flat.mp4" clip.mp4
short="--warmup 0.1 --duration 0.1 --min-frames 2 --gates off --progress none --threads 1 --sweep one.yaml"
cat >one.yaml <<'EOF'
mode: one-at-a-time
axes:
  scope: [pipeline_no_io]
EOF
# A build of a given rate, frames a second, which leaves a mark.
build() { # FILE FPS
  cat >"$1" <<EOF
#!/bin/sh
cat >/dev/null
touch "$HOME/marker"
info='"info":{"width":640,"height":480,"eyes":1,"batch":1,"threads":1,"streams":1}'
echo '{"schema":"vrbench-run/1","status":"VRS_OK",'\$info',"run":{"status":"ok","fps":$2,"frames":9,"wall_seconds":1}}'
EOF
  chmod +x "$1"
}
build fast 90000
build slow 0.01
build other 0.02
go() {
  if vrbench nightly "$@" >report 2>err; then code=0; else code=$?; fi
  line=$(sed -n '/^VERDICT/{s/night=[0-9]*/night=N/; s/worse=[1-9][0-9]*/worse=N/; s/inconclusive=[0-9]*/inconclusive=N/; p}' report)
  echo "exit $code: $line"
  if [ $code = 2 ] || [ $code = 3 ] || [ $code -ge 13 ]; then
    tail -n 1 err | sed "s|$PWD/||g; s/(process [^)]*)/(process N)/; s/SHA-256 [0-9a-f.]*/SHA-256 .../; s/has [0-9a-f.]*:/has ...:/"
  fi
  if [ -e "$HOME/marker" ]; then echo "another program has run"; rm "$HOME/marker"; fi
}
echo "-- the first night"
go --history alone --require-baseline $short --runs 1 clip.mp4
go --history alone $short --runs 1 clip.mp4
jq -c '[.kind, .night, .reason, (.sha256 | length)]' alone/decisions.jsonl
jq -c '[.number, .gate, .outcome, (.cases | length), .cases[0].id, (.cases[0].metrics | map(.metric))]' alone/nights-*.jsonl
grep -c "$(sha256sum "$(readlink -f "$VRS_BIN/vrbench")" | cut -c -64)" alone/decisions.jsonl
go --history alone --require-baseline $short --runs 1 clip.mp4
go --history alone --baseline ./missing $short --runs 1 clip.mp4
go --history alone --baseline ./fast $short --runs 1 clip.mp4
go --history alone --baseline one.yaml $short --runs 1 clip.mp4
wc -l <alone/decisions.jsonl
echo "-- against a baseline"
go --history nights --baseline ./fast $short --runs 10 --junit j.xml --summary s.md --badge b.json --metrics-file n.prom clip.mp4
jq -c '[.kind, .night, .reason]' nights/decisions.jsonl
jq -c '[.number, .gate, .outcome, .confirmed, .rounds, .cases[0].id, .cases[0].metrics[0].metric, .cases[0].metrics[0].verdict]' nights/nights-*.jsonl
grep -c '<failure message="SLOWER: ' j.xml
jq -r '.message | sub(" .*"; "")' b.json
grep -c '^| r=640x480' s.md
grep -E '^vrbench_nightly_(verdict.*regression|last_run_exit_code|number|confirmed|running)' n.prom
ls nights/measured
go --history nights --baseline ./other $short --runs 1 clip.mp4
cp fast moved
go --history nights --baseline ./moved --filter nothing $short --runs 1 clip.mp4
go --history faster --baseline ./slow $short --runs 10 clip.mp4
jq -c '[.outcome, .confirmed]' faster/nights-*.jsonl
echo "-- slowed on purpose"
mkdir -p same/bin same/share/vrseg
cp "$VRS_BIN/vrbench" same/bin
cp -r "$VRS_SOURCE_DIR"/configs/* same/share/vrseg
cp "$VRS_BIN"/../../share/vrseg/models/selfie_segmentation.tflite same/share/vrseg/models
go --history proof --baseline same --inject-slowdown 900% --warmup 0.6 --duration 0.3 --min-frames 2 --gates off --progress none --threads 1 \
  --sweep one.yaml --runs 10 clip.mp4
grep -c '^warning: The build was slowed by 900 % on purpose' report
jq -c '[.outcome, .confirmed, .injected_slowdown]' proof/nights-*.jsonl
vranalyze nightly --history proof | tail -n 1 | cut -d ' ' -f 2
echo "-- two at once, and a stop"
vrbench nightly --history busy $short --runs 400 clip.mp4 >first 2>err1 &
first=$!
for _ in $(seq 200); do [ -d busy/measured/first/1/frames ] && break || sleep 0.05; done
go --history busy $short --runs 1 clip.mp4
kill $first
code=0
wait $first || code=$?
echo "exit $code: $(tail -n 1 err1)"
ls busy
go --history busy $short --runs 1 clip.mp4
echo "-- links in the history are refused, one that the user typed is not"
mkdir mine
echo precious | tee mine/results.json >mine/journal.jsonl
for link in measured/first/1 measured/first measured; do
  rm -r "alone/$link"
  ln -s "$PWD/mine" "alone/$link"
  go --history alone $short --runs 1 clip.mp4
  rm "alone/$link"
done
find mine | sort
cat mine/*
ln -s alone typed
go --history typed $short --runs 1 clip.mp4
echo "-- usage"
go clip.mp4
go --history x
go --history x --inject-slowdown 20% clip.mp4
go --history x --sweep nonsense clip.mp4
find x -type f 2>/dev/null || true
