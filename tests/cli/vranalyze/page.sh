#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the page lies beside the result or where --html says, a folder stands for its results.json, and the page needs no other file.
mkdir run
cp "$VRS_TEST_DIR/files/results/three-cases.json" run/results.json
vranalyze run >/dev/null
vranalyze run --html other.html >/dev/null
ls . run
grep -c '<svg' run/report.html
grep -oiE '(src|href)="?(https?:|//|file:|plots)[^ >]*' run/report.html || echo "nothing is loaded from elsewhere"
cmp run/report.html other.html
