#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A measurement with its journal and results.
prepare() {
  clip clip.mp4 6
  bench_once
}
run() { exec vrbench $short --runs 1 --batch-size 1,2 --overwrite --output-dir out clip.mp4 >table; }
loose="$loose out/* table"
view() {
  jq -S '[.complete, [.cases[].id]]' out/results.json
  find out -name '*.part' -o -name '.*'
}
