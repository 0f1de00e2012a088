#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: what vrbench and vrtune write for later runs says what the job is, never how their own run went: vrseg refuses to replace a file with it,
# and vrbench and vrtune take it again.
clip=$VRS_DATA/person_flat.mp4
cat >own.yaml <<'END'
output: {file: taken.mkv, overwrite: true, crf: 30, skip_existing: true}
report: {progress: none, log_level: error, log_file: log, stats: true, trace: trace.json, profile: true}
pipeline: {max_frames: 40, keep_partial: true, resume: false}
input: {start: 0.1, duration: 1, recursive: true}
matte.gamma: 1.1
END
run() {
  code=0
  "$@" >out 2>err || code=$?
  [ $code -eq 0 ] || cat err
}
run env VRSEG_OUTPUT_OVERWRITE=true vrbench -c own.yaml --overwrite -n 20 --threads 1 --runs 1 --warmup 0.1 --min-frames 2 --gates off --no-graphs \
  --log-level error --strict --output-dir results "$clip"
echo "vrbench: exit $code"
run env VRSEG_OUTPUT_OVERWRITE=true vrtune -c own.yaml --overwrite -n 20 --auto-optimize --quick --rounds 1 --only threads --log-level error \
  --strict --save-config tuned.yaml "$clip"
echo "vrtune: exit $code"
for file in results/recommended.yaml tuned.yaml; do
  echo "# $file"
  sed -n 's/^\([a-z]*:\)$/\1/p; s/^  \(crf\|gamma\|[a-z_]*\): .*/  \1/p' $file | grep -v '^  threads$\|^engine:$'
  : >out.mkv
  code=0
  vrseg "$clip" -c $file -o out.mkv --max-frames 1 2>&1 || code=$?
  echo "vrseg: exit $code, $(wc -c <out.mkv) bytes"
  run vrseg "$clip" -c $file -o new.mkv --overwrite --max-frames 2
  echo "vrseg --overwrite: exit $code"
  run vrbench -c $file --dump-config
  echo "vrbench: exit $code, $(grep -c 'gamma: 1.1 ' out)"
  run vrbench -c $file --dry-run --threads 1 --runs 1 "$clip"
  echo "vrbench: exit $code"
  run vrtune -c $file --dump-config
  echo "vrtune: exit $code, $(grep -c 'overwrite: false ' out)"
done
# Every line of progress names its program.
run vrtune --detect-bottlenecks --quick --threads 1 --max-frames 12 --progress plain "$clip"
echo "vrtune: exit $code, $(grep -c '^vrtune: ' err) lines, $(grep -vc '^vrtune: ' err) others" | sed 's/ [1-9][0-9]* lines/ some lines/'
