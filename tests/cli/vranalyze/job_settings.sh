#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a list for a search, which concerns jobs alone, is nothing that vranalyze, which runs none, warns of or refuses.  A mistyped key is one for
# every program.
cat >job.yaml <<'YAML'
engine.threads: [1, 2]
report.log_level: error
YAML
vranalyze -c job.yaml --strict "$VRS_TEST_DIR/files/results/three-cases.json" --no-html >report
grep -c . report | sed 's/^[1-9][0-9]*/lines/'
echo 'engine.threadz: 1' >>job.yaml
vranalyze -c job.yaml "$VRS_TEST_DIR/files/results/three-cases.json" --no-html || echo "exit $?"
