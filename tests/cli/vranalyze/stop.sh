#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: one SIGTERM ends vranalyze while it waits for results that nobody writes.
. "$VRS_TEST_DIR/cli/stopping.sh"
mkfifo pipe
vranalyze pipe 2>/dev/null &
pid=$!
sleep 0.5
ends TERM $pid 'results that nobody writes'
