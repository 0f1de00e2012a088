#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: several results, and folders of them, are listed, each case over those that have it; --output-dir holds the report of all and of each, and
# nothing is written elsewhere; one that is damaged is told, left out, and the exit code; --format html is the page, with its graphs.
good=$VRS_TEST_DIR/files/results/three-cases.json
mkdir -p nights/monday nights/tuesday/plots nights/other
cp "$good" nights/monday/results.json
sed 's/2026-01-02/2026-01-03/' "$good" >nights/tuesday/results.json
cp "$good" nights/tuesday/plots/results.json # inside of a result: no result of its own
sed 's/2026-01-02/2026-01-04/' "$good" >nights/other/loose.json
echo '{"schema": "something/1"}' >nights/other/env.json
vranalyze nights
find . -name report.html
vranalyze nights/monday nights/tuesday --output-dir out --format csv | sed -n '1,9p'
find out -name '*.html' -o -name '*.md' -o -name '*.csv' | sort
find out -name '*.svg' | wc -l | grep -c '^ *[1-9]'
head -c 3000 "$good" >nights/other/loose.json
code=0
vranalyze nights --format json >all.json || code=$?
echo "exit $code"
grep -o 'Left out: nights/other/loose.json:[^"]*' all.json
# One result with --output-dir: nothing beside it.
vranalyze nights/monday --output-dir one >/dev/null
ls nights/monday one
vranalyze nights/monday --format html >page.html
grep -c '<svg' page.html
cmp page.html one/report.html && echo "the same page"
ls nights/monday
vranalyze nights/tuesday --no-html --format html | grep -c '<svg'
