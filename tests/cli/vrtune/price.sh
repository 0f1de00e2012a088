#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards what a search knows beside speeds with precision auto, the default: what the encoder keeps (SSIM) of the default and of a coarser setting, so
# that this is not taken for its speed alone; a default in its results, so that --pick finds something to hold cases against; and that a search goes
# on with its own video and settings, or not at all.
cp "$VRS_DATA/person_flat.mp4" a.mp4
cp a.mp4 b.mp4
search() { # OPTION...
  code=0
  vrtune --auto-optimize --quick --rounds 1 --only crf --crf 20,30 --threads 1 --max-frames 12 --progress none "$@" >out 2>err || code=$?
  echo "exit $code"
}
search --output-dir runs --save-config my.yaml a.mp4
grep -cE '^# What the encoder keeps \(SSIM\): 0\.[0-9]+; default 0\.[0-9]+$' my.yaml
grep -oE 'SSIM 0\.[0-9]+ of what is encoded is below' out | sed 's/0\.[0-9]*/N/' | sort -u
vrtune --pick smallest --max-iou-loss 1 runs >picked
sed -nE 's/ (fps|low)=[0-9.]*//g; s/p=[a-z0-9]*/p=P/; /^VERDICT/p' picked
search --resume runs
search --resume runs b.mp4
sed 's#/[^ ]*/a.mp4#.../a.mp4#' err
search --resume runs --preset superfast
sed 's#/[^ ]*/a.mp4#.../a.mp4#' err
# What is searched for is a setting, too; how long it may take is none.
for other in "--only preset" "--only crf --max-iou-loss 0.1" "--only crf --objective size --target-fps 1" "--only crf --strategy descent" \
  "--only crf --strategy auto --rounds 2 --budget 5m"; do
  code=0
  vrtune --auto-optimize --quick --crf 20,30 --threads 1 --max-frames 12 --progress none --resume runs $other >out 2>err || code=$?
  echo "exit $code: $other"
  cat err
done
echo 'target: {max_latency_ms: 40}' >latency.yaml
search -c latency.yaml --output-dir later a.mp4
cat err
search --objective quality --target-fps 1 --output-dir better a.mp4
cat err
