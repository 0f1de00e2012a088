#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# No decision is read from a sentence: a member that holds words for people is never compared with a text.  Such values are enums with a name table
# (base/names.h), which reads and writes the words at the edges.  Whether a case was skipped or is invalid is asked of bench/record/result.h, not of
# the sentence that says why.
#   decisions.sh SOURCE_DIR [BUILD_DIR]
set -eu
cd "$1"

find engine bench tuner analyzer reports -name '*.[ch]' | sort | xargs awk '
  BEGIN {
    members = "reason|reasons|verdict|scope|mode|skipped|invalid|excluded|warning|note|cause|evidence|sentence|recommendation|live_verdict"
    members = members "|precision|layout|input_kind|axis" # words of results
    present = "(->|\\.)(skipped|invalid)\\[0\\]"
    compare = "(strcmp|strncmp|strcasecmp|strncasecmp|strstr|fnmatch)[ \t]*\\([^;]*(->|\\.)(" members ")[ \t]*[,)]"
  }
  {
    line = $0
    gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
    # What is left to read at an edge says why:  /* edge: reason */
    if (line ~ compare && line !~ /\/\* edge: /) {
      printf "%s:%d: decides by words that people read; compare an enum (base/names.h)\n", FILENAME, FNR
      bad = 1
    }
    if (line ~ present && FILENAME != "bench/record/result.c") {
      printf "%s:%d: tests a sentence for presence; ask vrs_case_result_is_skipped or _is_invalid\n", FILENAME, FNR
      bad = 1
    }
  }
  END { exit bad }'
