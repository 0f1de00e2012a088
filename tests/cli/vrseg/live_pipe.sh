#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a live job on a pipe takes frames as they come, counts every one as shown or dropped, and carries on after a silence; a wish to stop ends
# the wait for a pipe that is silent, and what came before is saved; a missed target exits with 10 only where --fail-on asks for it.
vrseg "$VRS_DATA/person_flat.mp4" -o all.y4m --max-frames 20 --log-level error --progress none >/dev/null
head=$(head -n 1 all.y4m | wc -c)
frame=$((640 * 480 * 3 / 2 + 6))

# eight frames, a second of silence, twelve frames
(head -c $((head + 8 * frame)) all.y4m; sleep 1; tail -c $((12 * frame)) all.y4m) |
  vrseg - --live -o null: --log-level error --progress none >summary
came=$(sed -n 's/^live: \([0-9]*\) frames came, .*/\1/p' summary)
dropped=$(sed -n 's/^live: .* came, \([0-9]*\) dropped.*/\1/p' summary)
shown=$(sed -n 's/^\([0-9]*\) frames\{0,1\} in.*/\1/p' summary)
echo "$came came"
test $((shown + dropped)) -eq 20 || cat summary
test "$shown" -ge 2 || cat summary

# the pipe stays open and silent: a stop must not wait for it
mkfifo pipe
(head -c $((head + 8 * frame)) all.y4m; exec sleep 60) >pipe &
feeder=$!
env --default-signal=INT vrseg - -o part.mkv --progress none <pipe >summary 2>message &
pid=$!
until grep -q 'network' message || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
sleep 3 # for the eight frames, on a busy machine
kill -INT $pid
code=0
wait $pid || code=$?
kill -0 $feeder && echo "stopped with $code while the pipe was open"
kill $feeder
wait $feeder || true
grep -c 'stopped on request' message
test -s part.mkv && echo saved

# exit codes of targets
for fail in "" "--fail-on target"; do
  code=0
  vrseg "$VRS_DATA/person_flat.mp4" --live -n 15 -o null: --target-fps 500 $fail --log-level error --progress none >summary || code=$?
  echo "${fail:-as a rule}: $code $(grep -c 'fail$' summary)"
done
