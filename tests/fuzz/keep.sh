#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# After fuzzing: keeps of each grown corpus what reaches code that the corpus of the tree does not (tests/fuzz/kept, small files only), and adds the
# time that was spent since the last call to the table of docs/testing.md.
#   keep.sh SOURCE_DIR BUILD_DIR
set -eu
source=$1 build=$2
budget=40000 # bytes a target; tests/lint/fuzz.sh holds the sum
largest=4    # kibibytes of a file

# The smallest files first, until the budget is spent.
keep_smallest() { # FROM TO
  spent=$(find "$2" -type f -exec cat {} + | wc -c)
  find "$1" -type f -size "-${largest}k" -printf '%s %p\n' | sort -n | while read -r size file; do
    spent=$((spent + size))
    [ "$spent" -le "$budget" ] || break
    cp "$file" "$2"
  done
}

merge() { # NAME
  known=$(mktemp -d)
  new=$(mktemp -d)
  mkdir -p "$source/tests/fuzz/kept/$1"
  find "$source/tests/fuzz/corpus/$1/" "$source/tests/fuzz/kept/$1" -type f -exec cp {} "$known" \;
  find "$known" -type f | sort >"$new.before"
  if timeout 600 "$build/tests/fuzz_$1" -merge=1 "$known" "$build/grown/$1" >"$build/$1.merge.log" 2>&1; then
    find "$known" -type f | sort | comm -13 "$new.before" - | xargs -r mv -t "$new"
    keep_smallest "$new" "$source/tests/fuzz/kept/$1"
  else
    echo "keep.sh: the corpus of $1 was not merged, see $build/$1.merge.log" >&2
  fi
  rm -rf "$known" "$new" "$new.before"
}

# Seconds and executions are added up, the rest is of the last go.
add_time() {
  told=$(cat "$build/record.told" 2>/dev/null || echo 0)
  tail -n "+$((told + 1))" "$build/record.tsv" | awk -F '\t' '
    FILENAME == "-" { seconds[$3] += $4; runs[$3] += $5; if ($6) edges[$3] = $6; finds[$3] += $8; last[$3] = $1; next }
    /^\| target \| CPU seconds/ { table = 1; print; getline; print; next }
    table && /^\|/ {
      split($0, cell, / *\| */)
      name = cell[2]
      seconds[name] += cell[3]
      runs[name] += cell[4]
      finds[name] += cell[6]
      if (!(name in last)) { edges[name] = cell[5]; last[name] = cell[7] }
      next
    }
    table {
      for (name in seconds)
        printf "| %s | %d | %d | %d | %d | %s |\n", name, seconds[name], runs[name], edges[name], finds[name], last[name] | "sort"
      close("sort")
      table = 0
    }
    { print }' - "$source/docs/testing.md" >"$build/testing.md"
  cp "$build/testing.md" "$source/docs/testing.md"
  wc -l <"$build/record.tsv" >"$build/record.told"
}

for folder in "$build"/grown/*; do
  merge "$(basename "$folder")"
done
add_time
