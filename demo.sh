#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# From a fresh machine to a recommended configuration: sets up, builds, cuts the person out of the bundled VR180 clip, measures, tunes,
# reports.  Everything lands in results/; running it again goes on where it stopped.
set -eu
# Names that the caller gave belong to the caller's folder.
case ${VRSEG_MODEL_ARCHIVE:-} in
  '' | /*) ;;
  *) export VRSEG_MODEL_ARCHIVE="$PWD/$VRSEG_MODEL_ARCHIVE" ;;
esac
case ${VRSEG_RVM_ARCHIVE:-} in
  '' | /*) ;;
  *) export VRSEG_RVM_ARCHIVE="$PWD/$VRSEG_RVM_ARCHIVE" ;;
esac
cd "$(dirname "$0")"

clip=tests/data/person_vr180_sbs.mp4
bin=build/release/bin
out=results

step() { # TITLE COMMAND...
  title=$1
  shift
  echo
  echo "== $title"
  code=0
  "$@" || code=$?
  if [ $code -ne 0 ]; then
    echo "demo: \"$title\" failed with exit code $code: $*" >&2
    exit $code
  fi
}

configure() {
  cmake --preset release >build/configure-release.log 2>&1 || {
    code=$?
    cat build/configure-release.log
    return $code
  }
}

# A sweep that was begun goes on; one that another version of the program began is done again.
measure() {
  if [ -e "$out/journal.jsonl" ]; then
    code=0
    "$bin/vrbench" --resume "$out" || code=$?
    [ $code -eq 2 ] || return $code
    echo "the measurements in $out do not fit this build: measuring again"
    "$bin/vrbench" --all --quick --output-dir "$out" --overwrite "$clip"
  else
    "$bin/vrbench" --all --quick --output-dir "$out" "$clip"
  fi
}

# A search with the same build finds its own runs again.
tune() {
  set -- --auto-optimize --quick --budget 2m --save-config "$out/tuned.yaml" --overwrite "$clip"
  if [ -e "$out/tune/journal.jsonl" ]; then
    code=0
    "$bin/vrtune" "$@" --resume "$out/tune" || code=$?
    [ $code -eq 2 ] || return $code
    echo "the search in $out/tune does not fit this build: searching again"
  fi
  "$bin/vrtune" "$@" --output-dir "$out/tune"
}

echo
echo "== set-up"
scripts/setup.sh || exit $?
step "configure" configure
step "build" cmake --build --preset release -j "$(nproc)" --target vrseg vrbench vrtune vranalyze
mkdir -p "$out"
step "cut out the person: $clip" "$bin/vrseg" "$clip" -o "$out/person_green.mp4" --overwrite
step "contact sheet" "$bin/vrseg" "$clip" --preview 1 -o "$out/preview.png" --overwrite
step "measure" measure
step "tune" tune
step "analyse" "$bin/vranalyze" "$out/results.json"

cat <<END

Done. To look at:
  $out/person_green.mp4    the person over green, stereo kept
  $out/preview.png         contact sheet: input, matte, composite of both eyes
  $out/report.html         the measurements: tables, graphs, findings
  $out/recommended.yaml    configuration recommended by the measurements
  $out/tuned.yaml          configuration found by the tuner; use it: $bin/vrseg IN.mp4 -c $out/tuned.yaml -o OUT.mp4
END
