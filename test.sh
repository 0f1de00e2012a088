#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Sets up, builds and tests.  Ends with the time of each part, the instruction sets that the tests covered, and the totals of ctest.
#
#   ./test.sh                 quick tests under AddressSanitizer and UndefinedBehaviorSanitizer, then quick and full tests of the release build
#   ./test.sh --release       only the release build
#   ./test.sh --asan          quick and full tests under AddressSanitizer and UndefinedBehaviorSanitizer
#   ./test.sh --tsan          the quick tests under ThreadSanitizer
#   ./test.sh --clang         quick and full tests of the release build with clang
#   ./test.sh --night [PART]  what takes hours: night tests, sanitizers over all, valgrind, MSan, static checks, coverage (parts: scripts/night.sh)
#   ./test.sh --fuzz SECONDS [NAME]  each fuzz target, or one, for that many seconds of CPU; goes on where an earlier call stopped
set -eu
# Names that the caller gave belong to the caller's folder.
case ${VRSEG_MODEL_ARCHIVE:-} in
  '' | /*) ;;
  *) export VRSEG_MODEL_ARCHIVE="$PWD/$VRSEG_MODEL_ARCHIVE" ;;
esac
case ${VRSEG_RVM_ARCHIVE:-} in
  '' | /*) ;;
  *) export VRSEG_RVM_ARCHIVE="$PWD/$VRSEG_RVM_ARCHIVE" ;;
esac
cd "$(dirname "$0")"

jobs=$(nproc)

usage() {
  sed -n 's/^#   //p' "$0"
}

# Runs one part and notes how long it took.
part() { # TITLE COMMAND...
  title=$1
  shift
  echo "== $title"
  begin=$(date +%s)
  "$@" || {
    echo "test.sh: $title failed" >&2
    exit 1
  }
  note_time "$title" "$begin"
}

note_time() { # TITLE BEGIN
  seconds=$(($(date +%s) - $2))
  printf '  %-24s %3d min %2d s\n' "$1" $((seconds / 60)) $((seconds % 60)) >>"$times"
}

configure() { # PRESET
  cmake --preset "$1" >"build/configure-$1.log" 2>&1 || {
    cat "build/configure-$1.log"
    return 1
  }
}

configure_and_build() { # PRESET [TARGET...]
  preset=$1
  shift
  configure "$preset" || return 1
  cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}
}

build() { # PRESET [TARGET...]
  part "build $1" configure_and_build "$@"
}

# ctest with its totals held back, so that they end the output of the whole suite.
run_tests() { # PRESET CTEST_ARGUMENT...
  preset=$1
  shift
  echo "== test $preset"
  begin=$(date +%s)
  {
    # Two more than there are processors: tests of streams, time limits and restarts wait for the clock.
    (cd "build/$preset" && ctest --output-on-failure -j $((jobs + 2)) "$@") && echo 0 >"$scratch/code" || echo $? >"$scratch/code"
  } | tee "$scratch/output" |
    awk -v totals="$scratch/totals" '/^[0-9]+% tests passed/ { held = 1 } { if (held) print >totals; else { print; fflush() } }'
  note_time "test $preset" "$begin"
  if [ "$(cat "$scratch/code")" -ne 0 ]; then
    show_failures
    finish "$preset"
    exit 1
  fi
}

# What failed tests printed, once more: of a log that is cut, the end is what is left.
show_failures() {
  awk -v most=60 '
    / Test +#[0-9]+: / { shown = /\*\*\*/ && !/\*\*\*Skipped/; lines = 0; if (shown) print ""; }
    /^ *Start +[0-9]+: / || /^[0-9]+% tests passed/ { shown = 0 }
    shown && ++lines <= most { print }
    shown && lines == most + 1 { print "(cut after " most " lines)" }' "$scratch/output"
}

# What the run has shown, and the totals of its last tests.
finish() { # PRESET
  echo
  echo "time of each part:"
  cat "$times"
  [ ! -x "build/$1/tests/covered_isas" ] || "build/$1/tests/covered_isas"
  [ ! -f "$scratch/totals" ] || cat "$scratch/totals"
}

fuzz() { # SECONDS [NAME]
  case $1 in
    '' | *[!0-9]* | 0)
      usage >&2
      exit 2
      ;;
  esac
  # shellcheck disable=SC2046
  build fuzz $(basename -s .c tests/fuzz/fuzz_*.c)
  part "fuzz ${2:-all targets}" tests/fuzz/run.sh "$PWD" "$PWD/build/fuzz" "$@"
}

# Every part, whatever the ones before have found.
night() { # [PART...]
  [ $# -gt 0 ] || set -- $night_parts
  failed=
  for name in "$@"; do
    case " $night_parts " in
      *" $name "*) ;;
      *)
        echo "test.sh: there is no part $name; there are: $night_parts" >&2
        exit 2
        ;;
    esac
    ("night_$name") || failed="$failed $name"
  done
  echo
  echo "time of each part:"
  cat "$times"
  [ -z "$failed" ] || {
    echo "test.sh: failed:$failed" >&2
    exit 1
  }
}

case ${1:-} in
  '' | --release | --asan | --tsan | --clang | --night | --fuzz) ;;
  -h | --help)
    usage
    exit 0
    ;;
  *)
    usage >&2
    exit 2
    ;;
esac

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
times=$scratch/times

[ "${1:-}" = --night ] && set_up=--night || set_up=
part set-up scripts/setup.sh ${set_up:+"$set_up"}
case ${1:-} in
  --fuzz)
    fuzz "${2:-}" ${3:+"$3"}
    exit
    ;;
  --night)
    . scripts/night.sh
    shift
    night "$@"
    exit
    ;;
  --release | --asan | --clang)
    last=${1#--}
    build "$last"
    run_tests "$last" -L '^(quick|full)$'
    ;;
  --tsan)
    last=tsan
    build tsan quick_tests
    run_tests tsan -L '^quick$'
    ;;
  *)
    last=release
    build asan quick_tests
    run_tests asan -L '^quick$'
    build release
    run_tests release -L '^(quick|full)$'
    ;;
esac
finish "$last"
