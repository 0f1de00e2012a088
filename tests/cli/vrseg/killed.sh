#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: SIGKILL while frames are being written leaves the old output as it was.
echo old >out.mp4
vrseg "$VRS_DATA/person_vr180_sbs.mp4" -o out.mp4 --overwrite --backend ref --input-size 384x384 --streams 1 --threads 1 --queue-size 1 \
  --preset ultrafast --progress json >/dev/null 2>message &
pid=$!
until grep -q '"frame": [1-9]' message || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
kill -KILL $pid
code=0
wait $pid || code=$?
echo "$code $(cat out.mp4)"
