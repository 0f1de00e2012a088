#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: one SIGTERM ends vranalyze while it waits for a reader that reads nothing.
. "$VRS_TEST_DIR/cli/stopping.sh"
mkfifo pipe
sleep 60 <pipe &
reader=$!
(head -c 65536 /dev/zero && exec vranalyze --help) >pipe & # what it writes finds no room
pid=$!
sleep 0.5
ends TERM $pid 'a reader that reads nothing'
kill $reader
