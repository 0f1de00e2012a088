#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --encode-workers: x264, which writes its settings into the stream, has as many threads.
for n in 1 3; do
  vrseg "$VRS_DATA/person_flat.mp4" -o out.mkv --encode-workers $n --max-frames 2 --overwrite --log-level error >log || cat log
  grep -aoE ' threads=[0-9]+' out.mkv
done
rm out.mkv log
