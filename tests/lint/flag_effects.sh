#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A flag that is accepted has an effect in the program that accepts it: the field of an option is read by code that each program of its row runs,
# and the field of a program's own flag in that program's folder.  Measured runs set what is UNMEASURED themselves, so that vrbench and vrtune must
# read it in their own code.  Lists of values in vrbench are read by their rows (list_of in bench_args_plan.c).
#   flag_effects.sh SOURCE_DIR [BUILD_DIR]
set -u
cd "$1" || exit 1
status=0
files() { find "$@" -name '*.[ch]' ! -name option_table.c; }
job=$(files engine | grep -Ev '^engine/(include|modes|segments|vrseg\.c)')
messages=$(files engine/config engine/base)
measured=$(files bench/plan bench/run bench/judge bench/record bench/stats)
shown=$(files analyzer reports)
code_of() { # PROGRAM, its row has UNMEASURED (1) or not (0): files
  case $1$2 in
    vrseg*) echo "$job"; files engine/modes engine/segments engine/vrseg.c;;
    vrbench0) echo "$job"; echo "$measured"; echo "$shown"; files bench/modes bench/vrbench.c;;
    vrbench1) echo "$messages"; echo "$measured"; echo "$shown"; files bench/modes bench/vrbench.c;;
    vrtune0) echo "$job"; echo "$measured"; files tuner;;
    vrtune1) echo "$messages"; echo "$measured"; files tuner;;
    vranalyze*) echo "$messages"; echo "$shown";;
  esac
}
# Is the field read in these files, or its key asked for?  Rows name fields in brackets, so that they do not count.
is_read() { # FIELD KEY FILE...; KEY -: none
  pattern="(->|\\.)$(echo "$1" | sed 's/\./[.]/g')([^a-z0-9_(]|\$)|\"$2\""
  shift 2
  grep -Eq "$pattern" "$@"
}
# Rows of the table as lines: KEY FIELD PROGRAMS UNMEASURED
rows=$(awk '
  /\{\.key = "/ { key = $0; sub(/.*\{\.key = "/, "", key); sub(/".*/, "", key); field = ""; unmeasured = 0 }
  /\.traits = / { unmeasured = /UNMEASURED/ }
  match($0, /FIELD_[A-Z0-9]+\([a-z][a-z0-9_.]*\)/) && key != "" { field = substr($0, RSTART, RLENGTH); gsub(/.*\(|\)/, "", field) }
  match($0, /\.programs = [A-Z]+/) && field != "" { print key, field, substr($0, RSTART + 12, RLENGTH - 12), unmeasured; key = "" }
' engine/config/option_table.c)
[ "$(echo "$rows" | wc -l)" -gt 90 ] || { echo "engine/config/option_table.c: no fields were found"; exit 1; }
judge() { # PROGRAM UNMEASURED
  code=$(code_of "$1" "$2")
  echo "$rows" | while read -r key field programs unmeasured; do
    case $1-$programs-$unmeasured in *-ALL-"$2" | vrseg-*-"$2" | vrbench-JOB-"$2" | vrtune-JOB-"$2") ;; *) continue;; esac
    # shellcheck disable=SC2086
    is_read "$field" "$([ "$2" = 0 ] && echo - || echo "$key")" $code ||
      echo "engine/config/option_table.c: $1 accepts $key, and nothing that it runs reads the field"
  done
}
found=$(for program in vrseg vrbench vrtune vranalyze; do judge $program 0; judge $program 1; done)
[ -z "$found" ] || { echo "$found"; status=1; }

check() { # TABLE FOLDER...
  table=$1
  shift
  members=$(sed -n 's/.*{\.flag = "[a-z-]*", \(SWITCH\|TEXTS\?\|INT\|TIME\|PERCENT\|BYTES\|CHOICES\?\)(\([a-z_]*\)[,)].*/\2/p
s/.*{\.flag = "[a-z-]*", VRS_[A-Z]*_FIELD([a-z_ ]*, \([a-z_]*\)).*/\1/p
s/.*VRS_FORMAT_FLAG(.*/format/p' "$table")
  [ -n "$members" ] || { echo "$table: no flags were found"; status=1; }
  for member in $members; do
    # shellcheck disable=SC2046
    is_read "$member" - $(find "$@" -name '*.c') || { echo "$table: nothing reads the field $member of a flag"; status=1; }
  done
}
check bench/modes/bench_args.c bench/modes bench/vrbench.c
check engine/vrseg.c engine/modes engine/vrseg.c
check tuner/modes/tune_args.c tuner/modes tuner/vrtune.c
for mode in analyzer/modes/*_mode.c; do
  # a helper of its own does what this mode only names
  case $mode in */matte_mode.c) check "$mode" analyzer/vranalyze_matte.c ;; *) check "$mode" "$mode" ;; esac
done
exit $status
