#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Lines and branches that the tests of a coverage build reached, as the table of docs/testing.md: one row a folder, then the files with most
# lines that nothing reaches.  Branches that compilers make for calls are left out.
#   coverage.sh BUILD_DIR
set -eu
json=$1/coverage.json
gcovr -r . --object-directory "$1" --exclude-throw-branches --exclude-unreachable-branches --gcov-ignore-parse-errors \
  --filter engine/ --filter bench/ --filter tuner/ --filter analyzer/ --filter reports/ --json-summary "$json" >/dev/null
jq -r '.files[] | [.filename, .line_covered, .line_total, .branch_covered, .branch_total] | @tsv' "$json" | awk -F '\t' '
  function share(part, all) { return all ? sprintf("%.1f", 100 * part / all) : "-" }
  {
    n = split($1, part, "/")
    folder = part[1] (n > 2 ? "/" part[2] : "")
    if (!(folder in total)) order[++folders] = folder
    lines[folder] += $2; total[folder] += $3; taken[folder] += $4; branches[folder] += $5
    all[1] += $2; all[2] += $3; all[3] += $4; all[4] += $5
    missed[$1] = $3 - $2
  }
  END {
    print "| folder | lines | lines reached, % | branches taken, % |\n|---|---|---|---|"
    for (i = 1; i <= folders; i++)
      printf "| %s | %d | %s | %s |\n", order[i], total[order[i]], share(lines[order[i]], total[order[i]]), share(taken[order[i]], branches[order[i]])
    printf "| all | %d | %s | %s |\n\n", all[2], share(all[1], all[2]), share(all[3], all[4])
    for (file in missed) print missed[file], file | "sort -rn | head -20"
  }'
