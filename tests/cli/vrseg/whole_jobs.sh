#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: jobs of every arrangement of threads and processes end well and make all their frames.  Under ThreadSanitizer and AddressSanitizer, whose
# finds change the exit code of a job and of its workers, this is where races and leaks between the stages show; there it is a quick test.
clip=$VRS_DATA/person_vr180_sbs.mp4
common="-n 6 --preset ultrafast --progress none --log-level warning"
job() { # NAME ARGUMENT...
  name=$1
  shift
  code=0
  vrseg "$@" >summary 2>message || code=$?
  echo "$name: exit $code$(sed -n 's/^\([0-9]* frames\) in.*/, \1/p' summary | tr -d '\n')"
  test $code -eq 0 || cat message
}
# shellcheck disable=SC2086
one() { # NAME ARGUMENT...
  name=$1
  shift
  job "$name" "$clip" -o "$name.mp4" $common "$@"
}
one plain --stats
one streams --threads 2 --streams 2 --batch-size 4 --trace trace.json
one segments --segment-frames 2 --smoothing 0.5 --trace trace.json --overwrite
one processes --segment-frames 2 --processes --process-count 2
one regions --max-regions 2 --early-exit --streams 2
one window --smoothing-window 3 --refine --streams 3
one stride --stride 3 --skip-similar --streams 2
one background --background "$VRS_DATA/person_flat.mp4" --refine-full --despill 0.5 --streams 2
one alpha --output-mode alpha --verify-pack --streams 2
one cache --cache --streams 2
one cached --cache --color ff0000 --streams 2
job preview "$clip" --preview 1 -o sheet.png
# shellcheck disable=SC2086
job several "$clip" "$VRS_DATA/person_flat.mp4" --output-dir several $common --streams 2
ls several

# how many frames are left out on the way to six is up to the machine
vrseg "$clip" -n 6 --live --streams 2 -o live.mkv --preset ultrafast --progress none --log-level error >summary
sed -n 's/^live: \([0-9]*\) frames came, \([0-9]*\) dropped.*/\1 \2/p' summary >counts
read -r came dropped <counts
echo "live: $((came - dropped)) frames"

# the same command again finishes what a signal has stopped: all segments are in the file
# shellcheck disable=SC2086
vrseg "$clip" -o stopped.mp4 $common --segment-frames 2 --smoothing 0.5 --streams 2 >summary 2>message &
pid=$!
until [ "$(ls .stopped.mp4.vrseg 2>/dev/null | grep -c '^segment')" -ge 1 ] || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
kill -TERM $pid 2>/dev/null || true
code=0
wait $pid || code=$?
test $code -eq 0 || test $code -eq 143 || cat message
test $code -eq 0 || one stopped --segment-frames 2 --smoothing 0.5 --streams 2 >again
cmp segments.mp4 stopped.mp4 && echo same
