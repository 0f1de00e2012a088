#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --metrics-file on devices: they stay what they are, and take the metrics.  As root one could be replaced: in a /dev of our own.
unshare -rm true 2>/dev/null || {
  echo "no name spaces of our own here"
  exit 77
}
cat >inside.sh <<'SH'
mkdir dev
touch dev/null
mount --bind /dev/null dev/null
ln -s /proc/self/fd/1 dev/stdout
mount --rbind dev /dev || exit 77
for file in /dev/null /dev/stdout; do
  vrseg "$1" -o null: --max-frames 1 --metrics-file $file --progress none --log-level error | grep -c '^vrseg_running' || true
done
[ -c /dev/null ] && readlink /dev/stdout
SH
unshare -rm sh inside.sh "$VRS_DATA/person_flat.mp4"
