#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: --layout wins over what the file says, and the message names it.
vrseg "$VRS_DATA/person_vr180_sbs.mp4" -o null: --max-frames 1 --layout mono 2>&1 | sed -n 's/^vrseg: layout //p'
