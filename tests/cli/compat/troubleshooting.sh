#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards docs/troubleshooting.md: it names every symptom that the users' documents have a chapter for, and what it quotes stands in them; each of its
# commands exists and ends well on a short clip.
. "$VRS_TEST_DIR/cli/compat_tables.sh"
inputs
guide=$VRS_SOURCE_DIR/docs/troubleshooting.md

# Chapters about troubles, without the counters before their headings.
# shellcheck disable=SC2086
awk '/^```/ { code = !code } code { next }
  /^## / { here = /Troubleshooting|Bottleneck Detection/; next }
  here && /^###/ && !/Automatic Detection|Common Bottlenecks/ { sub(/^#+ ([0-9]+\. )?/, ""); print }' $guides | sort -u >symptoms
while IFS= read -r symptom; do
  grep -qF "\"$symptom\"" "$guide" || failed "the guide does not name: $symptom"
done <symptoms
echo "$(wc -l <symptoms) symptoms"
awk '/^```/ { code = !code; next } !code' "$guide" | grep -o '"[^"]*"' | tr -d '"' >quotations
while IFS= read -r quotation; do
  # shellcheck disable=SC2086
  grep -qF -- "$quotation" $guides || failed "no document says: $quotation"
done <quotations

measured_results
awk '/^```/ { code = !code; next } code { sub(/   .*/, ""); print }' "$guide" | sort -u >lines
while IFS= read -r command <&3; do type_in "$command" works; done 3<lines
echo "$count commands"
