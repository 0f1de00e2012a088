#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a search that may try 8 bits calibrates the network first, once; what it keeps is what vrseg uses, so that a saved int8 needs no other
# calibration.  A dry run says it and does not.
clip=$VRS_DATA/person_flat.mp4
folder=../cache/vrseg/calibrations
tune() {
  code=0
  vrtune --auto-optimize --quick --rounds 1 --only precision -m example_matting --input-size 64x64 --threads 1 --max-frames 12 --progress none \
    "$@" "$clip" >out 2>err || code=$?
  [ $code -eq 0 ] || { cat err; echo "exit $code"; }
  sed -n 's/in [0-9]* s\..*/in N s/; s/^note: The \(network was calibrated\|search would begin\)/\1/p
    s/^  \(engine.precision int8 mixed .*\)/\1/p' out | tr -s ' '
}
echo '-- dry run'
tune --precision fp32,int8 --dry-run
[ -d $folder ] || echo 'no folder'
echo '-- search'
tune --precision fp32,int8
ls $folder | wc -l
grep -q '/p=int8/' out && echo 'int8 was tried'
echo '-- another one would have nothing to calibrate'
tune --precision fp32,int8 --dry-run
grep -o 'engine.precision  fp32     int8' out
echo '-- vrseg'
vrseg "$clip" -o out.mkv -m example_matting --input-size 64x64 --precision int8 -n 4 --encoder ffv1 --progress none >out 2>err
grep calibrating err || echo 'calibrates no more'
