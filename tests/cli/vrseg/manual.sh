#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards the short help and the manual pages of all programs: -h is one screen of 80 columns and says how to see the rest; the page that the build
# has written is the program's own, troff and mandoc find nothing to warn of, and each flag of --help is in it.
command -v man >/dev/null && command -v mandoc >/dev/null || {
  echo "man or mandoc is missing"
  exit 77
}
commands=$(cd "$VRS_BIN/../share/man/man1" && ls vranalyze-*.1 | sed 's/^vranalyze-\(.*\)\.1$/vranalyze:\1/')
for name in vrseg vrbench vrtune vranalyze $commands; do
  program=$(echo "$name" | tr : ' ')
  $program -h >short
  [ "$(wc -l <short)" -le 40 ] || echo "$program -h: $(wc -l <short) lines"
  awk 'length > 79 { print "too wide: " $0 }' short
  head -n 1 short | grep -o "^usage: $program"
  grep -o -e "--help shows every option" short

  page=$VRS_BIN/../share/man/man1/$(echo "$name" | tr : -).1
  $program --man | cmp - "$page"
  MANWIDTH=80 MANROFFOPT=-ww man --warnings -E UTF-8 -l -Tutf8 "$page" >formatted 2>warnings
  cat warnings
  # An empty date is right: pages are the same from every build.
  mandoc -Tlint -W warning "$page" | grep -v 'missing date' || true
  mandoc -Tutf8 "$page" >/dev/null
  col -b <formatted >plain
  for section in NAME SYNOPSIS DESCRIPTION OPTIONS ENVIRONMENT FILES "EXIT STATUS" EXAMPLES "SEE ALSO"; do
    grep -qx "$section" plain || echo "$program.1: no section $section"
  done
  $program --help | sed -n 's/^  \(-[A-Za-z], \|    \)\(--[^ ]*\).*/\2/p' >flags
  [ "$(wc -l <flags)" -gt 5 ] || echo "$program --help: too few flags"
  while read -r flag; do
    grep -qF -e "$flag" plain || echo "$program.1: no $flag"
  done <flags
done
