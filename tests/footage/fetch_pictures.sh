#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fetches pictures of people from PyPI packages, for measuring only: scikit-image's astronaut (NASA) and camera (CC0), and those of ultralytics
# (AGPL-3.0).
#
#   tests/footage/fetch_pictures.sh FOLDER
#
# Packages come from the registry's own client, and are refused when their SHA-256 is another one.  Exit code 77 where there is no access to PyPI.
# What is there already is not fetched again.  Nothing of it belongs into git or into a package.
set -u
if [ $# -ne 1 ]; then
  echo "usage: fetch_pictures.sh FOLDER" >&2
  exit 2
fi
mkdir -p "$1" && cd "$1" || exit 3
skimage_sha=fa27b3a0dbad807b966b8db2d78da734cb812ca4787f7fbb143764800ce2fa9c
ultralytics_sha=68eab78f4bdcd7ab2f62f5fe5a394958dd8507c47359a7f7930ab617ffba4302
fetch() { # PACKAGE SHA256 PICTURE...
  package=$1 sha=$2
  shift 2
  missing=
  for picture in "$@"; do [ -f "$(basename "$picture")" ] || missing=1; done
  [ -n "$missing" ] || return 0
  scratch=$(mktemp -d ./fetch-XXXXXX) || exit 3
  echo "$package --hash=sha256:$sha" >"$scratch/requirements.txt"
  if ! pip3 download --quiet --no-deps --require-hashes --only-binary :all: --platform manylinux2014_x86_64 --python-version 3.11 --retries 3 \
    --timeout 60 --disable-pip-version-check --dest "$scratch" --requirement "$scratch/requirements.txt" >"$scratch/log" 2>&1; then
    if grep -q 'DO NOT MATCH THE HASHES' "$scratch/log"; then
      echo "fetch_pictures: PyPI offers a $package of another SHA-256; it was not used" >&2
      rm -rf "$scratch"
      exit 3
    fi
    echo "skipped: $package cannot be fetched from PyPI"
    rm -rf "$scratch"
    exit 77
  fi
  unzip -q -o -j "$scratch"/*.whl "$@" -d . || exit 3
  rm -rf "$scratch"
}
fetch scikit-image==0.24.0 "$skimage_sha" skimage/data/astronaut.png skimage/data/camera.png
fetch ultralytics==8.3.40 "$ultralytics_sha" ultralytics/assets/bus.jpg ultralytics/assets/zidane.jpg
