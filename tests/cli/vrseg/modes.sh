#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: no two modes of vrseg go together, and a mode takes only the flags that have an effect in it.  Walks the flags of the program and the table
# of options: a flag that a mode takes, or a mode that does not refuse, is in the expected output only where somebody has put it.  Files and the
# environment serve all modes, and may say anything.
modes='--preview=0 --dry-run --run-network=missing --describe-network=missing --calibrate=missing --interactive --hardware --list-models
--list-encoders --dump-config'
input_of() { case $1 in --preview* | --dry-run) echo missing.mp4 ;; --run-network*) echo --output-dir=arrays ;; esac; }
try() { # MODE FLAG: is it taken?
  vrseg "$1" "$2" $(input_of "$1") </dev/null >/dev/null 2>message || true
  ! grep -q "^vrseg: .*${1%=*}\>.*: \(it would change nothing\|each is all that one run does\)$" message
}

echo "-- pairs of modes that are taken"
set -- $modes
while [ $# -gt 1 ]; do
  a=$1
  shift
  for b; do
    if try "$a" "$b"; then echo "$a $b"; fi
  done
done

echo "-- flags of the program that are no modes"
vrseg --help | sed -n 's/^  \(-.,\|   \) --\(\[no-\]\)\?\([a-z0-9-]*\).*/\3/p' | sort -u >shown
vrseg --list-options | sed -n 's/^    flag: .*--\(\[no-\]\)\?\([a-z0-9-]*\).*/\2/p' | sort -u >of_options
for flag in $(comm -23 shown of_options); do
  case " $(echo "$modes" | tr '\n' ' ') " in *" --$flag "* | *" --$flag="*) ;; *) printf '%s ' "$flag" ;; esac
done
echo

# Each option with its default, or a word.
vrseg --list-options | awk '
  /^    values: / { value = $0; sub(/.*default: /, "", value); switched = / true, false;/ }
  /^    flag: / { flag = $0; sub(/.*--(\[no-\])?/, "--", flag); sub(/[ ,].*/, "", flag)
    print switched ? flag : flag "=" (value == "(none)" ? "x" : value) }' >flags
printf '%s\n' --truth=x --fail-on=target --tensor=a=b --output-dir=arrays >>flags
# The others take all options of a job, or what one of these takes.
for mode in --preview=0 --run-network=missing --calibrate=missing --hardware; do
  printf -- '-- %s takes' "${mode%=*}"
  while read -r flag; do
    if try "$mode" "$flag"; then printf ' %s' "${flag%%=*}"; fi
  done <flags
  echo
done

echo "-- what files and the environment say"
echo 'output: {mode: alpha, verify_pack: true, alpha_color: red, crf: 18}
pipeline: {live: true, live_fps: 20, late_frames: drop}
cache: {enabled: true}' >all.yaml
VRSEG_OUTPUT_FOV=190 vrseg -c all.yaml "$VRS_DATA/person_flat.mp4" --preview 0 -o sheet.png --log-level error | sed 's/:.*//'
vrseg -c all.yaml --list-models | grep -c '^selfie_segmentation '
