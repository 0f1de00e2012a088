#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Documents tell the truth: the README stays short, every flag of a command or in backquotes is one that a program has, links lead somewhere, and the
# source files that docs/architecture.md names exist.
#   docs.sh SOURCE_DIR BUILD_DIR
set -eu
bin=$2/bin
cd "$1"
status=0

lines=$(wc -l <README.md)
if [ "$lines" -gt 150 ]; then
  echo "README.md: $lines lines, more than 150"
  status=1
fi

# Relative links: [text](path) and [text](path#anchor).
for file in README.md CONTRIBUTING.md docs/*.md; do
  for target in $(grep -o '](\([^)]*\))' "$file" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^https\?:' | sort -u); do
    [ -e "$(dirname "$file")/$target" ] || {
      echo "$file: the link to $target leads nowhere"
      status=1
    }
  done
done

# `graph/ir.h`, `stage_queue.c`, `graph/eval*.c`, `reports/report_NAME.c`: below a source folder, by the end of their path.
tree=$(find engine bench tuner analyzer reports tests -type f | sed 's|^|/|')
for file in $(grep -o '`[A-Za-z0-9_/*]*\.[ch]`' docs/architecture.md | tr -d '`' | grep '^[a-zA-Z]' | sort -u); do
  pattern=$(echo "$file" | sed 's/\./\\./g; s/\*/[^\/]*/g; s/NAME/[^\/]*/g')
  echo "$tree" | grep -q "/$pattern\$" || {
    echo "docs/architecture.md: there is no $file"
    status=1
  }
done

for program in vrseg vrbench vrtune vranalyze; do
  [ -x "$bin/$program" ] || {
    echo "no $program in $bin: build first"
    [ $status -eq 0 ] && exit 77
    exit $status
  }
done

# "vrseg --overwrite", "vrseg --no-overwrite", "vrseg -o": one line per flag.
# Commands of vrbench and vranalyze have flags of their own.
commands="vrbench:nightly $(sed -n 's/.*&vrs_\([a-z]*\)_mode.*/\1/p' analyzer/modes/mode_list.c | sed '/^explain$/d; s/^/vranalyze:/')"
flags=$(for program in vrseg vrbench vrtune vranalyze $commands; do
  command=${program#*:}
  [ "$command" = "$program" ] && command=
  program=${program%%:*}
  # shellcheck disable=SC2086
  "$bin/$program" $command --help | sed -n 's/^  \(-[A-Za-z], \|    \)--\(\[no-\]\)\{0,1\}\([a-z0-9-]*\).*/\1 \2 \3/p' | awk -v program="$program" '
    {
      if ($1 ~ /^-.,$/) print program, substr($1, 1, 2)
      print program, "--" $NF
      if (/\[no-\]/) print program, "--no-" $NF
    }'
done
# Other names of flags are in no help; --list-options has them.
"$bin/vrseg" --list-options | sed -n 's/^    former flags: /vrseg --/p')

echo "$flags" | awk '
  # Flags of other programs that documents name: cmake, the scripts of this tree.
  BEGIN {
    split("--install --prefix --preset --update --asan --tsan --clang --fuzz --release --night --count --point", other, " ")
    for (i in other) foreign[other[i]] = 1
  }
  FNR == NR { has[$1, $2] = 1; any[$2] = 1; next }
  function complain(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad = 1 }
  # Flags of a command line; a second program takes over.
  function check(text,   n, i, word, words, program) {
    n = split(text, words, /[ \t`"(),;|]+/)
    for (i = 1; i <= n; i++) {
      word = words[i]
      sub(/[.:]$/, "", word)
      sub(/=.*/, "", word)
      sub(/^.*\//, "", word)
      if (word ~ /^vr(seg|bench|tune|analyze)$/) program = word
      else if (word == "./test.sh" || word == "cmake" || word == "ctest" || word == "ffmpeg") return
      else if (word !~ /^(--[a-z]|-[A-Za-z]$)/ || word in foreign) continue
      else if (program ? !((program, word) in has) : !(word in any)) complain((program ? program " has" : "no program has") " no flag " word)
    }
  }
  FNR == 1 { fenced = 0 }
  # Commands of other programs, and what waits for a feature.
  FILENAME == "docs/compat.md" && /^\|.*\| waits for / { next }
  FILENAME == "docs/compat.md" { sub(/^\|[^|]*\|/, "|") }
  /^```/ { fenced = !fenced; next }
  fenced && /(^|[ \/])vr(seg|bench|tune|analyze) / { check($0); next }
  !fenced {
    n = split($0, part, "`") # every second part is in backquotes
    for (i = 2; i <= n; i += 2) check(part[i])
  }
  END { exit bad }' - README.md CONTRIBUTING.md docs/*.md || status=1
exit $status
