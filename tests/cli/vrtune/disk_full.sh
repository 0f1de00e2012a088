#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards a disk that is full (a small file system of our own), where the runs go and where the settings are saved: one sentence with the cause, exit
# code 3, no half file, and the runs that were finished are there for --resume, which the sentence names.
unshare -rm true 2>/dev/null || exit 77
cp "$VRS_DATA/person_flat.mp4" clip.mp4
cat >inside.sh <<'SH'
set -eu
mkdir disk
mount -t tmpfs -o size=256k tmpfs disk || exit 77
run() {
  code=0
  vrtune --auto-optimize --quick --rounds 1 --only queue_size --queue-size 2,4 --max-frames 20 --threads 1 --progress none "$@" clip.mp4 \
    >out 2>message || code=$?
  echo "exit $code: $(grep -c 'No space left on device' message) cause, $(wc -l <message) lines$(sed -n 's/.*\(; every\)/\1/p' message)"
}
echo '-- the folder of the runs'
head -c 250k /dev/zero >disk/other
run --output-dir disk/runs
rm -r disk/other
echo '-- the file of the settings'
mount -o remount,size=64k disk
head -c 64k /dev/zero >disk/other 2>/dev/null || true
run --output-dir runs --save-config disk/my.yaml
ls disk
rm disk/other
run --resume runs --save-config disk/my.yaml
ls disk
SH
code=0
unshare -rm sh inside.sh 2>errors || code=$?
[ $code -ne 77 ] || exit 77
cat errors
