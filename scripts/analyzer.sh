#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# gcc -fanalyzer, and the analyzer of clang as far as .clang-tidy leaves it out, over every source file of our own.  What is known to be wrong about
# them stands in scripts/analyzer.known, one a line: "FILE WARNING  # reason"; anything else fails, and so does a file that does not compile.
#   analyzer.sh [FILE...]
set -eu
[ $# -gt 0 ] || set -- $(find engine bench tuner analyzer reports -name '*.c' ! -name '*_avx*')
found=$(mktemp)
log=$(mktemp)
trap 'rm -f "$found" "$log"' EXIT
flags="-Iengine/include -Iengine -I. -Ibuild/release/generated -DVRS_LIBEXEC_FROM_BIN=\"..\" $(pkg-config --cflags libavformat libfyaml libcjson)"
export flags
printf '%s\n' "$@" | xargs -P "$(nproc)" -I FILE sh -c '
  { gcc -std=c11 -O1 -fanalyzer -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 $flags -c FILE -o /dev/null 2>&1 || echo "FILE does not compile"; } |
    grep "error: \|\[-Wanalyzer\|does not compile\$" || true' >"$log"
# One file a process: clang-tidy 14 takes every va_list behind the first file for uninitialised.  status.c defines what static_checks.h stands for.
printf '%s\n' "$@" | grep -v '^engine/base/status\.c$' | xargs -P "$(nproc)" -I FILE sh -c '
  clang-tidy -p build/release --quiet --checks="-*,clang-analyzer-core*,clang-analyzer-valist*" --warnings-as-errors=-* --extra-arg=-I. \
    --extra-arg=-I"$PWD" --extra-arg=-include --extra-arg=scripts/static_checks.h --extra-arg=-DVRS_ASSERTIONS FILE 2>/dev/null |
    grep "error: \|warning: " || true' | sed "s#^$PWD/##" >>"$log"
if grep -v '\[-Wanalyzer\|\[clang-analyzer' "$log"; then
  exit 1
fi
sed -n 's/^\([^:]*\):.*\[\(-W\)\{0,1\}\([A-Za-z.-]*\)\]$/\1 \3/p' "$log" | sort -u >"$found"
sed 's/ *#.*//' scripts/analyzer.known | sort -u | awk '
  FNR == NR { known[$0] = 1; next }
  { seen[$0] = 1 }
  !($0 in known) { print "new: " $0; bad = 1 }
  END {
    for (line in known) if (line != "" && !(line in seen)) print "no longer seen: " line
    exit bad
  }' - "$found"
