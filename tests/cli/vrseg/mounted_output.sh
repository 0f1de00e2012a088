#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: an output that is a mount point of its own, as in a container that was given one file, cannot be replaced: said before any work, in one
# go and in segments, by a preview too; in the folder that was mounted the output is made.
unshare -rm true 2>/dev/null || exit 77
cat >inside.sh <<'SH'
set -eu
mkdir host work
echo old >host/out.mkv
touch work/out.mkv work/out.png
mount --bind host/out.mkv work/out.mkv || exit 77
mount --bind host/out.mkv work/out.png
job="$VRS_DATA/person_flat.mp4 --overwrite --log-level error"
for how in '-o work/out.mkv --segment-frames none' '-o work/out.mkv --segment-frames 2' '-o work/out.mkv --dry-run' '--preview 0 -o work/out.png'; do
  code=0
  vrseg $job $how >summary || code=$?
  echo "$code $(cat host/out.mkv) $(ls -A work | tr '\n' ' ')"
done
umount work/out.mkv
mount --bind host work
vrseg $job --max-frames 2 -o work/out.mkv >summary
head -c 4 host/out.mkv | od -An -tx1
SH
unshare -rm sh inside.sh
