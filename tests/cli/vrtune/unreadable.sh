#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: an input that cannot be read is exit code 3 with one sentence, and no configuration appears.
: >empty.mp4
echo 'some notes' >text.mp4
mkdir films
for file in missing.mp4 empty.mp4 text.mp4 films; do
  code=0
  vrtune --auto-optimize --quick --save-config my.yaml $file 2>err || code=$?
  # The file is named with its real folder, which is a scratch folder here.
  sed "s,$(pwd -P)/,," err
  echo "exit $code: $file"
done
rm err
rmdir films
ls
