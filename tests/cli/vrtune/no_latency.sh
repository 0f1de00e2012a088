#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a latency target of none, as every --dump-config has it, is no limit of live video: no warning, and no error with --strict; one that is
# set is told.
plan() {
  code=0
  vrtune --auto-optimize --dry-run --only queue_size "$@" "$VRS_DATA/person_flat.mp4" >out 2>err || code=$?
  cat err
  echo "exit $code: $*"
}
vrtune --dump-config >dumped.yaml
grep -o 'max_latency_ms: none' dumped.yaml
plan -c dumped.yaml
plan -c dumped.yaml --strict
plan --max-latency-ms none --strict
echo 'target: {max_latency_ms: 40}' >limit.yaml
plan -c limit.yaml
plan -c limit.yaml --strict
plan -c limit.yaml --max-latency-ms none --strict
