#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# For cases that load a library of the build into vrseg:   . "$VRS_TEST_DIR/cli/preload.sh"

# preload NAME: sets $preload, for LD_PRELOAD; a sanitizer's library has to be loaded before all others.
preload() {
  preload=$VRS_BIN/../tests/$1
  [ -f "$preload" ] || {
    echo "no $preload: build all targets"
    exit 77
  }
  preload=$(ldd "$VRS_BIN/vrseg" | awk '$1 ~ /^lib[at]san/ { print $3 " " }')$preload
}
