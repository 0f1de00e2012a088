#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: an input that does not exist is an unreadable file (3), and no output appears.
code=0
vrseg nope.mp4 -o out.mp4 || code=$?
ls -A
exit $code
