#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: results without shared rounds get no verdict (11), whatever the figures say; without shared cases they cannot be compared (14).
mkdir monday tuesday sunday
cp "$VRS_TEST_DIR/files/results/three-cases.json" monday/results.json
cp monday/results.json tuesday/results.json
sed 's/r=3840x1920/r=1920x960/g; s/"width":\([\t ]*\)3840/"width":\11920/; s/"height":\([\t ]*\)1920/"height":\1960/' \
  monday/results.json >sunday/results.json
code=0
vranalyze compare monday tuesday || code=$?
echo "exit $code"
code=0
vranalyze compare monday sunday || code=$?
echo "exit $code"
ls monday
