#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a file that ends too early is reported with its name (3), and neither an output nor a part of it stays.
head -c 100000 "$VRS_DATA/person_flat.mp4" >cut.mp4
head -c 30000 "$VRS_DATA/person_flat_alpha.mkv" >cut.mkv
for file in cut.mp4 cut.mkv; do
  code=0
  vrseg $file -o out.mp4 --log-level error 2>message || code=$?
  echo "$code $(grep -c "$file" message)"
done
ls -A
