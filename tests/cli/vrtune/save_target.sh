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

# The names that sizes make are no files that the command reads either (2).
echo 'pipeline: {queue_size: 4}' >my-320x240.yaml
cp "$VRS_DATA/person_flat.mp4" a-own.yaml
read_too() {
  code=0
  vrtune --auto-optimize --list --overwrite "$@" || code=$?
  echo "exit $code: $*"
}
read_too --save-config my.yaml --resolution own,320x240 -c my-320x240.yaml a-own.yaml
read_too --save-config my.yaml --resolution 320x240 --candidate ./my-320x240.yaml a-own.yaml
read_too --save-config a.yaml --resolution 320x240,own a-own.yaml
cat my-320x240.yaml
