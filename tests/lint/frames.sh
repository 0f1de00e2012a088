#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# No function of the programs takes more than 128 KiB of stack: threads have 2 MiB (base/stacks.h), and a stack that overflows ends the program
# without a word.
#   frames.sh SOURCE_DIR BUILD_DIR
set -eu
if [ ! -x "$2/bin/vrseg" ] || ! command -v objdump >/dev/null; then
  echo "no programs, or no objdump on this machine"
  exit 77
fi
if ! grep -q '^VRS_SANITIZE:[A-Z]*=$' "$2/CMakeCache.txt" && grep -q '^VRS_SANITIZE:' "$2/CMakeCache.txt"; then
  echo "sanitizers make frames larger"
  exit 77
fi
for program in vrseg vrbench vrtune vranalyze ../libexec/vrseg/vranalyze-matte; do
  objdump -d --no-show-raw-insn "$2/bin/$program"
done | sed -nE 's/^[0-9a-f]+ <([^>]+)>:$/function \1/p; s/.*sub +\$0x([0-9a-f]{4,7}),%rsp.*/frame \1/p' | {
  bad=0 frames=0
  while read -r kind value; do
    if [ "$kind" = function ]; then
      function=$value
      continue
    fi
    frames=$((frames + 1))
    [ $((0x$value)) -le 131072 ] || { echo "$function takes $((0x$value)) bytes of stack"; bad=1; }
  done
  # Guards this script: a listing that it cannot read has no frames.
  [ $frames -gt 100 ] || { echo "read $frames frames: the listing is not understood"; bad=1; }
  exit $bad
}
