#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: actions that need no input answer on standard output.
vrseg --list-models
vrseg --list-encoders | grep -c -e '^libx264 ' -e '^ffv1 '
vrseg --version | head -c 5
echo
vrseg --dump-config --threads 3 | grep 'threads: '
vrseg --hardware | head -n 1 | grep -c .
vrseg --help | head -n 1
