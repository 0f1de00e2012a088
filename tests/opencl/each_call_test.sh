#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards each_call_fails.sh: it passes a program that copes with every fault, and finds each mistake of one that does not.
#   each_call_test.sh LAYER CL_SAMPLE
set -u
[ -r /etc/OpenCL/vendors/pocl.icd ] || {
  echo "skipped: PoCL is not installed"
  exit 77
}
here=$(dirname "$0")
layer=$1 sample=$2
status=0

passes() { # EXPECTED_TEXT OPTION...
  text=$1
  shift
  out=$("$here/each_call_fails.sh" "$@" 2>&1) || {
    echo "complains of a good program: $*"
    echo "$out"
    status=1
  }
  echo "$out" | grep -qF "$text" || {
    echo "does not say \"$text\": $out"
    status=1
  }
}

finds() { # EXPECTED_TEXT OPTION...
  text=$1
  shift
  if out=$("$here/each_call_fails.sh" "$@" 2>&1); then
    echo "finds nothing: $*"
    status=1
  fi
  echo "$out" | grep -qF "$text" || {
    echo "does not say \"$text\": $out"
    status=1
  }
}

passes '*: 22 of 22 calls failed, the command succeeded all the same 7 times; 0 complaints' "$layer" "$sample"
passes 'clEnqueue*: 3 of 3 calls failed' -f 'clEnqueue*' -c -36 -s "$layer" "$sample"
passes '8 of 22 calls failed' -m 8 "$layer" "$sample"
finds 'not released:' -f clFinish "$layer" "$sample" leak
finds 'ended by signal 6' -f clFinish "$layer" "$sample" crash
finds 'succeeds with another standard output' -f clFinish "$layer" "$sample" ignore
finds 'exit code 3 with 0 error lines' -f clFinish "$layer" "$sample" silent
finds 'exit code 3 with 2 error lines' -f clFinish "$layer" "$sample" noisy
finds 'hangs' -f clFinish -t 2 "$layer" "$sample" hang
finds 'exit code 3, not one of 0 2' -f clFinish -e '0 2' "$layer" "$sample"
finds 'makes no such call' -f clFlush "$layer" "$sample"
finds 'the layer was not loaded' "$layer" true
exit $status
