#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Wrong usage is exit code 2 with one sentence, and leaves nothing behind.
ln -s "$VRS_DATA/person_flat.mp4" clip.mp4
check() {
  if vrbench "$@"; then code=0; else code=$?; fi
  echo "exit $code: $*"
}
check
check --nonsense
check --all --full
check --net-only --all
check --json -
check --resume there --runs 3
check --resume there --cutoff 0.5
check --scope fast clip.mp4
check --mode live clip.mp4
check --pin nowhere --list clip.mp4
check --runs 0 --all
check --duration never --all
check --list --resolution 640x361 clip.mp4
check --list --batch-size 1,x clip.mp4
check --list --batch-size 1-32 clip.mp4
check --quick --output-dir ''
head -c 300000 /dev/zero > film.mp4 && check --versus film.mp4 clip.mp4
rm film.mp4
check --device 0,1 --versus default clip.mp4
check --list --set engine.buffer_pool=true clip.mp4
check --list --set output.preset clip.mp4
check --list --set no.such.option=1 clip.mp4
check --list --filter '(' clip.mp4
check --list --sweep nonsense clip.mp4
check --net-only --threads 1,2
# nothing of a command is left out without a word
check --net-only clip.mp4
check --net-only --crf 20
check --net-only --encoder ffv1
check --resume there --max-frames 5
check --resume there --profile fast
check --all --list --dry-run
check --all --seed 0
check --list --threads 1,2 --set engine.threads=3,4 clip.mp4
check --list --threads 1 --set engine.threads=3,4 clip.mp4
check --list --resolution own --set resolution=1080p clip.mp4
check --list --queue-size 3 --set pipeline.queue_size=4,5 clip.mp4
check --list --set output.crf=20 --set output.crf=30 clip.mp4
check --list --set output.crf=18,20 --set output.quality=50,60 clip.mp4
check --versus output.crf=18,output.quality=50 clip.mp4
check a.mp4 b.mp4
vrbench --threads 3 --dump-config | grep -c "threads: 3 .*flag"
ls
