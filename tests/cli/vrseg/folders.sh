#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: folders and several inputs: sub-folders are kept, names give layouts file by file, one file that fails or is missing does not stop the
# others (3), outputs of an earlier run are no inputs, a folder that cannot be searched is an input that fails (its outputs are missing), as is a
# link that leads nowhere, a folder that cannot be made says why, --skip-existing knows a complete output from a cut one.
mkdir -p in/sub in/.hidden
cp "$VRS_DATA/person_flat.mp4" in/b_flat.mp4
cp "$VRS_DATA/person_flat.mp4" in/sub/a.mp4
cp "$VRS_DATA/person_flat.mp4" in/.hidden/x.mp4
cp "$VRS_DATA/person_vr180_sbs.mp4" in/c_sbs.mp4
echo damaged >in/d.mp4
echo notes >in/notes.txt
as_user=
run() {
  echo "-- $*"
  code=0
  $as_user vrseg --max-frames 3 --preset ultrafast "$@" >table 2>messages || code=$?
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
run in/gone.mp4 in/b_flat.mp4 gone in/sub/a.mp4 --output-dir beside
mkdir -p shut/locked shut/.locked shut/seen
cp "$VRS_DATA/person_flat.mp4" shut/a.mp4
cp "$VRS_DATA/person_flat.mp4" shut/locked/b.mp4
cp "$VRS_DATA/person_flat.mp4" shut/seen/c.mp4
touch shut/seen/notes.txt
chmod 0 shut/locked shut/.locked
chmod u=rw shut/seen # names, but no files
[ "$(id -u)" -ne 0 ] || as_user='setpriv --bounding-set=-dac_override,-dac_read_search' # whom permissions do not hold
run shut --output-dir half --recursive
run shut --output-dir half --skip-existing
run shut/locked shut/seen --output-dir half
chmod 700 shut/locked shut/.locked shut/seen
mkdir read_only
chmod a-w read_only
run shut/a.mp4 --output-dir read_only/out
mkdir links
cp "$VRS_DATA/person_flat.mp4" links/a.mp4
ln -s /nowhere/b.mp4 links/b.mp4
ln -s c.mp4 links/c.mp4
ln -s /nowhere/dir links/dir
ln -s /nowhere/.d.mp4 links/.d.mp4
ln -s ../in/b_flat.mp4 links/e.mp4
run links --output-dir half --recursive --overwrite
run links --output-dir half --skip-existing
for wrong in "in -o x.mp4" \
  "in/b_flat.mp4 in/c_sbs.mp4 -o x.mp4" "in/b_flat.mp4 - --output-dir out" "in/b_flat.mp4 new.mp4" "in/.hidden/y --output-dir out"; do
  code=0
  vrseg $wrong || code=$?
  echo "exit $code"
done 2>&1
