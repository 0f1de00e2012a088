#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards the live line on a terminal: what the job does first, then CPU and the sensors of the machine; on a narrow terminal parts are left out as a
# whole, so that the line never wraps; and no sensor is made up where there is none.
command -v script >/dev/null || exit 77
last_line() { # COLUMNS MACHINE
  cat >job.sh <<JOB
stty cols $1
VRSEG_ROOT=$VRS_TEST_DIR/machines/$2 vrseg "$VRS_DATA/person_flat.mp4" -o null: -n 5 --log-level error 2>&1
JOB
  TERM=dumb script -qec 'sh job.sh' /dev/null </dev/null | tr '\r' '\n' | sed 's/[^ -~]\[K$//' | grep '^frame' | tail -n 1 |
    sed -e 's/[0-9.]* frames.s/N frames\/s/' -e 's/CPU [0-9]* %/CPU N %/'
}
last_line 30 hybrid-laptop
last_line 40 hybrid-laptop
last_line 120 hybrid-laptop
last_line 120 bare
