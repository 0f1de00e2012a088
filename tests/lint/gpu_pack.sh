#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every program that scripts/measure-gpu.sh packs is one that the build makes, so that a pack does not lack one on the day a GPU is there.
#   gpu_pack.sh SOURCE_DIR BUILD_DIR
set -eu
[ -f "$2/build.ninja" ] && ! grep -q '^VRS_FUZZ:BOOL=ON' "$2/CMakeCache.txt" || {
  echo "not a build with ninja that has all tests"
  exit 77
}
status=0
programs=$(sh "$1/scripts/measure-gpu.sh" programs)
[ -n "$programs" ] || status=1
for program in $programs; do
  grep -q "^build $program[ :]" "$2/build.ninja" || {
    echo "scripts/measure-gpu.sh: the build makes no $program"
    status=1
  }
done
for file in measure-gpu.awk measure-gpu-peer.py; do
  [ -f "$1/scripts/$file" ] || {
    echo "scripts/measure-gpu.sh: there is no scripts/$file"
    status=1
  }
done
exit $status
