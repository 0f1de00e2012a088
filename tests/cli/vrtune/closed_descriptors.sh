#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: whichever of standard input, output and error are closed, vrtune finds and saves a configuration that vrseg takes.
. "$VRS_TEST_DIR/cli/closed.sh"
for closed in none 0 1 2 01 02 12 012; do
  code=0
  without $closed vrtune --auto-optimize --quick --only threads --rounds 1 --max-frames 3 --backend null --save-config $closed.yaml \
    synth:128x64,frames=60 || code=$?
  vrseg -c $closed.yaml synth:128x64,frames=3 -o null: >/dev/null 2>&1 || echo "vrseg: exit $?"
  echo "without $closed: exit $code, $(grep -c '^# Made by vrtune' $closed.yaml) head"
done
