#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: SIGKILL in the middle leaves the old output as it was.
echo old >out.mp4
code=0
timeout -s KILL 2 vrseg "$VRS_DATA/person_vr180_sbs.mp4" -o out.mp4 --overwrite --backend ref --input-size 768x768 --streams 1 --threads 1 \
  --preset ultrafast >message 2>&1 || code=$?
echo "$code $(cat out.mp4)"
