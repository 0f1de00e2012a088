#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: without an input the program says so and returns 2.
vrseg
