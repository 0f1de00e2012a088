#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a misspelt flag is refused, and the one meant is named.
vrseg clip.mp4 --encodr ffv1
