#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a device that does not open leaves the film to software, told once, with the same output as without; an unknown device is refused (2).
clip=$VRS_DATA/person_flat.mp4
vrseg "$clip" -o hash:off.txt --hwdecode off --max-frames 5 --log-level warning >/dev/null
vrseg "$clip" -o hash:auto.txt --max-frames 5 --log-level warning >/dev/null
# VDPAU needs an X server, which no test has
env -u DISPLAY vrseg "$clip" -o hash:none.txt --hwdecode vdpau --max-frames 5 --log-level warning >/dev/null
for name in auto none; do
  cmp off.txt $name.txt && echo "$name: the same"
done
code=0
vrseg "$clip" -o null: --hwdecode abacus || code=$?
echo "exit $code"
