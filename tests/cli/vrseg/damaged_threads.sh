#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: what a decoder conceals does not depend on how many threads it has, also where a file is damaged again after a healthy stretch.
command -v ffmpeg >/dev/null || exit 77

damage() { # FILE SEED: eight bytes of it
  size=$(stat -c %s "$1")
  awk -v size="$size" -v seed="$2" 'BEGIN { srand(seed); for (i = 0; i < 8; i++) print int(size * (0.1 + 0.8 * rand())), int(256 * rand()) }' |
    while read -r at value; do
      printf "\\$(printf %o "$value")" | dd of="$1" bs=1 seek="$at" conv=notrunc status=none
    done
}

# Only the blurred background shows what was decoded.
pictures() { # FILE OPTION...
  vrseg "$@" -o out.mkv --encoder ffv1 --backend null --model selfie_segmentation --no-refine --threads 1 --background blur --blur 0.01 --overwrite \
    --progress none >/dev/null 2>message || echo "exit $?"
  grep -q 'damaged data' message || echo 'no damage'
  ffmpeg -v error -i out.mkv -map 0:v -f framemd5 - | md5sum
}

ffmpeg -v error -f lavfi -i testsrc2=s=160x128:d=6:r=25 -c:v libx264 -g 12 -bf 2 -preset fast -threads 1 whole.mkv
for seed in 1 2 3; do
  cp whole.mkv in.mkv
  damage in.mkv $seed
  pictures in.mkv --decode-workers 1 >one
  for threads in 2 5; do
    pictures in.mkv --decode-workers $threads | cmp - one && echo "$threads threads: as with one"
  done
done
