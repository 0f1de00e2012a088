#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a reader that goes away ends the job at once with one sentence (3) but is no failure of a program that only prints, and a standard output
# that is full is an error, not a silent loss.
mkfifo pipe
head -c 1000 <pipe >/dev/null &
code=0
vrseg "$VRS_DATA/person_flat.mp4" -o y4m:- --log-level error >pipe || code=$?
echo "exit $code" >&2
wait
code=0
vrseg "$VRS_DATA/person_flat.mp4" -o null: --log-level error --max-frames 2 --progress none >/dev/full || code=$?
echo "exit $code" >&2
for program in vrseg vrbench vrtune vranalyze; do
  code=0
  $program --list-options >/dev/full 2>/dev/null || code=$?
  echo "$program: exit $code" >&2
done
for program in vrseg vrbench vrtune; do # more than a buffer
  {
    sleep 0.5
    code=0
    $program --dump-config || code=$?
    echo "$program without a reader: exit $code" >&2
  } | true
done
