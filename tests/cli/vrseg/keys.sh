#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards keys on a terminal: R prints the stage report during the job, q ends it like one Ctrl-C with what is finished saved, and the terminal has its
# modes back; keys mean nothing where standard input is no terminal.
command -v script >/dev/null || exit 77
cat >job.sh <<JOB
stty -a <&0 | tr ' ;' '\n\n' | grep -E '^-?(icanon|echo)$' >before
vrseg synth:320x160,frames=3000 -o out.mkv --live --preset ultrafast --progress json 2>&1
echo "exit \$?"
stty -a <&0 | tr ' ;' '\n\n' | grep -E '^-?(icanon|echo)$' >after
JOB
# the job says a line when it begins; each key waits for the answer to the one before
mkfifo keys
script -qfec 'sh job.sh' typescript <keys >/dev/null &
pid=$!
exec 3>keys
await() {
  for _ in $(seq 600); do
    grep -q "$1" typescript 2>/dev/null && return
    sleep 0.1
  done
}
await '"frame": [1-9]'
printf R >&3
await '^limit:'
printf q >&3
await '^exit'
exec 3>&-
wait $pid || true
tr -d '\r' <typescript | grep -o -E '^(decode|encode|limit:|vrseg: finishing frames in flight|exit 130|vrseg: stopped on request)'
cmp before after && tr '\n' ' ' <after
test -s out.mkv && echo saved
printf 'RRq' | vrseg "$VRS_DATA/person_flat.mp4" -o null: -n 5 --log-level error --progress none | cut -d ' ' -f 1-2
