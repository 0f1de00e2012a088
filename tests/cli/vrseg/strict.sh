#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards warnings about settings: one line each, silent below their level wherever --log-level comes from, in the log file, and errors (2) of every
# program with --strict.
printf 'lama_batch: 8\n' >planned.yaml
printf 'report.strict: true\ngpu.allow_tf32: true\n' >strict.yaml
check() {
  code=0
  "$@" 2>&1 >out || code=$?
  echo "exit $code: $*"
}
check vrseg -c planned.yaml --dump-config
check vrseg -c planned.yaml --dump-config --log-level error
check env VRSEG_REPORT_LOG_LEVEL=error vrseg -c planned.yaml --dump-config
check vrseg -c planned.yaml --dump-config --log-file log
cat log
check vrseg -c strict.yaml --dump-config
check vrseg -c strict.yaml --no-strict --dump-config
check vrseg -c planned.yaml --strict -o out.mp4 clip.mp4
check vrbench -c planned.yaml --strict --list
check vrtune -c planned.yaml --strict --auto-optimize
check vranalyze -c planned.yaml --strict results.json
check vrseg --strict --dump-config
check vrseg --strict --gpu-id 0 -o out.mp4 clip.mp4
ls
