#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a name with escape sequences or line breaks reaches a terminal as text, in results, tables and messages, and the file keeps its name.
name=$(printf 'red\033[31m\nvrseg: done\302\233.mp4')
cp "$VRS_DATA/person_flat.mp4" "$name"
run() {
  code=0
  vrseg "$@" --max-frames 2 --progress none >stdout 2>stderr || code=$?
  controls=$(cat stdout stderr | LC_ALL=C tr -d '\n -~' | LC_ALL=C tr -cd '\000-\037\177\233' | wc -c)
  echo "exit $code, $controls control characters, $(cat stdout stderr | grep -c '^vrseg: done') forged lines"
}
run "$name" -o out.mp4
run "$name" "$VRS_DATA/person_flat.mp4" --output-dir out
grep -c '^red\\x1b\[31m\\x0avrseg: done\\xc2\\x9b.mp4 .* done ' stdout
run "$name"
run "$name" --preview 0
run "missing $name" -o x.mp4
grep -c 'missing red\\x1b\[31m\\x0avrseg: done\\xc2\\x9b.mp4' stderr
run "$VRS_DATA/person_flat.mp4" -c "$name"
ls out | cat -v
