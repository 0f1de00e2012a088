#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Sets up, builds and tests.
#
#   ./test.sh                 quick tests under AddressSanitizer and UndefinedBehaviorSanitizer, then all tests of the release build
#   ./test.sh --release       only the release build
#   ./test.sh --asan          all tests under AddressSanitizer and UndefinedBehaviorSanitizer
#   ./test.sh --tsan          the quick tests under ThreadSanitizer
#   ./test.sh --clang         the release build and all tests with clang
#   ./test.sh --fuzz SECONDS  each fuzz target for that long; finds are kept in build/fuzz/finds
set -eu
# A name that the caller gave belongs to the caller's folder.
case ${VRSEG_MODEL_ARCHIVE:-} in
  '' | /*) ;;
  *) export VRSEG_MODEL_ARCHIVE="$PWD/$VRSEG_MODEL_ARCHIVE" ;;
esac
cd "$(dirname "$0")"

jobs=$(nproc)

usage() {
  sed -n 's/^#   //p' "$0"
}

build() { # PRESET [TARGET...]
  preset=$1
  shift
  echo "== build $preset"
  cmake --preset "$preset" >"build/configure-$preset.log" 2>&1 || {
    cat "build/configure-$preset.log"
    exit 1
  }
  cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}
}

run_tests() { # PRESET CTEST_ARGUMENT...
  echo "== test $1"
  preset=$1
  shift
  (cd "build/$preset" && ctest --output-on-failure -j "$jobs" "$@")
}

# A new corpus entry is worth keeping only when somebody looks at it: finds go to the build folder.
fuzz() { # SECONDS
  case $1 in
    '' | *[!0-9]*)
      usage >&2
      exit 2
      ;;
  esac
  # shellcheck disable=SC2046
  build fuzz $(basename -s .c tests/fuzz/fuzz_*.c)
  failed=
  for target in build/fuzz/tests/fuzz_*; do
    [ -x "$target" ] || continue
    name=$(basename "$target")
    name=${name#fuzz_}
    mkdir -p "build/fuzz/grown/$name" "build/fuzz/finds/$name"
    echo "== fuzz $name for $1 s"
    "$target" -max_total_time="$1" -max_len=65536 -timeout=10 -rss_limit_mb=2048 -print_final_stats=0 -verbosity=0 \
      -artifact_prefix="build/fuzz/finds/$name/" "build/fuzz/grown/$name" "tests/fuzz/corpus/$name" >"build/fuzz/$name.log" 2>&1 ||
      {
        tail -n 60 "build/fuzz/$name.log"
        failed="$failed $name"
      }
  done
  if [ -n "$failed" ]; then
    echo "fuzzing found something in:$failed (see build/fuzz/finds)" >&2
    exit 1
  fi
  echo "no finds"
}

case ${1:-} in
  '' | --release | --asan | --tsan | --clang | --fuzz) ;;
  -h | --help)
    usage
    exit 0
    ;;
  *)
    usage >&2
    exit 2
    ;;
esac

scripts/setup.sh
case ${1:-} in
  --release)
    build release
    run_tests release
    ;;
  --asan)
    build asan
    run_tests asan
    ;;
  --tsan)
    build tsan
    run_tests tsan -L quick
    ;;
  --clang)
    build clang
    run_tests clang
    ;;
  --fuzz) fuzz "${2:-}" ;;
  *)
    build asan
    run_tests asan -L quick
    build release
    run_tests release
    ;;
esac
