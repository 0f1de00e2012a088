#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the built-in people are people to the default network in every layout (IoU of each eye against their own truth), follow the options of any
# input, and a name that is none is refused (2).
try() {
  vrseg "$@" -o null: --truth synth: 2>err.txt |
    awk -v name="$1" '$2 == "frame" { eyes++; good += $4 > 0.9; if ($4 <= 0.9) print $0 } END { print name ":", good + 0, "of", eyes + 0, "eyes" }'
  sed -n 's/^vrseg: layout //p' err.txt
}
try synth:1024x512,frames=4
try synth:512x1024,bt,fisheye:190,frames=4
try synth:640x360,frames=90 --start 2 --duration 0.2 --every-nth 2
try synth:1280x640,rl,people=2,bits=10,frames=2
try synth:1024x512,scene=stand+light,frames=3
for wrong in synth:cube "film.mp4 --truth synth:"; do
  code=0
  # shellcheck disable=SC2086
  vrseg $wrong -o null: || code=$?
  echo "exit $code"
done
