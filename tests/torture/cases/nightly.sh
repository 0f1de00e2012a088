#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A night appended to a history.  Who gives the command again after it has failed late has two nights, so what must hold is this: every line is whole,
# and numbers have no gap.
prepare() {
  clip clip.mp4 6
  bench_once
  printf 'mode: one-at-a-time\naxes:\n  scope: [net_only]\n' >one.yaml
  vrbench nightly --history nights $night clip.mp4 >table
}
night='--sweep one.yaml --threads 1 --backend null --warmup 0.01 --duration 0.02 --min-frames 2 --gates off --runs 1 --progress none'
run() { exec vrbench nightly --history nights $night --badge badge.json --junit night.xml clip.mp4 >table; }
loose="$loose nights/* table badge.json night.xml"
view() { whole_history nights; }
