#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A measurement goes on in its folder, where one of two runs is missing.
prepare() {
  clip clip.mp4 6
  vrbench $short --runs 1 --batch-size 1,2 --output-dir out clip.mp4
  sed -i '$d' out/journal.jsonl
}
run() { exec vrbench --resume out >table; }
loose="$loose out/* table"
view() {
  jq -S '[.complete, [.cases[].id]]' out/results.json
  find out -name '*.part' -o -name '.*'
}
