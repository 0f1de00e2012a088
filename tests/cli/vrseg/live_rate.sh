#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: frames that wait for others of their stride and are then shown at once do not raise the rate of a live job above that of its source (30), so
# that --fail-on target fails (10); of one frame there is no rate, and a target is not judged.
job="-m selfie_segmentation --live -o null: --target-fps 72 --fail-on target --log-level error --progress none"
for what in "--stride 3 -n 3" "-n 1"; do
  code=0
  vrseg "$VRS_DATA/person_flat.mp4" $job $what >out || code=$?
  echo "-- $what: $code"
  sed -nE "s/^live: .*%\), //p; /^frames\/s  /p" out | sed -E "s/ +[0-9]+\.[0-9]+ +72/ N 72/; s/^[0-9]+\.[0-9]+/N/"
done
