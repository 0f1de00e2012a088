#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: wrong usage is exit code 2 with one sentence.
for line in "" "--nonsense" "--fromat text r.json" "--format yaml r.json" "--format" \
  "--fail-on speed r.json" "r.json s.json" "--html a.html --no-html r.json" "compare" "compare r.json"; do
  code=0
  # shellcheck disable=SC2086
  vranalyze $line || code=$?
  echo "exit $code: $line"
done
ls
