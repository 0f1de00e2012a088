#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The noise of the machine, kept for later measurements.  So short a measurement is called invalid (12).
prepare() {
  clip clip.mp4 6
  bench_once
}
run() {
  code=0
  vrbench --calibrate --runs 2 $short --output-dir out --overwrite clip.mp4 >table || code=$?
  [ $code -eq 12 ] || exit $code
}
loose="$loose out/* table"
view() {
  jq -S '[.complete, [.cases[].id]]' out/results.json
  find out .state -name '*.part' -o -name '.?*' ! -name .state
  find .state/vrseg/calibration -type f | wc -l
}
