#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: an existing output is left alone without --overwrite (2) and replaced with it; one that a killed run had made, and not yet cleaned up
# behind, is made again, in one go and in segments.  A link leads to the file that it names, there or not.
# With --dry-run nothing is written.
echo old >out.mkv
code=0
vrseg "$VRS_DATA/person_flat.mp4" -o out.mkv --encoder ffv1 --max-frames 2 || code=$?
echo "$code $(cat out.mkv)"
vrseg "$VRS_DATA/person_flat.mp4" -o out.mkv --encoder ffv1 --max-frames 2 --overwrite --log-level error >/dev/null
head -c 4 out.mkv | od -An -tx1
ls -A
for segments in none 2; do
  job="$VRS_DATA/person_flat.mp4 -o out.mkv --encoder ffv1 --max-frames 6 --segment-frames $segments --log-level error"
  vrseg $job --overwrite >/dev/null
  cp out.mkv wanted
  mkdir .out.mkv.vrseg
  ln out.mkv .out.mkv.vrseg/.output.01234567-0123456789abcdef.part
  vrseg $job >/dev/null && cmp out.mkv wanted && ls -A
  # ... and the run after it was killed as well
  mkdir .out.mkv.vrseg
  ln out.mkv .out.mkv.vrseg/made
  vrseg $job >/dev/null && cmp out.mkv wanted && ls -A
  # ... or between the last file of its folder and the folder itself
  mkdir .out.mkv.vrseg
  ln out.mkv .out.mkv.vrseg.made
  vrseg $job >/dev/null && cmp out.mkv wanted && ls -A
done

# a link to a file that is not there yet, and then is
mkdir there
ln -s there/out.mkv link.mkv
for segments in none 2; do
  job="$VRS_DATA/person_flat.mp4 --encoder ffv1 --max-frames 6 --segment-frames $segments --log-level error"
  vrseg $job -o out.mkv --overwrite >/dev/null
  mv out.mkv wanted
  for overwrite in '' --overwrite; do
    rm -f there/out.mkv
    vrseg $job -o link.mkv $overwrite | sed 's/ in .*->/ ->/'
    cmp there/out.mkv wanted && readlink link.mkv
  done
  code=0
  vrseg $job -o link.mkv || code=$?
  vrseg $job -o link.mkv --overwrite >/dev/null
  echo "$code $(ls -A . there | tr '\n' ' ')"
done
ln -s there/out.png link.png
ln -s there/trace.json link.json
for what in '--max-frames 1 -o link.png' '--preview 0 -o link.png' '--max-frames 1 -o null: --trace link.json'; do
  job="$VRS_DATA/person_flat.mp4 $what --log-level error"
  vrseg $job | sed 's/ in .*->/ ->/'
  code=0
  vrseg $job || code=$?
  echo "$code $(ls there | tr "\n" " ")"
  vrseg $job --overwrite | sed 's/ in .*->/ ->/'
  readlink link.png link.json
  rm -f there/*.png there/*.json
done
ln -s none/out.mkv nowhere.mkv
vrseg "$VRS_DATA/person_flat.mp4" -o nowhere.mkv --max-frames 1 || echo "$?"

# --dry-run writes no trace, and none is lost
vrseg "$VRS_DATA/person_flat.mp4" -o dry.mkv --dry-run --trace dry.json --log-level error >/dev/null
echo old >dry.json
vrseg "$VRS_DATA/person_flat.mp4" -o dry.mkv --dry-run --trace dry.json --overwrite --log-level error >/dev/null
cat dry.json
ls dry*
# ... and nothing to who reads
vrseg "$VRS_DATA/person_flat.mp4" -o y4m:- --dry-run --log-level error 2>said | wc -c
grep -c 'memory' said
mkfifo pipe.mkv
timeout 60 vrseg "$VRS_DATA/person_flat.mp4" -o pipe.mkv --dry-run --log-level error >/dev/null || echo "$?"
