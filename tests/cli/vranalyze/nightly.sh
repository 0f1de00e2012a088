#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: nights judged again, and results against the history: exits 0, 10, 11, 13 and 14; a lasting step is one alert with the builds around it,
# which bisect, annotate and accept know; a matte that became worse fails at once; nothing is appended by judging.
# A folder without nights is told as such, and nothing is written in it.
make=$VRS_TEST_DIR/files/results/make_nights.sh
go() {
  if vranalyze "$@" >out 2>err; then code=0; else code=$?; fi
  sed 's/ %\{0,1\} *\[-[0-9.]*, -[0-9.]*\]/ [INTERVAL]/' out >report
  echo "exit $code: $(echo "$*" | sed "s|$VRS_TEST_DIR/||" | cut -c -90) $(tail -n 1 report | grep '^VERDICT' || true) $(tail -n 1 err)"
}
echo "-- nothing there"
go nightly --history none
mkdir empty
go nightly --history empty
go accept --history none --reason x
echo mine >empty/report.html
go history empty
go bisect --history empty
ls empty && cat empty/report.html
ls -d none 2>/dev/null || true
echo "-- steady"
"$make" steady 40
go nightly --history steady
go nightly --history steady --require-baseline
go bisect --history steady
cat report
echo "-- a step of 5 %, and seven nights since"
"$make" step 47 41 0.05
cp -r step before
go nightly --history step --format markdown
sed -n '/^# /p; /became\|history shows/p' report
go nightly --history step
sed -n '/^Changes in the history/,/^  Builds/p' report
go bisect --history step
cat report
go annotate --history step --night 41 --reason 'new kernel of the <system> | "quoted"'
cat report
go nightly --history step
go history step --no-html
sed -n '/^What each change did/,/^  Before/p' report
sed -n '/^Accepted baselines/,/^$/p' report | sed 's/^  20[-0-9T:]*Z/  DATE                /'
cp -r before accepted
go accept --history accepted --reason 'better mattes, 5 % slower'
cat report
go nightly --history accepted
cp -r accepted back # an older build is the baseline again
go accept --history back --night 40 --reason "a mistake"
go nightly --history back
go accept --history accepted --reason "$(printf '%0600d' 1)"
go accept --history accepted
go accept --history accepted --night 99 --reason x
echo "-- results against the history"
jq '.comparisons = [] | .cases[1].runs = .cases[0].runs' "$VRS_TEST_DIR/files/results/ab.json" >equal.json
go nightly --history steady equal.json
jq '(.cases[] | select(.id | endswith("side=B")).runs[].iou) -= 0.01' equal.json >worse.json
go nightly --history steady worse.json --junit j.xml --badge b.json --summary s.md
grep -c '<failure message="WORSE: cost +1.1 %, 0.94 against 0.95' j.xml
cat b.json | tr -d '\n' | jq -c .
grep -c '^| r=3840x1920/b=2/p=fp32/t=1 | iou | 0.9500 | 0.9400 |' s.md
go nightly --history steady "$VRS_TEST_DIR/files/results/three-cases.json"
jq '.cases[].runs[].iou -= 0.01' "$VRS_TEST_DIR/files/results/three-cases.json" >sweep.json
go nightly --history steady sweep.json
cp -r steady counted # nights that say of how many mattes their figures are
sed -i 's/"metrics":\[/"mattes":24,&/g' counted/nights-*.jsonl
jq '.cases[].runs[].quality_frames = 24' sweep.json >as_many.json
go nightly --history counted as_many.json
jq '.cases[].runs[].quality_frames = 12' sweep.json >fewer.json
go nightly --history counted fewer.json
jq '.fingerprint = "0000000000009999"' worse.json >other.json
go nightly --history steady other.json
jq '.input = "clips/other.mp4"' sweep.json >film.json
go nightly --history steady film.json
wc -l <steady/nights-2026-02.jsonl
echo "-- clocks out of step"
for time in 3028752000 86400; do
  cp -r before clock
  sed -i "/\"number\":45,/s/\"time\":[0-9]*/\"time\":$time/" clock/nights-*.jsonl
  go nightly --history clock
  grep 'out of step' report
  rm -r clock
done
echo "-- weekly nights"
cp -r steady weekly
for file in weekly/nights-*.jsonl; do
  jq -c '.time = 1577836800 + .number * 604800' "$file" >lines && mv lines "$file"
done
go nightly --history weekly
grep -A 1 'too far apart' report
echo "-- damage"
cp -r steady torn
printf '{"schema":"vrbench-history/1","num' >>torn/nights-2026-02.jsonl
go nightly --history torn
grep -c 'ends in the middle of a line' err
cp -r steady broken
sed -i '3s/"verdict":"EQUIVALENT"/"verdict":"FINE"/' broken/nights-2026-02.jsonl
go nightly --history broken
cp -r steady newer
sed -i '5s|vrbench-history/1|vrbench-history/2|' newer/nights-2026-01.jsonl
go history newer
cp -r steady huge
truncate -s 300M huge/nights-2026-02.jsonl
go nightly --history huge
cp -r steady piped
rm piped/nights-2026-02.jsonl && mkfifo piped/nights-2026-02.jsonl
go nightly --history piped
