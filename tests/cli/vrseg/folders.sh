#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: folders and several inputs: sub-folders are kept, names give layouts file by file, one file that fails does not stop the others (3),
# outputs of an earlier run are no inputs, --skip-existing knows a complete output from a cut one.
mkdir -p in/sub in/.hidden
cp "$VRS_DATA/person_flat.mp4" in/b_flat.mp4
cp "$VRS_DATA/person_flat.mp4" in/sub/a.mp4
cp "$VRS_DATA/person_flat.mp4" in/.hidden/x.mp4
cp "$VRS_DATA/person_vr180_sbs.mp4" in/c_sbs.mp4
echo damaged >in/d.mp4
echo notes >in/notes.txt
run() {
  echo "-- $*"
  code=0
  vrseg --max-frames 3 --preset ultrafast "$@" >table 2>messages || code=$?
  sed 's/ [0-9]*\.[0-9][0-9]/ N/g; s/  */ /g' table
  grep -E 'layout|error|making it again|vrseg: [0-9]' messages | sed 's/ (.*//' || true
  echo "exit $code"
}
run in --output-dir out
run in --output-dir out --recursive --skip-existing
find out -type f | sort
head -c 20000 out/b_flat_green.mp4 >cut && mv cut out/b_flat_green.mp4
rm in/d.mp4
run in/b_flat.mp4 --output-dir span --start 1 --duration 0.5 --max-frames all
run in/b_flat.mp4 --output-dir span --start 1 --duration 0.5 --max-frames all --skip-existing
run in --output-dir out --recursive --skip-existing
run in/b_flat.mp4 in/sub/a.mp4
run in
run in/b_flat.mp4 in/b_flat.mp4 --output-dir twice
for wrong in "in -o x.mp4" \
  "in/b_flat.mp4 in/c_sbs.mp4 -o x.mp4" "in/b_flat.mp4 - --output-dir out" "in/b_flat.mp4 new.mp4" "in/.hidden/y --output-dir out"; do
  code=0
  vrseg $wrong || code=$?
  echo "exit $code"
done 2>&1
