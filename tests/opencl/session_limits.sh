#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards what a session says when the device or its driver cannot do what it needs: one line that names the cause, exit code 3, nothing left.
# Where a driver allows kernels smaller groups than the device, sessions and frames have such groups, and the same results.
#   session_limits.sh LAYER CL_SESSION FRAME_SAMPLE
set -u
[ -r /etc/OpenCL/vendors/pocl.icd ] || {
  echo "skipped: PoCL is not installed"
  exit 77
}
layer=$1 session=$2 frames=$3
scratch=$(mktemp -d "${TMPDIR:-/tmp}/vrs-limits-XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/empty"
status=0

complain() {
  echo "$variables: $1"
  cat "$scratch/stderr"
  status=1
}

# CODE TEXT VARIABLE...: the session with these variables ends with CODE and has TEXT in its only error line.
ends() {
  code=$1 text=$2
  shift 2
  variables=$*
  rm -f "$scratch/counts"
  env OPENCL_LAYERS="$layer" VRS_CL_COUNT="$scratch/counts" "$@" "$session" --seed 1 >"$scratch/stdout" 2>"$scratch/stderr"
  got=$?
  [ $got -eq "$code" ] || complain "exit code $got, not $code"
  [ "$code" -eq 0 ] || [ "$(grep -c 'error: ' "$scratch/stderr")" -eq 1 ] || complain "not one error line"
  grep -qF -e "$text" "$scratch/stderr" "$scratch/stdout" || complain "does not say \"$text\""
  [ ! -s "$scratch/counts" ] || left=$(awk '($1 == "left" || $2 == "misused") && $3 != 0' "$scratch/counts")
  [ -z "${left:-}" ] || complain "something is left: $left"
}

ends 0 'all right' POCL_DEVICES='pthread basic'
ends 0 'all right' VRS_CL_TYPE=gpu VRS_CL_NAME='A GPU' VRS_CL_EXTENSIONS=
ends 0 'all right' VRS_CL_TYPE=gpu VRS_CL_GROUP=32
ends 3 'no OpenCL driver is found by OCL_ICD_VENDORS' OCL_ICD_VENDORS="$scratch/empty"
ends 3 'lists no device' VRS_CL_FAULT=clGetDeviceIDs:1
ends 3 'gives at most 0 MiB at a time; use a smaller input or batch' VRS_CL_MAX_ALLOC=1024
ends 3 'CL_MEM_OBJECT_ALLOCATION_FAILURE' VRS_CL_GLOBAL=150000
ends 3 'MiB for its tensors on' VRS_CL_GLOBAL=150000 VRS_CL_LATE=1
ends 3 "error: expected ';' after expression" VRS_CL_BUILD=fail
ends 3 'refuses the kernels of the network' VRS_CL_FAULT=clBuildProgram:1
ends 3 'CL_DEVICE_NOT_AVAILABLE' VRS_CL_FAULT=clCreateContext:1
ends 3 'CL_OUT_OF_RESOURCES' VRS_CL_FAULT=clEnqueueNDRangeKernel:1 VRS_CL_FAULT_STICKY=1
ends 3 'CL_INVALID_COMMAND_QUEUE' VRS_CL_FAULT=clWaitForEvents:1:-36 VRS_CL_FAULT_STICKY=1

right=$("$frames") && got=$(OPENCL_LAYERS=$layer VRS_CL_GROUP=32 "$frames") && [ "$right" = "$got" ] || {
  echo "frames in groups of 32: $right becomes ${got:-}"
  status=1
}
exit $status
