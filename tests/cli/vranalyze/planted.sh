#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a results folder from a stranger.  Links that lie in it are not followed when report and graphs are written; a link in place of a folder is
# refused; pipes and devices in place of its files are not waited for.
mkdir -p run/plots mine
cp "$VRS_TEST_DIR/files/results/three-cases.json" run/results.json
cp run/results.json good.json
echo precious >mine/text
unchanged() {
  [ "$(cat mine/text)" = precious ] && [ "$(ls mine)" = text ] && echo "$1: nothing of mine was written"
}
ln -s ../mine/text run/report.html
vranalyze run --format json >graphs.json
graphs=$(grep -o '"id": *"[^"]*"' graphs.json | sed 's/.*"\(.*\)"/\1/')
rm -rf run/plots && mkdir run/plots
for id in $graphs; do
  for end in svg png tsv gp; do ln -s ../../mine/text "run/plots/$id.$end"; done
done
vranalyze run >/dev/null 2>&1
unchanged "links as files"
[ -L run/report.html ] || grep -c '<svg' run/report.html
find run/plots -type l | while read -r link; do [ -f "${link%.*}.tsv" ] && [ ! -L "${link%.*}.tsv" ] && echo "$link is left"; done
# A report that the user names goes where the user's link leads.
echo old >page
ln -s page mine.html
vranalyze run --html mine.html >/dev/null 2>&1
[ -L mine.html ] && grep -c '<svg' page
rm -rf run/plots
ln -s ../mine run/plots
vranalyze run 2>&1 >/dev/null | grep plots
unchanged "a link as folder"
rm run/plots
# The reports of several results lie in folders that the program names.
mkdir -p typed
ln -s typed several
ln -s ../mine typed/02-good.json
code=0
vranalyze run good.json --output-dir several >/dev/null 2>err || code=$?
echo "exit $code: $(grep 02-good err | head -n 1)"
unchanged "a link as the folder of one of several"
ls several
# Reading never waits, not even for a terminal that nobody types on.
mkfifo silent
exec 3<>silent
for what in "mkfifo run/results.json" "ln -s /dev/zero run/results.json" "ln -s /dev/stdin run/results.json"; do
  rm -f run/results.json
  $what
  code=0
  timeout 60 vranalyze run <silent >/dev/null || code=$?
  echo "exit $code: $what"
done
rm run/results.json
sed 's,"round":,"frames_file": "frames/a.bin"\, "round":,' good.json >run/results.json
mkdir run/frames
mkfifo run/frames/a.bin run/frames/a.tsv
timeout 60 vranalyze run >/dev/null 2>&1 && echo "a pipe as frame times: read without"
# What a user pipes in is read.
cat good.json | vranalyze /dev/stdin --no-html | grep -c .
# A report takes no place of what it is made of.
rm -rf run && mkdir run
cp good.json run/results.json
vranalyze run --html run/results.json >/dev/null 2>&1 || echo "exit $?"
vranalyze good.json --html ./good.json >/dev/null 2>&1 || echo "exit $?"
cmp good.json run/results.json
"$VRS_TEST_DIR/files/results/make_nights.sh" nights 12
for file in nights/nights-*.jsonl; do
  cp "$file" kept
  vranalyze history nights --html "$file" 2>&1 >/dev/null | sed 's/-[0-9-]*\.jsonl/-DATE.jsonl/g'
  vranalyze nightly --history nights --html "$file" >/dev/null 2>&1 || echo "exit $?"
  cmp kept "$file"
  break
done
