#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The parts of ./test.sh --night, which reads this file.  Each is a function night_NAME; all run, also after one that failed.

night_parts='tests asan tsan valgrind msan fuzz cppcheck tidy analyzer coverage'

# Tests of the release build that take minutes each, and the figures of long runs.
night_tests() {
  build release
  run_tests release -V -L '^night$'
}

# What moved from the quick tests to the full ones still runs under sanitizers here.
night_asan() {
  build asan
  run_tests asan -L '^full$'
}

night_tsan() {
  build tsan
  run_tests tsan -L '^(quick|full)$' -R '^(unit\.(backend|base|compose|flow|opencl|pipeline|roi|segments|session|video)|cli)\.' \
    -E 'test_(truth_clips|sharp_truth|golden)'
}

# Memcheck of the release build: cmake -DVRS_VALGRIND=ON puts it before every test, and before the programs of command-line tests.
# valgrind 3.19 has no seccomp, which --sandbox and test_syscall_filter need, and does not start /proc/self/exe, as test_paths and worker processes
# (whole_jobs) do.
night_valgrind() {
  build valgrind
  run_tests valgrind -L '^quick$' -R '^(unit|fuzz|cli)\.' -E 'test_(memory_use|paths|proc|runner_kill|syscall_filter)|vrseg\.(sandbox|whole_jobs)'
}

# Parsers of files from strangers.  The libraries below them are not instrumented: engine/base/mem.c and tests/msan say how that is dealt with.
# test_memory_use and test_proc count what MemorySanitizer itself takes.
night_msan() {
  # shellcheck disable=SC2046
  build msan $(basename -s .c tests/unit/base/test_*.c tests/unit/config/test_*.c tests/unit/graph/test_*.c)
  run_tests msan -R '^unit\.(base|config|graph)\.' -E 'test_(memory_use|proc)$'
}

night_fuzz() {
  fuzz 20
}

sources() {
  find engine bench tuner analyzer reports -name '*.c'
}

night_cppcheck() {
  # shellcheck disable=SC2046
  part cppcheck cppcheck -q -j "$jobs" --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 -D__x86_64__=1 \
    -D__linux__=1 -D_GNU_SOURCE -I engine/include -I engine -I . --suppressions-list=scripts/cppcheck.supp $(sources)
}

# The headers that the build makes: without them a file is not read to its end.
generated() {
  configure_and_build release onnx_proto vrs_version >/dev/null
}

# The checks are those of .clang-tidy.
night_tidy() {
  generated
  sources | grep -v '_avx' | part clang-tidy xargs -P "$jobs" -n 8 clang-tidy -p build/release --quiet
}

night_analyzer() {
  generated
  part 'gcc and clang analyzers' scripts/analyzer.sh
}

# The table is made of what ran, also where a test fails.  A program in the sandbox may not write its counts, and would say so among what is compared;
# the faults of tests/torture would meet the writing of counts too.
night_coverage() {
  build coverage
  find build/coverage -name '*.gcda' -delete
  tested=0
  (run_tests coverage -L '^(quick|full)$' -E 'vrseg\.sandbox|^torture') || tested=1
  part coverage scripts/coverage.sh build/coverage
  return $tested
}
