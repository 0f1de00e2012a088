#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the tables of a known result, word for word; with --no-html nothing is written.
cp "$VRS_TEST_DIR/files/results/three-cases.json" results.json
vranalyze results.json --no-html
ls
