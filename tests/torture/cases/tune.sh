#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A search goes on in its folder, which has every run already, and ends with a file of settings.
search='--auto-optimize --quick --rounds 1 --only queue_size --backend null --threads 1 --overwrite --save-config my.yaml --progress none clip.mp4'
prepare() {
  clip clip.mp4 6
  vrtune $search --output-dir runs
  echo old >my.yaml
}
run() { exec vrtune $search --resume runs >table; }
loose="$loose runs/* my.yaml table"
view() {
  vrseg -c my.yaml --dump-config >/dev/null && echo taken
  find runs -name '*.part' -o -name '.*'
}
