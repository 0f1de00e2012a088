#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What the cases share: small clips, and options that make a run short.
# shellcheck source=tests/small_network.sh
. "$VRS_DATA/../small_network.sh"
clip() { # FILE FRAMES [OPTION...]
  file=$1
  frames=$2
  shift 2
  ffmpeg -v error -i "$VRS_DATA/person_flat.mp4" -vf scale=64:64 -frames:v "$frames" -c:v libx264 -preset ultrafast -g 3 -an "$@" "$file"
}
view() { :; }
still='--progress none --log-level warning --threads 1 --streams 1' # of pictures, which take no preset
quiet="--preset ultrafast $still"
short='--threads 1 --backend null --warmup 0.01 --duration 0.02 --min-frames 2 --gates off --no-graphs'
loose='.cache* .home* .state*'
# What vrbench and vrtune measure once and keep: the peaks of the machine.
bench_once() {
  vrbench $short --runs 1 --output-dir once clip.mp4
  rm -r once
}
# Is each line of a history that ends whole, are numbers without a gap, and is nothing left of a writer?  A last line without its end does not count.
whole_history() { # DIR
  for file in "$1"/*.jsonl; do
    sed -n '$!p' "$file"
    tail -c 1 "$file" | grep -q . || tail -n 1 "$file"
  done | jq -s '[.[] | .number // empty] as $n | [.[] | .schema] | unique, ($n == [range(1; ($n | length) + 1)])' | tr -d '\n'
  find "$1" -name '*.part'
}
