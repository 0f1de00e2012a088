#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The page of a result, and a table on standard output.
prepare() {
  mkdir run
  cp "$VRS_DATA/../files/results/three-cases.json" run/results.json
  echo old >run/report.html
}
run() { exec vranalyze run --format csv >table.csv; }
streams=table.csv
