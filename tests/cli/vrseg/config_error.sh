#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a wrong key in a configuration file is named with its place and the key that was meant (2).
printf 'engine:\n  thread: 3\n' >my.yaml
vrseg "$VRS_DATA/person_flat.mp4" -o out.mp4 -c my.yaml
