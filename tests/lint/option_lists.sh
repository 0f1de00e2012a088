#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What holds for some options is a field of their rows (engine/config/option_table.c), never a list of keys elsewhere, which the next option would
# be missing from.  Found are keys next to each other ("engine.threads", "engine.streams"), and keys in rows of a table ({x, "engine.threads"} or
# {"engine.threads", x}); pairs of a key and its value in quotes are settings and allowed.
#   option_lists.sh SOURCE_DIR [BUILD_DIR]
set -u
cd "$1"
keys=$(sed -n 's/.*{ *\.key = "\([a-z0-9_.]*\)".*/\1/p' engine/config/option_table.c | tr '\n' '|' | sed 's/\./[.]/g; s/|$//')
[ -n "$keys" ] || { echo "engine/config/option_table.c: no keys were found"; exit 1; }
key="\"($keys)\""
status=0
for file in $(find engine bench tuner analyzer reports -name '*.[ch]' ! -name option_table.c | sort); do
  grep -Eq "$key" "$file" || continue
  found=$(tr '\n\t' '  ' <"$file" | grep -Eo "$key *, *$key|, *$key *}|\\{ *$key *, *[^\" ]" | grep -v ', *V$' | head -3) # V: VRS_NEEDS of a rule
  [ -n "$found" ] || continue
  echo "$file: a list of option keys, which belongs into the option table: $(echo "$found" | tr '\n' ' ')"
  status=1
done
exit $status
