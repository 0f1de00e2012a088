#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: no value of any option, and nothing else that pictures are made of, is missing from the key of the matte cache or from the checkpoint of an
# unfinished video.  Each option of the table (tests/keys/option_values.c) gets values other than the one before, one at a time, with the options that
# it needs, by flag, in the environment and in YAML.  With a cache that has the mattes of the value before, the pictures are those of a run without a
# cache; an unfinished run is refused or ends with the bytes of a run in one go.  Options that affect mattes have other mattes made, those that affect
# none take the cached ones; those that affect pictures do not continue, those that affect nothing do.  key_mutants.sh shows that this notices.
# A value is given to the cache by flag and to the unfinished run in YAML, the next one of the option the other way round; key_all_ways.sh gives each
# to both in both ways.
. "$VRS_TEST_DIR/cli/key_values.sh"

check_cached() {
  rm -f fresh
  cached
  case $effect in
    nothing | file) [ ! -f fresh ] || cmp "$group/plain" fresh || echo "$key=$value affects $effect, and the pictures are others" ;;
  esac
}
judge() {
  if [ $tried = 0 ]; then
    [ "$key" = pipeline.sandbox ] || echo "$key" >>untried # a kernel may refuse it
    return 0
  fi
  case $effect$new in
    matte0) echo "$key affects mattes, and takes those of other values from the cache" ;;
    picture1 | file1 | nothing1) echo "$key affects $effect, and its mattes are made again" ;;
  esac
  [ "$effect$shown" != matte0 ] || echo "$key" >>unseen_mattes
  if [ $refused$continued = 00 ]; then
    echo "$key" >>unresumed
    return 0
  fi
  case $effect$refused in
    matte0 | picture0) echo "$key affects pictures, and continues with those of other values" ;;
    nothing1) echo "$key affects nothing, and an unfinished run does not fit" ;;
  esac
  case $effect$continued$key in
    nothing0pipeline.resume | nothing0report.*) ;; # it starts again, or says less
    nothing0*) echo "$key affects nothing, and the unfinished run is not continued" ;;
  esac
  case $effect$changed in matte0 | picture0) echo "$key" >>unseen_video ;; esac
}
check_option() {
  prepare "$(input "$key")" "$(needs "$key")"
  cache_ways=flag run_ways=file
  [ "${all_ways:-}" != yes ] || cache_ways="flag file" run_ways="flag file"
  for value in $values; do
    ways=$cache_ways
    check_cached
    ways=$run_ways
    resumed
    run_ways=$cache_ways cache_ways=$ways
  done
  judge
}
check_field() {
  value=$values
  prepare "$(input "$key")" "$(field_needs "$key")"
  change "$key"
  cached
  [ "$key" = name ] || resumed # of the checkpoint it is the layout
  restore "$key"
  judge
}
touch untried unseen_mattes unresumed unseen_video
each_option check_option
each_field check_field

# Other programs: a new version, and one whose kernels make other mattes (job/matte_golden.h).
prepare clip_180_sbs.mp4 ""
for program in other_version other_mattes; do
  key=$program effect=matte flag= value=other first_way=nothing ways=nothing tried=0 shown=0 new=0 refused=0
  program=$programs/$program
  cached
  [ $new = 1 ] || echo "$key takes old mattes"
  resumed
  [ "$key$refused" != other_version0 ] || echo "$key continues"
done
program=vrseg

# Segments have mattes of their own.
for turn in 1 2; do
  run vrseg segments$turn.mp4 --cache --cache-dir=segments
  cmp "$group/whole.mp4" segments$turn.mp4
done

for list in untried unseen_mattes unresumed unseen_video; do
  echo "-- $list"
  sort $list
done
