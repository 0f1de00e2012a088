#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A flag that is accepted has an effect: the field of every option is read somewhere, and the field of every flag of a program is
# read in that program's folder.  Lists of values in vrbench are read by their rows (list_of in bench_args_plan.c).
#   flag_effects.sh SOURCE_DIR [BUILD_DIR]
set -u
cd "$1" || exit 1
status=0
sources=$(find engine bench tuner analyzer reports -name '*.[ch]' ! -name option_table.c ! -path 'engine/include/*')
# Is the field read in these files?  Rows name it in brackets, so that they do not count.
is_read() { # FIELD FILE...
  pattern="(->|\\.)$(echo "$1" | sed 's/\./[.]/g')([^a-z0-9_(]|\$)"
  shift
  grep -Eq "$pattern" "$@"
}
fields=$(sed -n 's/.*FIELD_[A-Z0-9]*(\([a-z][a-z0-9_.]*\)).*/\1/p' engine/config/option_table.c | grep -v '^member$')
[ "$(echo "$fields" | wc -l)" -gt 70 ] || { echo "engine/config/option_table.c: no fields were found"; exit 1; }
for field in $fields; do
  # shellcheck disable=SC2086
  is_read "$field" $sources || { echo "engine/config/option_table.c: nothing reads the field $field"; status=1; }
done

check() { # TABLE FOLDER...
  table=$1
  shift
  members=$(sed -n 's/.*{\.flag = "[a-z-]*", \(SWITCH\|TEXTS\?\|INT\|TIME\|PERCENT\|BYTES\|CHOICES\?\)(\([a-z_]*\)[,)].*/\2/p
s/.*{\.flag = "[a-z-]*", VRS_[A-Z]*_FIELD([a-z_ ]*, \([a-z_]*\)).*/\1/p' "$table")
  [ -n "$members" ] || { echo "$table: no flags were found"; status=1; }
  for member in $members; do
    # shellcheck disable=SC2046
    is_read "$member" $(find "$@" -name '*.c') || { echo "$table: nothing reads the field $member of a flag"; status=1; }
  done
}
check bench/modes/bench_args.c bench/modes bench/vrbench.c
check engine/vrseg.c engine/modes engine/vrseg.c
check tuner/vrtune.c tuner/vrtune.c
check analyzer/vranalyze.c analyzer/vranalyze.c
exit $status
