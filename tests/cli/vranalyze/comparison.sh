#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: an A/B keeps the verdicts that it was measured for: each metric with interval, MDE and verdict, the injected slowdown named, in text and
# page, and a line for scripts for each metric.
mkdir ab
cp "$VRS_TEST_DIR/files/results/ab.json" ab/results.json
vranalyze ab >out 2>/dev/null
sed '/^Speed/,$d' out
grep -A 1 -E '^(warning|note: (latency|peak))' out
grep '^VERDICT' out
grep -c 'A against B' ab/report.html
grep -o 'B was slowed by 20 % on purpose' ab/report.html | head -n 1
grep -c 'Against the default' ab/report.html
