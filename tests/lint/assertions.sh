#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Assertions: at least FLOOR of them in 1,000 lines of the code whose faults would be silent, by subject; no assert() of <assert.h>, which NDEBUG
# turns off in the sanitizer builds; and a build has them in its objects exactly where it promises them (cmake/options.cmake).
#   assertions.sh SOURCE_DIR [BUILD_DIR]     prints "SUBJECT LINES ASSERTIONS PER_1000" for each subject
set -eu
cd "$1"
FLOOR=3
status=0

# subject TEXT FILE...
subject() {
  name=$1
  shift
  cat "$@" | awk -v name="$name" -v floor="$FLOOR" '
    /(^|[^A-Z_])VRS_ASSERT\(/ && !/#define/ { n++ }
    END {
      rate = 1000 * n / NR
      printf "%s %d %d %.1f%s\n", name, NR, n, rate, rate < floor ? "  too few: at least " floor " in 1,000 lines" : ""
      exit rate < floor
    }' || status=1
}

subject kernels engine/kernels/*.[ch]
subject plans engine/backend/cpu/plan/*.[ch]
subject rows engine/backend/cpu/exec/*.[ch]
subject arenas engine/graph/mem_plan.[ch] engine/backend/backend_ref.c
subject queues engine/flow/*.[ch] engine/compose/frame_pool.[ch] engine/backend/thread_pool.[ch]
subject graph engine/graph/pass*.[ch] engine/graph/ir*.[ch]

plain=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<assert\.h>|(^|[^A-Za-z0-9_])assert\(' --include='*.[ch]' \
  engine bench tuner analyzer reports |
  grep -vE ':[[:space:]]*(/?\*|//)' || true)
if [ -n "$plain" ]; then
  echo "$plain"
  echo "use VRS_ASSERT of base/assert.h"
  status=1
fi

if [ $# -gt 1 ] && [ -f "$2/libvrs_kernels.a" ]; then
  promised=no
  there=no
  grep -Eq '^(CMAKE_BUILD_TYPE:[A-Z]*=(Debug|None)|VRS_SANITIZE:[A-Z]*=.+|VRS_FUZZ:[A-Z]*=ON)$' "$2/CMakeCache.txt" && promised=yes
  nm "$2/libvrs_kernels.a" 2>/dev/null | grep ' U vrs_assert_fail' >/dev/null && there=yes
  if [ $promised != $there ]; then
    echo "assertions in the objects of this build: $there; its type promises: $promised"
    status=1
  fi
fi
exit $status
