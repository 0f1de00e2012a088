#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a result has one answer, that of its runs.  Summaries in the file are made of them anew; comparisons that contradict them are refused, and
# so are two cases with one id.
files=$VRS_TEST_DIR/files/results
go() {
  code=0
  vranalyze "$@" 2>&1 || code=$?
  echo "exit $code"
}
try() { # CASE FILTER: an A/B that was changed
  mkdir "$1"
  jq "$2" "$files/ab.json" >"$1/results.json"
  code=0
  vranalyze "$1" >out 2>err --no-html || code=$?
  echo "$1: exit $code$(sed 's/.*results.json//' err)"
}
echo 'fps: {vr: 10}' >ten.yaml
mkdir slow
jq '.cases[].runs[].fps /= 10' "$files/three-cases.json" >slow/results.json
go slow --no-html --targets ten.yaml --fail-on target | grep -E '^ *fps\.vr|^exit'
go compare "$files/three-cases.json" slow | grep -E '^ *FPS|^exit'
mkdir whole median
cp "$files/three-cases.json" whole/results.json
jq '.cases[0].fps.median = 99' "$files/three-cases.json" >median/results.json
vranalyze whole --no-html | tr -s ' ' >a
vranalyze median --no-html | tr -s ' ' >b
cmp a b && echo "the same report"
echo "-- comparisons"
try whole_ab .
try slower '(.cases[] | select(.id | endswith("side=B")).runs[].fps) *= 0.7'
try fewer '(.cases[] | select(.id | endswith("side=B")).runs) |= .[:5]'
try change '.comparisons[0].change = 0.1'
try faster '.comparisons[0].verdict = "FASTER"'
try equivalent '.comparisons[0].verdict = "EQUIVALENT"'
try outside '.comparisons[0].low = 0.21'
try no_runs '.cases[].runs = []'
echo "-- two cases with one id"
mkdir twice
jq '.cases += [.cases[0]]' "$files/three-cases.json" >twice/results.json
go twice --no-html
go compare "$files/three-cases.json" twice
