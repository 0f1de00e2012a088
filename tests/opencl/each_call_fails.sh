#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs a command again and again, each time with another OpenCL call failing (fault_layer.c), until a run passes in which no call was left to fail.
#
#   each_call_fails.sh [OPTION...] LAYER COMMAND [ARGUMENT...]
#
#   -f PATTERN   only calls of these functions (*)
#   -c CODE      the code that they fail with, "hang" or "crash" (what the function may answer)
#   -e CODES     exit codes that a disturbed run may have ("0 3")
#   -s           the device is lost: later calls on it fail as well
#   -m NUMBER    no more than so many points, spread evenly; 0: all (0)
#   -t SECONDS   a run that takes longer hangs (60)
#   -o FILE      what the command writes: a run that succeeds leaves what an undisturbed one does
#   -k FILE      lines of standard error that need not be there, as patterns of grep, in a file
#
# Demanded of each run: an exit code of CODES, no signal, no hang; nothing is left and nothing released is used (VRS_CL_COUNT).  With exit code 0, the
# standard output and FILE of an undisturbed run, and no error line; with another, exactly one line with "error: ".
set -u

pattern='*' code='' exits='0 3' sticky='' most=0 seconds=60 output='' known=/dev/null
while getopts f:c:e:sm:t:o:k: option; do
  case $option in
    f) pattern=$OPTARG ;;
    c) code=:$OPTARG ;;
    e) exits=$OPTARG ;;
    s) sticky=1 ;;
    m) most=$OPTARG ;;
    t) seconds=$OPTARG ;;
    o) output=$OPTARG ;;
    k) known=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
if [ $# -lt 2 ] || [ ! -f "$1" ]; then
  echo "usage: each_call_fails.sh [OPTION...] LAYER COMMAND [ARGUMENT...]" >&2
  exit 2
fi
[ -r /etc/OpenCL/vendors/pocl.icd ] || {
  echo "skipped: PoCL is not installed"
  exit 77
}
OPENCL_LAYERS=$1
shift

scratch=$(mktemp -d "${TMPDIR:-/tmp}/vrs-each-call-XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
VRS_CL_COUNT=$scratch/counts
export OPENCL_LAYERS VRS_CL_COUNT
failures=0

counted() { # GROUP NAME
  awk -v group="$1" -v name="$2" '$1 == group && $2 == name { print $3 }' "$VRS_CL_COUNT"
}

complain() { # POINT TEXT
  failures=$((failures + 1))
  echo "$pattern call $1: $2"
  sed 's/^/  /' "$scratch/stderr"
}

# Run the command with a fault at call $1, 0: none; its exit code is $exit_code.
run() { # POINT COMMAND...
  VRS_CL_FAULT="$pattern:$1$code"
  export VRS_CL_FAULT
  shift
  rm -f "$VRS_CL_COUNT"
  [ -z "$output" ] || rm -f "$output"
  timeout -k 5 "$seconds" "$@" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
  exit_code=$?
}

# What holds for every run, disturbed or not.
judge_objects() { # POINT
  [ -s "$VRS_CL_COUNT" ] || {
    complain "$1" "the layer was not loaded"
    return
  }
  [ "$(counted fault misused)" -eq 0 ] || complain "$1" "what was released is used"
  left=$(awk '$1 == "left" && $3 != 0 { printf " %s %s", $3, $2 }' "$VRS_CL_COUNT")
  [ -z "$left" ] || complain "$1" "not released:$left"
}

judge() { # POINT
  errors=$(grep -v -f "$known" "$scratch/stderr" | grep -c 'error: ')
  case $exit_code in
    124 | 137) complain "$1" "hangs" ;;
    1[2-9][0-9]) complain "$1" "ended by signal $((exit_code - 128))" ;;
    0)
      cmp -s "$scratch/stdout" "$scratch/stdout.right" || complain "$1" "succeeds with another standard output"
      [ -z "$output" ] || cmp -s "$output" "$scratch/output.right" || complain "$1" "succeeds with another output"
      [ "$errors" -eq 0 ] || complain "$1" "succeeds with an error line"
      ;;
    *)
      [ "$errors" -eq 1 ] || complain "$1" "exit code $exit_code with $errors error lines"
      ;;
  esac
  case " $exits " in
    *" $exit_code "*) ;;
    *) complain "$1" "exit code $exit_code, not one of $exits" ;;
  esac
  judge_objects "$1"
}

[ -z "$sticky" ] || {
  VRS_CL_FAULT_STICKY=1
  export VRS_CL_FAULT_STICKY
}
run 0 "$@"
cp "$scratch/stdout" "$scratch/stdout.right"
[ -z "$output" ] || cp "$output" "$scratch/output.right"
if [ $exit_code -ne 0 ]; then
  complain 0 "exit code $exit_code without a fault"
  exit 1
fi
judge_objects 0
total=$(counted fault seen)
if [ "$total" -eq 0 ]; then
  echo "$pattern: the command makes no such call"
  exit 1
fi

points=0 successes=0
step=1
[ "$most" -eq 0 ] || [ "$total" -le "$most" ] || step=$(((total + most - 1) / most))
n=1
while :; do
  run $n "$@"
  [ "$(counted fault fired 2>/dev/null || echo 0)" -ne 0 ] || [ $n -le "$total" ] || break
  judge $n
  points=$((points + 1))
  [ $exit_code -ne 0 ] || successes=$((successes + 1))
  n=$((n + step))
done
# The run that no fault reached.
[ $exit_code -eq 0 ] || complain $n "exit code $exit_code, and no fault arrived"
judge_objects $n
echo "$pattern: $points of $total calls failed, the command succeeded all the same $successes times; $failures complaints"
[ $failures -eq 0 ]
