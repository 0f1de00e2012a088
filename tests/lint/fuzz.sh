#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every fuzz target has a corpus and a row in the table of docs/testing.md that says for how long it ran; the corpora stay small.
#   fuzz.sh SOURCE_DIR [BUILD_DIR]
set -eu
cd "$1"
status=0

for file in tests/fuzz/fuzz_*.c; do
  name=$(basename "$file" .c)
  name=${name#fuzz_}
  [ -n "$(ls "tests/fuzz/corpus/$name" 2>/dev/null)" ] || {
    echo "$file: tests/fuzz/corpus/$name holds no file"
    status=1
  }
  grep -q "^| $name | [0-9]* | [0-9]* | [0-9]* | [0-9]* | [-0-9]* |\$" docs/testing.md || {
    echo "$file: no row in docs/testing.md: run ./test.sh --fuzz 60 $name and tests/fuzz/keep.sh . build/fuzz"
    status=1
  }
done

bytes=$(find tests/fuzz -mindepth 3 -type f -exec cat {} + | wc -c)
[ "$bytes" -lt 2000000 ] || {
  echo "tests/fuzz: corpora of $bytes bytes, 2000000 at most"
  status=1
}
exit $status
