#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The calibration of a network, kept for later runs.
prepare() { clip clip.mp4 3; }
run() { exec vrseg --calibrate clip.mp4 -m example_softmax2 --threads 1 >table; }
loose='.home* table'
view() { cat table; }
