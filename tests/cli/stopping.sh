#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# For cases that stop programs:   . "$VRS_TEST_DIR/cli/stopping.sh"

# ends SIGNAL PID WHAT: one signal; prints WHAT and the exit code.  A program that has not ended after 10 s is killed, and "late" is printed: on an
# idle machine it takes one second (docs/performance-log.md).
ends() {
  (sleep 10 && kill -KILL "$2" && echo "late:") 2>/dev/null &
  dog=$!
  kill -"$1" "$2"
  code=0
  wait "$2" || code=$?
  kill $dog 2>/dev/null || true
  wait $dog 2>/dev/null || true
  echo "$3: $code"
}

# until FILE holds a line that matches PATTERN, or the program has ended
ready() {
  until grep -q "$2" "$1" 2>/dev/null || ! kill -0 "$3" 2>/dev/null; do sleep 0.05; done
}
