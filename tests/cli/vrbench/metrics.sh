#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --metrics-file and --metrics-port of vrbench: runs by outcome, progress and figures are there in the form that promtool takes; the file keeps
# how the last run ended, also by a failure; a plan that is only printed is no run; a resumed measurement counts what it had.
clip=$VRS_DATA/person_flat.mp4
measure() { # FLAG...
  vrbench "$clip" --precision fp32,fp16 --threads 1 --runs 2 --warmup 0.1 --duration 0.2 --min-frames 2 --max-frames 12 --no-graphs --gates off \
    --metrics-file bench.prom "$@" >report 2>messages
}
counts() {
  some='running|last_run_exit_code|runs_total|runs_done|runs_planned|round|rounds|measuring|cases_skipped_total|remaining_seconds|case_info'
  grep -E "^vrbench_($some)[ {]" bench.prom
}
measure --list --output-dir out
measure --dry-run --output-dir out
ls bench.prom 2>/dev/null || echo "a plan leaves no file"
measure --output-dir out
counts
promtool check metrics <bench.prom
awk '/^vrbench_(run|case)_frames_per_second / { print $1, ($2 > 1) }' bench.prom
success=$(grep '^vrbench_last_success' bench.prom)

echo "== a failure leaves the last success"
measure --output-dir out || echo "exit $?"
counts | head -3
test "$(grep '^vrbench_last_success' bench.prom)" = "$success"

echo "== resumed: nothing is left to do"
vrbench --resume out --metrics-file bench.prom >report 2>messages
counts | grep -E 'exit_code|runs_total.*ok'

echo "== refused"
vrbench "$clip" --metrics-port 99999 --output-dir other 2>&1 || echo "exit $?"
vrbench "$clip" --metrics-file "$clip" --output-dir other 2>&1 | sed "s|$VRS_DATA/||" || :
vrtune --auto-optimize --metrics-file x.prom 2>&1 || echo "exit $?"
ls other 2>/dev/null || :
