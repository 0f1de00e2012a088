#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs a command with oclgrind as its OpenCL device, which interprets kernels and sees accesses outside of buffers, data races, values that were never
# written, and calls with wrong arguments.  Fails when it reports any, or as the command does.  77: oclgrind is not installed.
#   under_oclgrind.sh COMMAND [ARGUMENT...]
set -u
command -v oclgrind >/dev/null || {
  echo "skipped: oclgrind is not installed"
  exit 77
}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/vrs-oclgrind-XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP

# One thread: a report names the first work-item that meets a mistake, the same in every run.  Reports of kernels go to the log, those of calls to
# standard error.
oclgrind --check-api --data-races --uninitialized --max-errors 20 --num-threads 1 --log "$scratch/log" "$@" 2>"$scratch/stderr"
code=$?
cat "$scratch/stderr" >&2
if [ -s "$scratch/log" ] || grep -q '^Oclgrind - ' "$scratch/stderr"; then
  head -n 100 "$scratch/log"
  exit 1
fi
exit $code
