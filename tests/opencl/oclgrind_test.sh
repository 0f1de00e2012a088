#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards under_oclgrind.sh: it passes a good program, hands on the exit code of one that fails, and finds each kind of mistake.
#   oclgrind_test.sh LAYER CL_SAMPLE
set -u
here=$(dirname "$0")
layer=$1 sample=$2
status=0

out=$("$here/under_oclgrind.sh" "$layer" "$sample" 2>&1)
code=$?
if [ $code -eq 77 ]; then
  echo "$out"
  exit 77
elif [ $code -ne 0 ] || [ "$out" != 0 ]; then
  echo "a good program: exit code $code: $out"
  status=1
fi
out=$("$here/under_oclgrind.sh" "$layer" "$sample" filled 2>&1) || {
  echo "a buffer that is filled, and then written: $out"
  status=1
}
"$here/under_oclgrind.sh" "$layer" sh -c 'exit 5'
[ $? -eq 5 ] || {
  echo "the exit code of the command is lost"
  status=1
}
"$here/under_oclgrind.sh" "$layer" sh -c '[ "$VRS_OWN_BUFFERS" = 1 ]' || {
  echo "tests of networks let values share buffers"
  status=1
}
while read -r mistake report; do
  out=$("$here/under_oclgrind.sh" "$layer" "$sample" "$mistake" 2>&1) && {
    echo "finds nothing: $mistake"
    status=1
  }
  echo "$out" | grep -qF "$report" || {
    echo "$mistake: does not say \"$report\": $out"
    status=1
  }
done <<EOF
bounds Invalid write of size 4
part Invalid write of size 4
first Invalid write of size 4
race data race at global memory
uninitialized uninitialized value
unwritten Uninitialized value written to global memory
api CL_INVALID_BUFFER_SIZE
EOF
exit $status
