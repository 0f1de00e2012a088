#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a configuration that could not be saved is refused before the search: an existing one (2), a folder (2), one in no folder (3).
echo "mine" >old.yaml
mkdir folder
check() {
  code=0
  vrtune --auto-optimize --quick --save-config "$1" "$VRS_DATA/person_flat.mp4" || code=$?
  echo "exit $code: $1"
}
check old.yaml
check folder
check nowhere/my.yaml
cat old.yaml
ls
