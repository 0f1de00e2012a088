#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Two results compared, into a page elsewhere.
prepare() {
  mkdir a b
  cp "$VRS_DATA/../files/results/ab.json" a/results.json
  cp "$VRS_DATA/../files/results/ab.json" b/results.json
}
run() {
  code=0
  vranalyze compare a b --format markdown >table.md || code=$?
  [ $code -eq 11 ] || exit $code
}
streams=table.md
