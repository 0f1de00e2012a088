#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every global symbol of the static libraries starts with vrs_.  Symbols that sanitizers and coverage add start with two underscores.
#   symbols.sh SOURCE_DIR BUILD_DIR
set -eu
cd "$2"

set -- libvrs_*.a
if [ ! -f "$1" ]; then
  echo "no libraries in $(basename "$PWD"): build first"
  exit 77
fi
nm -A -g --defined-only "$@" 2>/dev/null | awk '
  # libvrs_base.a:mem.c.o:0000000000000000 T vrs_alloc
  NF == 3 && $NF !~ /^vrs_/ && $NF !~ /^__/ && $NF !~ /^\.?_*(asan|odr_asan|ubsan|tsan)/ {
    split($1, part, ":")
    printf "%s: %s: global symbol %s does not start with vrs_\n", part[1], part[2], $NF
    bad = 1
  }
  END { exit bad }'
