#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards the checks of key_completeness.sh: each field in turn is dropped from the key of the matte cache and from the checkpoint
# (tests/keys/key_mutant.c), and the checks have to notice: by other pictures or another video, or, where no value shows in those of these inputs, by
# mattes that are taken and runs that are continued although the field differs.  Where another field says the same (a plan says where a video begins),
# one of the two may be missing, and both are dropped.  Expected are how many are caught how, and what cannot be tried.
. "$VRS_TEST_DIR/cli/key_values.sh"
program=$programs/key_mutant
groups=mutants

# What says the same as a field of the checkpoint or of the cache's key.
twin() { # cached|resumed
  case $1-$key in
    cached-engine.auto_size) echo engine.input_size ;;
    cached-engine.backend) echo backend ;;
    *-matte.early_exit) echo 'content of matte.early_exit_model' ;;
    resumed-input.layout | resumed-input.projection | resumed-matte.view | resumed-matte.view_size) echo layout ;;
    resumed-engine.backend | resumed-engine.precision) echo 'instruction set' ;;
    resumed-input.start | resumed-input.duration | resumed-pipeline.* | resumed-matte.*) echo plan ;;
  esac
}
# The verdict of one of the checks, over all values until one is caught.
try() { # cached|resumed
  verdict=missed tried=0 new=0 refused=0 continued=0
  for value in $values; do
    "$1" >complaints
    ! grep -q 'has other mattes\|with other bytes' complaints || verdict=bytes
    [ $verdict = missed ] || return 0
  done
  case $1$new$refused$continued in
    cached0*) verdict=key ;;
    resumed*01) verdict=key ;;
    resumed*00) verdict=untried ;;
  esac
  [ $tried = 1 ] || verdict=untried
}
judge() { # cached|resumed INPUT NEEDS: without the field $key; then without its twin too
  for without in "$key" "$key;$(twin "$1")"; do
    export VRS_KEY_WITHOUT="$without"
    rm -rf mutants
    prepare "$2" "$3"
    ! $changes || change "$key"
    try "$1"
    ! $changes || restore "$key"
    [ $verdict = missed ] || break
  done
  [ "$without" = "$key" ] || verdict=twin-$verdict
  echo "$verdict $1 $key" >>verdicts
}
mutate_option() {
  changes=false
  [ "$effect" != matte ] || judge cached "$(input "$key")" "$(needs "$key")"
  case $effect in matte | picture) judge resumed "$(input "$key")" "$(needs "$key")" ;; esac
}
mutate_field() {
  changes=true
  [ $effect != matte ] || judge cached "$(input "$key")" "$(field_needs "$key")"
  [ "$key" = name ] || judge resumed "$(input "$key")" "$(field_needs "$key")"
}
: >verdicts
each_option mutate_option
each_field mutate_field

# Of the version in the checkpoint: left out of what another version has begun.
key=version flag= values=other first_way=nothing ways=nothing
export VRS_KEY_WITHOUT=version
rm -rf mutants
program=$programs/other_version
prepare clip_180_sbs.mp4 ""
program=$programs/key_mutant
sed -i '/"version":/d' "$group/unfinished/.out.mp4.vrseg/checkpoint.json"
try resumed
echo "$verdict resumed version" >>verdicts

# Of the part of the video in the cache's key.
export VRS_KEY_WITHOUT=segment
verdict=missed
for turn in 1 2; do
  run "$program" segments$turn.mp4 --cache --cache-dir=segments || cat message
  cmp -s "$group/whole.mp4" segments$turn.mp4 || verdict=bytes
done
echo "$verdict cached segment" >>verdicts

caught() { # PATTERN
  grep -cE "^($1) " verdicts
}
echo "caught: $(caught 'bytes|key'), and with the field that says the same: $(caught 'twin-(bytes|key)')"
# Kernels make other mattes on some machines only.
grep -v 'instruction set' verdicts >listed
for verdict in key twin-key untried twin-untried missed twin-missed; do
  sed -n "s/^$verdict /$verdict: /p" listed | sort
done
