#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs a command with oclgrind as its OpenCL device, which interprets kernels and sees accesses outside of buffers, data races, values that were never
# written, and calls with wrong arguments.  Fails when it reports any, or as the command does.  77: oclgrind is not installed.
#   under_oclgrind.sh LAYER COMMAND [ARGUMENT...]
# oclgrind sees bounds of whole buffers only: the fault layer makes parts to buffers, and tests of networks give each value one (VRS_OWN_BUFFERS).  It
# loses track of what was written when a part is.  It also takes what it knew of a released buffer for that of a later one, so that written values
# count as never written: the layer releases none.
# A fill has the same effect on its whole buffer: the layer leaves out those that change nothing, and oclgrind begins with zeros.
set -u
driver=/usr/lib/oclgrind/liboclgrind-rt-icd.so
[ -r $driver ] || {
  echo "skipped: oclgrind is not installed"
  exit 77
}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/vrs-oclgrind-XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP

OCL_ICD_VENDORS=$driver OPENCL_LAYERS=$1 VRS_CL_SEPARATE=1 VRS_CL_KEEP=1 VRS_OWN_BUFFERS=1
export OCL_ICD_VENDORS OPENCL_LAYERS VRS_CL_SEPARATE VRS_CL_KEEP VRS_OWN_BUFFERS
shift
# One thread: a report names the first work-item that meets a mistake, the same in every run.  Not optimised: it does not know all instructions that
# LLVM then makes ("freeze").  Kernels on pictures are (VRS_OCLGRIND_OPTIONS=): its check for uninitialised values crashes at vectors of theirs
# otherwise.  A cache folder of its own: binaries of optimised builds would be taken from another.
OCLGRIND_CHECK_API=1 OCLGRIND_DATA_RACES=1 OCLGRIND_UNINITIALIZED=1 OCLGRIND_NUM_THREADS=1 OCLGRIND_MAX_ERRORS=20
OCLGRIND_BUILD_OPTIONS=${VRS_OCLGRIND_OPTIONS--cl-opt-disable} OCLGRIND_LOG=$scratch/pipe XDG_CACHE_HOME=$scratch/cache
export OCLGRIND_CHECK_API OCLGRIND_DATA_RACES OCLGRIND_UNINITIALIZED OCLGRIND_NUM_THREADS OCLGRIND_MAX_ERRORS
export OCLGRIND_BUILD_OPTIONS OCLGRIND_LOG XDG_CACHE_HOME
mkdir "$scratch/cache"

# Reports of kernels go to the log, those of calls to standard error.  Each context opens the log anew, which would empty a file of what the contexts
# before have reported: a pipe keeps it, and is held open from the first context to the last.
mkfifo "$scratch/pipe" || exit 2
cat "$scratch/pipe" >"$scratch/log" &
exec 3>"$scratch/pipe"
"$@" 2>"$scratch/stderr" 3>&-
code=$?
exec 3>&-
wait $!
cat "$scratch/stderr" >&2
if [ -s "$scratch/log" ] || grep -q '^Oclgrind - ' "$scratch/stderr"; then
  [ ! -f "$scratch/log" ] || head -n 100 "$scratch/log"
  exit 1
fi
exit $code
