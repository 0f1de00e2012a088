#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A decision appended to a history, and the first one to a history that has none: a new file.
prepare() {
  "$VRS_DATA/../files/results/make_nights.sh" nights 3
  rm nights/decisions.jsonl
}
run() { exec vranalyze annotate --history nights --reason known >said; }
loose="$loose nights/* said"
view() { whole_history nights; }
