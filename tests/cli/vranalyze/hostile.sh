#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: whatever stands in the texts of a result stays text in every format: markup, quotes, line breaks, control characters, what turns the
# direction of writing.  The result is otherwise the same, so the report has the same structure.
good=$VRS_TEST_DIR/files/results/three-cases.json
mkdir bad
# Each text of the result, but those that are words of ours, gets hostile text in front.
awk '{
  if (match($0, /"(tool_version|command|input|recommendation|model|clip|skipped|invalid|warning|goal_note|reason|excluded)":[\t ]*"/))
    print substr($0, 1, RSTART + RLENGTH - 1) "</td><script>x\\n|`\\u001b[2J\\u202e\\\"\\u00e9" substr($0, RSTART + RLENGTH)
  else
    print
}' "$good" | sed 's/"\(backend\|isa\)":\([\t ]*\)"[^"]*"/"\1":\2"<b>\&\x27"/' >bad/results.json
for format in text markdown json csv html; do
  vranalyze bad --no-html --format $format >bad.$format || echo "exit $?: $format"
  vranalyze "$good" --no-html --format $format >good.$format
  LC_ALL=C grep -c "$(printf '\033')" bad.$format || :
done
for file in good.html bad.html; do
  sed 's/<svg.*//; s/<text.*//' $file | grep -o '<[a-z/]*' | sort | uniq -c | grep -E '(script|td|th|table|b|pre)$' >$file.tags
done
diff good.html.tags bad.html.tags && echo "the same elements"
grep -c '<script' bad.html
grep -o '&lt;script&gt;' bad.html | head -n 1
for file in good.markdown bad.markdown; do # outside of code blocks
  awk '/^```/ { code = !code } !code && /^[|]/ { n++ } END { print n }' $file
done
