#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: what is no readable result is exit code 3 with one sentence that names the file and the place, and no report appears.
good=$VRS_TEST_DIR/files/results/three-cases.json
mkdir folder
: >empty.json
echo 'some notes' >text.json
echo '{}' >object.json
head -c 20000 "$good" >cut.json
sed 's,vrbench/1,vrbench/2,' "$good" >newer.json
sed '0,/"frames":/s/"frames":[^,]*/"frames": "many"/' "$good" >wrong.json
cp "$VRS_SOURCE_DIR/docs/images/contact-sheet.png" picture.json
truncate -s 300M huge.json
awk 'BEGIN { printf "{\"schema\": \"vrbench/1\", \"tool_version\": \"x\", \"cases\": "; for (i = 0; i < 5000; i++) printf "["; }' >deep.json
# What is wrong far behind, between the cases and after them, is told with its place.
sed '0,/"id":.*fp16/s/"id"\(.*fp16\)/"id"x\1/' "$good" >key.json
{ cat "$good"; echo '{}'; } >twice.json
tr -d '\n\t' <"$good" | sed 's/, *{"id":/ {"id":/' >comma.json
sed 's/"input":[^,]*/"input": 7/' "$good" >type.json
awk 'BEGIN { while (i++ < 1048576) printf "x" }' >x
{ printf '{"schema": "vrbench/1", "cases": [], "tool_version": "'; cat x; printf '"}'; } >long.json
for file in missing.json folder empty.json text.json object.json cut.json newer.json wrong.json picture.json huge.json \
  deep.json key.json twice.json comma.json type.json long.json; do
  code=0
  vranalyze $file || code=$?
  echo "exit $code: $file"
done
cp "$good" results.json
code=0
vranalyze results.json --html nowhere/report.html || code=$? # nothing is printed before
echo "exit $code: --html nowhere/report.html"
code=0
vranalyze results.json --html folder || code=$?
echo "exit $code: --html folder"
rm x
ls
