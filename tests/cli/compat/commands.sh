#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards the commands of the users' documents: docs/compat.md has a row for each line of their shell blocks and for no other, and what a row says to
# type here works, or says in one line what it waits for.  Also what to type instead of advice that does not hold, profiles, hardware profiles,
# techniques and the fields of figures.  Each command is typed as it stands, with flags that make it short.
. "$VRS_TEST_DIR/cli/compat_tables.sh"
inputs

mkdir configs
# shellcheck disable=SC2086
blocks bash $guides | cut -f 2 | sed 's/^ *//; s/  *# .*//; s/^#.*//; s/ *$//; /^$/d' | sort -u >theirs
rows Commands >commands
cut -f 1 commands | quoted | sort -u >named
diff theirs named || failed "docs/compat.md does not name the commands of the documents"

measured_results
tab=$(printf '\t')
while IFS=$tab read -r first here state; do
  # A row without a command here has an empty cell, which read joins with the tab before it.
  [ -n "$state" ] || state=$here here=
  case $state in
    works* | 'waits for OpenCL'* | 'replaced: '?*) ;;
    *) failed "the state of $first is \"$state\"" ;;
  esac
  case $here$state in works*) failed "$first works, and there is nothing to type" ;; esac
  echo "$here" | quoted | grep -v COMMAND >list || true
  while read -r command <&3; do
    type_in "$command" "$state"
  done 3<list
done <commands
echo "$(wc -l <named) commands of the documents, $count typed here"

count=0
rows 'Advice that does not hold here' >advice
while IFS= read -r row; do
  quotation=$(echo "$row" | cut -f 1 | sed 's/^"//; s/"$//')
  # shellcheck disable=SC2086
  grep -Fq -- "$quotation" $guides || failed "no document says: $quotation"
  [ -n "$(echo "$row" | cut -f 2)" ] || failed "no reason: $quotation"
  echo "$row" | cut -f 3 | quoted | grep -v COMMAND >list || true
  while read -r command <&3; do type_in "$command" replaced; done 3<list
done <advice
echo "$(wc -l <advice) pieces of advice, $count more commands"

rows Profiles | cut -f 1 | quoted | while read -r name; do
  vrseg --profile "$name" --dump-config >out || failed "profile $name"
done
sed -n '/^`--hardware-profile NAME`/,/^$/p' "$compat" | quoted | grep -v '[/ ]' | sort >hardware
for file in "$VRS_SOURCE_DIR"/configs/hardware/*.yaml; do basename "$file" .yaml; done | sort | diff hardware - || failed "hardware profiles"
while read -r name; do vrseg --hardware-profile "$name" --dump-config >out || failed "hardware profile $name"; done <hardware
echo "$(wc -l <hardware) hardware profiles"

vrseg --list-options | grep -v '^ ' >options
rows Techniques | cut -f 2 | quoted | sort -u | while read -r key; do grep -qxF "$key" options || failed "no option $key"; done
rows Techniques | cut -f 3 | quoted | sort >techniques
while read -r name; do grep -q "^  $name:\$" "$VRS_SOURCE_DIR/configs/sweeps/techniques.yaml" || failed "no technique $name"; done <techniques
echo "$(wc -l <techniques) techniques"

rows 'Metrics, tables and targets' | cut -f 2 | quoted | sort -u >fields
while read -r field; do
  grep -q "\"$field\"" "$VRS_SOURCE_DIR/docs/results.schema.json" || grep -q "^ *$field:" "$VRS_SOURCE_DIR/configs/targets/default.yaml" ||
    failed "neither a field of a result nor a target: $field"
done <fields
echo "$(wc -l <fields) fields and targets"
