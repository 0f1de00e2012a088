#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a missed target is a matter of the report, and of the exit code (10) only on request; a target that is met is not.
cp "$VRS_TEST_DIR/files/results/three-cases.json" results.json
printf 'fps:\n  vr: 90\n' >hard.yaml
printf 'fps:\n  vr: 10\n' >easy.yaml
printf 'fps:\n  vr: soon\n' >bad.yaml
for targets in hard easy bad missing; do
  for flags in "" "--fail-on target"; do
    code=0
    # shellcheck disable=SC2086
    vranalyze results.json --no-html --targets $targets.yaml $flags >out || code=$?
    echo "$targets $flags: exit $code"
    grep '^  fps.vr ' out || :
  done
done
