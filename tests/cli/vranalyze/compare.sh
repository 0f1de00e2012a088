#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the same measurement is EQUIVALENT (0), however it is written; results without shared rounds get no verdict (11) whatever their times
# say, and the command that gives one; worse mattes are a regression (10); other machines, inputs and cases cannot be compared (14), and what differs
# is named.
mkdir monday tuesday wednesday sunday
cp "$VRS_TEST_DIR/files/results/three-cases.json" monday/results.json
tr -d '\t\n' <monday/results.json >same.json
sed 's/2026-01-02T03/2026-01-03T03/; s/"fps":\([\t ]*\)20/"fps":\119/' monday/results.json >tuesday/results.json
sed 's/2026-01-02T03/2026-01-04T03/; s/"iou":\([\t ]*\)0.95\([,0]\)/"iou":\10.94\2/' monday/results.json >wednesday/results.json
sed 's/r=3840x1920/r=1920x960/g; s/"width":\([\t ]*\)3840/"width":\11920/; s/"height":\([\t ]*\)1920/"height":\1960/' \
  monday/results.json >sunday/results.json
sed 's/2026-01-02T03/2026-01-05T03/; s/Test CPU/Other CPU/;
  s/"fingerprint":\([\t ]*\)"..../"fingerprint":\1"9999/; s,"tool_version":\([\t ]*\)"[^"]*,&-x,' \
  monday/results.json >machine.json
try() {
  code=0
  vranalyze compare "$@" || code=$?
  echo "exit $code"
}
try monday monday
try monday same.json
try monday tuesday
try monday wednesday --explain
try monday sunday
try monday machine.json
try monday tuesday wednesday sunday | sed -n '1,8p; /^VERDICT/p; /^exit/p'
# Nothing is written but what --output-dir asks for.
ls monday
try monday tuesday --output-dir out --format csv | sed -n '1,3p; $p'
ls out
