#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A folder of inputs, one of which has its output already.
prepare() {
  mkdir in in/sub out
  clip in/a.mp4 3
  clip in/sub/b.mp4 3
  clip in/c.mp4 3
  cp in/c.mp4 out/c_green.mp4
}
run() { exec vrseg in --recursive --output-dir out --overwrite --backend null $quiet >table; }
streams=table
view() { sed 's/ [0-9]*\.[0-9][0-9]/ N/g; s/  */ /g' table; }
loose="$loose table"
