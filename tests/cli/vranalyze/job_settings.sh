#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: what a configuration says of jobs alone (a list for a search, a key of a feature that does not exist) is nothing that vranalyze, which runs
# none, warns of or refuses.  What it uses itself counts.
cat >job.yaml <<'YAML'
engine.threads: [1, 2]
workload.clip.batch_size: 16
report.log_level: error
YAML
vranalyze -c job.yaml --strict "$VRS_TEST_DIR/files/results/three-cases.json" --no-html >report
grep -c . report | sed 's/^[1-9][0-9]*/lines/'
echo 'engine.threadz: 1' >>job.yaml
vranalyze -c job.yaml "$VRS_TEST_DIR/files/results/three-cases.json" --no-html || echo "exit $?"
