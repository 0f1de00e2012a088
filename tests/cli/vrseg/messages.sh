#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the decision on the layout with its reason, progress as JSON, the log file, and the stage table.
vrseg "$VRS_DATA/person_vr180_sbs.mp4" -o hash:frames.txt --max-frames 20 --progress json --stats --log-file log.txt
grep -c layout log.txt
wc -l <frames.txt
