#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: markdown and JSON go to standard output alone; the same folder name works with and without a slash at its end.
mkdir run
cp "$VRS_TEST_DIR/files/results/three-cases.json" run/results.json
vranalyze run/ --no-html --format markdown | sed -n 1,12p
vranalyze run --no-html --format json | cut -c 1-60 | head -n 3
