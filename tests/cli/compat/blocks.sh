#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards the settings of the users' documents: each key of their YAML blocks and of their templates in Python has a row in docs/compat.md; its example
# reaches the option that the row names, with the one line that its state promises, or none; and each block loads with exactly the lines of its keys,
# and runs.
. "$VRS_TEST_DIR/cli/compat_tables.sh"
cp "$VRS_DATA/person_flat.mp4" input.mp4
tab=$(printf '\t')

# The line that a state promises, by its kind.
kinds() {
  sed -n -e 's/.*no effect yet: it needs a part of the OpenCL backend that is not built yet$/waits for OpenCL/p' \
    -e 's/.*no effect yet: workloads other than segmentation are not built yet$/waits for workloads/p' \
    -e 's/.*has no effect here: .*/no effect here/p' -e 's/.* is a range for vrtune to search; .*/range/p' \
    -e t -e '/has no effect\|not built/!s/^/unexpected: /p'
}
# KEY canonical EXAMPLE STATE
rows 'Configuration keys' | while IFS=$tab read -r keys example canonical _ state; do
  echo "$keys" | quoted | while read -r key; do
    echo "$key$tab$(echo "$canonical" | tr -d '`')$tab$(echo "$example" | tr -d '`')$tab$state"
  done
done >keys
while IFS=$tab read -r key canonical example state; do
  printf '%s: %s\n' "$key" "$example" >key.yaml
  env -u VRSEG_MATTE_REFINE vrseg -c key.yaml --dump-config >dump 2>err || failed "$key: $(cat err)"
  [ "$state" = works ] && wanted= || wanted=$state
  [ "$(kinds <err)" = "$wanted" ] || failed "$key is \"$state\", and says: $(cat err)"
  awk -v key="$canonical" '/^[a-z]/ { section = $1; sub(/:.*/, "", section) }
    /^  / { name = $1; sub(/:$/, "", name); if (section "." name == key && /# (.*; )?file key.yaml/) found = 1 } END { exit !found }' dump ||
    [ "$example" = null ] || failed "$key does not reach $canonical"
done <keys
echo "$(wc -l <keys) keys"

# YAML as it stands; of the templates in Python what is a name and a plain value.
# shellcheck disable=SC2086
blocks yaml $guides >lines
blocks python "$VRS_DATA/seeds/module-guide.md" | sed -n -E \
  's/^([^\t]*\t) *"?([a-z][a-z0-9_]*)"? *[=:] *("[a-z]*"|[0-9.]+|True|False),?( *#.*)?$/\1\2: \3/p' |
  sed -e 's/True$/true/; s/False$/false/' >>lines
cut -f 1 lines | uniq >names
known() { # KEY: its state; in KEY with a section also the bare name
  awk -F "$tab" -v key="$1" '$1 == key { print $4; found = 1; exit } END { exit !found }' keys
}
while read -r name <&4; do
  awk -F "$tab" -v name="$name" '$1 == name { sub(/^[^\t]*\t/, ""); print }' lines >block.yaml
  # SECTION.KEY VALUE
  awk '{ sub(/ *#.*/, "") } /^ *[a-z0-9_]*: *$/ { section = $1; sub(/:$/, ".", section); next }
    /^[a-z]/ { section = "" } /^ *[a-z0-9_]*: *[^ ]/ { key = $1; sub(/:$/, "", key); sub(/^[^:]*: */, ""); print section key, $0 }' block.yaml >pairs
  [ -s pairs ] || failed "$name holds no settings"
  while read -r key value; do
    state=$(known "$key") || failed "$name: docs/compat.md has no row for $key" >&2
    case $key$value in
      *batch_size[0-9]*-[0-9]*) echo range ;;
    esac
    [ "$state" = works ] || echo "$state"
  done <pairs | sort >wanted
  vrseg -c block.yaml --dump-config >dump 2>err || failed "$name: $(cat err)"
  kinds <err | sort | diff wanted - || failed "$name says something else than its keys promise"
  code=0 # without a driver, so that a job that asks for a device is the same everywhere
  OCL_ICD_VENDORS=/nonexistent vrseg -c block.yaml input.mp4 -o out.mp4 --overwrite --max-frames 2 --no-auto-tune --progress none \
    >out 2>err || code=$?
  case $(grep "^device .*cuda" pairs)$code in
    *cuda*3) tail -1 err | grep -q '^vrseg: no OpenCL device can be used: no OpenCL driver' || failed "$name: $(cat err)" ;;
    0) [ -s out.mp4 ] || failed "$name wrote nothing" ;;
    *) failed "$name: exit $code, $(cat err)" ;;
  esac
done 4<names
echo "$(grep -c . names) blocks"
