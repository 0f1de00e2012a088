#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards what key_completeness.sh guards, with each value given to the cache and to the unfinished run by flag and in YAML.
all_ways=yes
. "$VRS_TEST_DIR/cli/vrseg/key_completeness.sh"
