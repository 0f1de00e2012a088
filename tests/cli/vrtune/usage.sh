#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: wrong usage is exit code 2 with one sentence, before anything is measured.
ln -s "$VRS_DATA/person_flat.mp4" clip.mp4
check() {
  code=0
  vrtune "$@" || code=$?
  echo "exit $code: $*"
}
check
check clip.mp4
check --nonsense
check --auto-optimise clip.mp4
check --auto-optimize --detect-bottlenecks clip.mp4
check --auto-optimize a.mp4 b.mp4
check --auto-optimize --resume there --output-dir here clip.mp4
check --auto-optimize --rounds 0 clip.mp4
check --auto-optimize --max-iou-loss much clip.mp4
check --auto-optimize --only colour clip.mp4
check --detect-bottlenecks --save-config my.yaml clip.mp4
check --auto-optimize --save-config
check --detect-bottlenecks --target-fps 90 clip.mp4
check --auto-optimize --max-latency-ms 20 clip.mp4
check --auto-optimize --objective size clip.mp4
check --auto-optimize --objective speed clip.mp4
check --detect-bottlenecks --min-iou 0.9 clip.mp4
check --auto-optimize --min-iou 1.1 clip.mp4
check --auto-optimize --finish-by 06:00 clip.mp4
check --auto-optimize --frames 100 clip.mp4
check --auto-optimize --finish-by 6am --frames 100 clip.mp4
check --auto-optimize --finish-by 24:00 --frames 100 clip.mp4
check --auto-optimize --finish-by 06:00 --frames 100 --target-fps 30 clip.mp4
check --auto-optimize --finish-by 06:00 --frames 100 --budget 25h clip.mp4
check --auto-optimize --finish-by 06:00 --frames 100 --budget 25h --resolution own,320x240,4k,8k clip.mp4 # a final for each, one budget
check --auto-optimize --max-bitrate 20 --bitrate 30M clip.mp4
check --auto-optimize --max-bitrate 20 --lossless clip.mp4
check --auto-optimize --memory-limit none clip.mp4
check --auto-optimize --strategy luck clip.mp4
check --detect-bottlenecks --strategy descent clip.mp4
check --auto-optimize --searches 3 clip.mp4
check --auto-optimize --replay-noise 10 clip.mp4
check --auto-optimize --try clip.mp4
check --auto-optimize --budget never clip.mp4
check --replay nosuch
check --replay nosuch clip.mp4
check --replay nosuch --auto-optimize
ls
# No clip is drawn for what is refused anyway.
check --auto-optimize --only colour
check --auto-optimize --save-config nowhere/my.yaml
check --auto-optimize --model nosuch
check --auto-optimize --input-size 512x512 --strict
check --detect-bottlenecks --input-size 100x100 --strict
find "$XDG_CACHE_HOME" -name '*.mkv'
