#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzzes every target, or one, for SECONDS of CPU, as many at once as there are processors, and prints a table.
#
# It goes on where an earlier call stopped.  BUILD_DIR/record.tsv has a line for each go (date, commit, target, seconds of CPU, executions, edges,
# files of the corpus, finds), BUILD_DIR/grown the corpora, BUILD_DIR/finds what ended a target: an error, a leak, too much memory or a time-out.
# A call brings all targets to the next multiple of SECONDS that one of them lacks, the one with least time first.
#   run.sh SOURCE_DIR BUILD_DIR SECONDS [NAME]
set -eu
source=$1 build=$2 seconds=$3 only=${4:-}
slice=${VRSEG_FUZZ_SLICE:-300} # seconds of one go
limit=${VRSEG_FUZZ_LIMIT:-30}  # seconds of one input, on the clock: more where other work leaves little of the machine
mkdir -p "$build/claims"
touch "$build/record.tsv"

# Networks of several exporters, and our own files: too many for the tree.
make_seeds() {
  [ ! -e "$build/seeds/manifest" ] || return 0
  mkdir -p "$build/seeds/onnx" "$build/seeds/ocl_plan" "$build/seeds/session" "$build/seeds/yaml"
  find /usr/share/libonnx-testdata/data -name model.onnx -size -48k | while read -r file; do
    name=$(basename "$(dirname "$file")").onnx
    for target in onnx ocl_plan session; do
      ln -sf "$file" "$build/seeds/$target/$name"
    done
  done
  find "$source/configs" -name '*.yaml' -exec cp {} "$build/seeds/yaml" \;
  for folder in "$source"/tests/fuzz/kept/*; do
    [ ! -d "$folder" ] || cp -r "$folder" "$build/seeds"
  done
  mkdir -p "$build/seeds/manifest"
  cp "$source"/configs/models/*.yaml "$build/seeds/manifest"
}

targets() {
  for file in "$build"/tests/fuzz_*; do
    name=${file##*/fuzz_}
    [ ! -x "$file" ] || [ "${only:-$name}" != "$name" ] || echo "$name"
  done
}

# "SECONDS NAME" of each target, the one with least time first.
spent() {
  targets | awk 'FILENAME != "-" { seconds[$3] += $4; next } { printf "%d %s\n", seconds[$1], $1 }' "$build/record.tsv" - | sort -n
}

# Claims a target that has less than `goal` seconds and no find; false: there is none.
claim() {
  flock 8
  chosen=$(spent | while read -r have name; do
    [ "$have" -ge "$goal" ] || [ -e "$build/claims/$name" ] || echo "$name $((goal - have))"
  done | head -n 1)
  [ -z "$chosen" ] || echo claimed >"$build/claims/${chosen% *}"
  flock -u 8
  [ -n "$chosen" ]
}

# "EXECUTIONS EDGES FILES" of libFuzzer's last status line.
progress() { # LOG
  awk '/^#[0-9]/ { runs = substr($1, 2); for (i = 2; i < NF; i++) { if ($i == "cov:") edges = $(i + 1); if ($i == "corp:") files = $(i + 1) + 0 } }
    END { print runs + 0, edges + 0, files + 0 }' "$1"
}

# One go at the target.  Instruction sets take turns, so that the kernels of all are seen.
fuzz() { # NAME SECONDS
  log=$build/$1.log
  for folder in grown seeds finds; do
    mkdir -p "$build/$folder/$1"
  done
  scratch=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo "$build")/vrs-fuzz-XXXXXX") # a disk takes 10 ms a file
  begun=$(grep -c "	$1	" "$build/record.tsv" || true)
  before=$(find "$build/finds/$1" -type f | wc -l)
  VRSEG_CPU=$(echo "avx512 avx2 ref" | cut -d ' ' -f $((begun % 3 + 1))) TMPDIR=$scratch \
    "$build/tests/fuzz_$1" -max_total_time="$2" -max_len=65536 -timeout="$limit" -report_slow_units="$limit" -rss_limit_mb=2048 \
    -artifact_prefix="$build/finds/$1/" \
    "$build/grown/$1" "$source/tests/fuzz/corpus/$1" "$build/seeds/$1" >"$log" 2>&1 8>&- &
  echo $! >"$build/claims/$1"
  wait $! || true
  times >"$log.times" # not in a pipe: a subshell has no children yet
  cost=$(awk 'NR == 2 { split($0, t, /[ms ]+/); printf "%d\n", 60 * (t[1] + t[3]) + t[2] + t[4] }' "$log.times")
  rm -rf "$scratch"
  finds=$(($(find "$build/finds/$1" -type f | wc -l) - before))
  flock 8
  echo "$(date -u +%F) $commit $1 $cost $(progress "$log") $finds" | tr ' ' '\t' >>"$build/record.tsv"
  flock -u 8
  if [ "$finds" -gt 0 ]; then
    echo found >"$build/claims/$1"
    tail -n 60 "$log"
    return 1
  fi
}

# A target with a find keeps its claim: it would find the same again.  Each worker opens the lock itself: one that all inherited would be held by all.
work() {
  exec 8>"$build/lock"
  while [ ! -e "$build/stop" ] && claim; do
    name=${chosen% *} rest=${chosen#* }
    (fuzz "$name" $((rest < slice ? rest : slice))) && rm -f "$build/claims/$name"
  done
}

table() {
  targets | awk -F '\t' '
    FILENAME != "-" { seconds[$3] += $4; runs[$3] += $5; if ($6) { edges[$3] = $6; corpus[$3] = $7 } finds[$3] += $8; next }
    !head++ { printf "%-16s %9s %12s %8s %8s %6s\n", "target", "seconds", "executions", "edges", "corpus", "finds" }
    { printf "%-16s %9d %12d %8d %8d %6d\n", $1, seconds[$1], runs[$1], edges[$1], corpus[$1], finds[$1] }' "$build/record.tsv" -
}

[ -n "$(targets)" ] || {
  echo "run.sh: there is no fuzz target ${only:+$only }in $build/tests" >&2
  exit 2
}
rm -f "$build"/claims/* "$build/stop"
make_seeds
commit=$(git -C "$source" rev-parse --short HEAD 2>/dev/null || echo unknown)
goal=$(spent | awk -v step="$seconds" 'NR == 1 { print (int($1 / step) + 1) * step }')
echo "fuzzing each target up to $goal seconds of CPU"
workers=
for _ in $(seq "$(nproc)"); do
  work &
  workers="$workers $!"
done
# shellcheck disable=SC2086
trap ': >"$build/stop"; kill $(cat "$build"/claims/*) 2>/dev/null; wait $workers; exit 130' INT TERM HUP
# shellcheck disable=SC2086
wait $workers
table
if [ -n "$(ls "$build/claims")" ]; then
  echo "fuzzing found something in: $(ls "$build/claims" | tr '\n' ' ')(see $build/finds)" >&2
  exit 1
fi
echo "no finds"
