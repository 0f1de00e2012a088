#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Source files have names that are unique in the whole tree, in lower case with underscores.  No test leaves a file in the root.
# Subjects of the last 50 commits:
# "area: what changes", below 60 characters
# (a note; 72 and more fail, since what is committed stays), no final dot.
#   names.sh SOURCE_DIR [BUILD_DIR]
set -eu
cd "$1"
status=0

duplicates=$(find engine bench tuner analyzer reports tests \( -name '*.[ch]' -o -name '*.cl' \) | sed 's|.*/||' | sort | uniq -d)
for name in $duplicates; do
  echo "$(find engine bench tuner analyzer reports tests -name "$name" | sort | tr '\n' ' '): the same file name twice"
  status=1
done

find engine bench tuner analyzer reports tests \( -name '*.[ch]' -o -name '*.cl' \) | sort | while read -r file; do
  name=${file##*/}
  case ${name%.*} in
    *[!a-z0-9_]* | [!a-z]*)
      echo "$file:1: the name is not lower case letters, digits and underscores"
      echo x
      ;;
  esac
done | awk '$0 != "x" { print; bad = 1 } END { exit bad }' || status=1

# A source archive has no history; a shallow clone has less.
if git rev-parse -q --verify HEAD >/dev/null 2>&1; then
  # What a unit test writes lies in the folder that it runs in, which is not this one.
  for name in $(git ls-files ':(glob)*'); do
    if git grep -lF "\"$name\"" -- 'tests/unit/*.c'; then
      echo "$name: left behind by that test, in the root of the tree"
      status=1
    fi
  done
  git log -50 --no-merges --format='%h %s' | awk '
    {
      hash = $1
      subject = substr($0, length(hash) + 2)
      if (length(subject) >= 60) print "commit " hash ": the subject has " length(subject) " characters, more than the usual 59: " subject
      if (length(subject) >= 72) bad = 1
      if (subject !~ /^[a-z0-9_.\/, -]+: [^ ]/) { print "commit " hash ": the subject is not \"area: what changes\": " subject; bad = 1 }
      if (subject ~ /\.$/) { print "commit " hash ": the subject ends with a dot: " subject; bad = 1 }
    }
    END { exit bad }' || status=1
fi
exit $status
