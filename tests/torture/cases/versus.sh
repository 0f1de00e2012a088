#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One configuration against another.
prepare() {
  clip clip.mp4 6
  bench_once
}
run() { exec vrbench --versus output.crf=20 $short --runs 2 --fail-on none --overwrite --output-dir out clip.mp4 >table; }
loose="$loose out/* table"
view() {
  jq -S '[.complete, [.cases[].id]]' out/results.json
  find out -name '*.part' -o -name '.*'
}
