#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a quick search of one option ends with a file that vrseg takes, claims nothing it did not verify, and a second search for the
# same folder is refused while the first one measures.  A range is searched to its end, each value measured under one name, and saved as one value.
# Limits out of reach are a verdict with the nearest settings, an exit code, and no file.
vrtune --auto-optimize --quick --rounds 4 --only batch_size --batch-size 2-3 --max-frames 12 --output-dir runs \
  --save-config my.yaml --progress none "$VRS_DATA/person_flat.mp4" >out 2>err &
first=$!
tries=0
while [ ! -e runs/journal.jsonl ] && [ $tries -lt 600 ]; do
  sleep 0.1
  tries=$((tries + 1))
done
code=0
vrtune --auto-optimize --quick --only threads --output-dir runs --overwrite --progress none "$VRS_DATA/person_flat.mp4" 2>second || code=$?
sed 's/(process [0-9]* on [^)]*)/(process N on HOST)/' second
rm second
echo "second: exit $code"
code=0
wait $first || code=$?
echo "first: exit $code"
cat err
grep -o 'The default stays' out
grep '^all runs' out
vranalyze runs 2>analysis | grep -q 'r=640x480/b=3/' && echo 'vranalyze reads them'
rm analysis
grep -oE '/b=[^/]*' out | sort -u
grep -cE 'batch_size: [23]( |$)' my.yaml
vrseg -c my.yaml "$VRS_DATA/person_flat.mp4" -o out.mkv --encoder ffv1 --max-frames 2 >/dev/null 2>&1
echo "vrseg: exit $?"
code=0
vrtune --auto-optimize --quick --rounds 1 --only batch_size --batch-size 2-3 --target-fps 9999 --max-bitrate 100 \
  --max-frames 12 --save-config no.yaml --progress none \
  "$VRS_DATA/person_flat.mp4" >out 2>err || code=$?
echo "limits: exit $code"
grep -o '^Nearest settings\|^VERDICT INFEASIBLE target_fps=9999 fps=' out
grep -o 'limit=speed$' out
grep -oE '^ *(speed|bit rate) +at (least|most) .*(pass|fail)' out | tr -s ' ' | sed 's/[0-9.]* \(FPS\|kbit.s\) \(pass\|fail\)/\2/'
ls
