#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs one case of the command line tests:   run.sh [--update] CASE.sh BIN_FOLDER
#
# The case runs in a fresh scratch folder with BIN_FOLDER first in PATH, LC_ALL=C and caches of its own.  Compared afterwards:
#   CASE.stdout.exact, CASE.stderr.exact   byte for byte
#   CASE.stdout.glob, CASE.stderr.glob     line for line, each a shell pattern; a line "..." stands for any number of lines
#   CASE.exit                              the exit code; 0 when there is no such file
# Lines of vrseg's progress are left out.  A stream without a file is not checked; stdout is then shown (ctest -V).  Exit code 77 of a case means that
# it cannot run here and skips it.
# --update writes the .exact files that exist, and CASE.exit, from what the case did.
# The case may use: VRS_TEST_DIR (tests/), VRS_DATA (tests/data), VRS_SOURCE_DIR, VRS_BIN (the bin folder), VRS_CASE_DIR (the case's own folder).
# Cases run with the small network of tests/small_network.sh; one that is about the defaults begins with: unset $VRS_SMALL_NETWORK
set -u

update=false
if [ "${1:-}" = --update ]; then
  update=true
  shift
fi
if [ $# -ne 2 ] || [ ! -f "$1" ] || [ ! -d "$2" ]; then
  echo "usage: run.sh [--update] CASE.sh BIN_FOLDER" >&2
  exit 2
fi

case_dir=$(cd "$(dirname "$1")" && pwd)
case_file=$case_dir/$(basename "$1")
base=${case_file%.sh}
bin=$(cd "$2" && pwd)
tests=$(cd "$(dirname "$0")/.." && pwd)

scratch=$(mktemp -d "${TMPDIR:-/tmp}/vrs-cli-XXXXXX") || exit 2
# A stopped case leaves nothing behind, whichever way it ends.
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$scratch/work" "$scratch/cache" "$scratch/home" "$scratch/data" || exit 2

unset COLUMNS # reports have 100 columns where nothing says otherwise
# Options from the caller's environment would change what programs do; reserved names that tests set on purpose stay.
for name in $(env | sed -n 's/^\(VRSEG_[A-Z0-9_]*\)=.*/\1/p'); do
  case $name in
    VRSEG_CPU | VRSEG_MODEL_ARCHIVE | VRSEG_RVM_ARCHIVE) ;;
    *) unset "$name" ;;
  esac
done
# shellcheck source=tests/small_network.sh
. "$tests/small_network.sh"

(
  cd "$scratch/work" || exit 2
  PATH=$bin:$PATH LC_ALL=C HOME=$scratch/home XDG_CACHE_HOME=$scratch/cache XDG_DATA_HOME=$scratch/data XDG_STATE_HOME=$scratch/state \
    VRS_TEST_DIR=$tests VRS_DATA=$tests/data VRS_SOURCE_DIR=$(dirname "$tests") VRS_BIN=$bin VRS_CASE_DIR=$case_dir
  export PATH LC_ALL HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME VRS_TEST_DIR VRS_DATA VRS_SOURCE_DIR VRS_BIN VRS_CASE_DIR
  exec sh -eu "$case_file"
) >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
code=$?

if [ $code -eq 77 ]; then
  cat "$scratch/stdout" "$scratch/stderr"
  exit 77
fi

failed=false

complain() {
  echo "FAILED: $*"
  failed=true
}

# Each line of $2 must match the pattern line of $1.
match_glob() {
  awk -v patterns="$1" '
    # Shell pattern to an anchored expression: * ? and \ quoting; everything else is literal.
    function to_regex(p,   i, c, r) {
      r = "^"
      for (i = 1; i <= length(p); i++) {
        c = substr(p, i, 1)
        if (c == "*") r = r ".*"
        else if (c == "?") r = r "."
        else {
          if (c == "\\" && i < length(p)) c = substr(p, ++i, 1)
          r = r (c ~ /[A-Za-z0-9 _\/:,;=%"#<>&@!~\047-]/ ? c : c == "^" ? "\\^" : "[" c "]")
        }
      }
      return r "$"
    }
    # Do lines l.. match patterns p..?  Depth is bounded by the number of pattern lines.
    function matches(p, l,   k) {
      while (p <= np) {
        if (pattern[p] == "...") {
          for (k = l; k <= nl + 1; k++)
            if (matches(p + 1, k)) return 1
          return 0
        }
        if (l > nl || line[l] !~ to_regex(pattern[p])) {
          if (p > worst) { worst = p; worst_line = l }
          return 0
        }
        p++; l++
      }
      if (l <= nl && p > worst) { worst = p; worst_line = l }
      return l > nl
    }
    BEGIN { while ((getline text < patterns) > 0) pattern[++np] = text }
    { line[++nl] = $0 }
    END {
      if (matches(1, 1)) exit 0
      printf "pattern: %s\n   line: %s\n", worst <= np ? pattern[worst] : "(end)", worst_line <= nl ? line[worst_line] : "(end)"
      exit 1
    }' "$2"
}

# Lines of progress come where a job takes more than five seconds: how many there are is the machine's, and cases about them read a file.
for stream in stdout stderr; do
  sed -E -i '/^frame [0-9]+( of [0-9]+ \([0-9]+ %\))?, [0-9.]+ frames\/s(, .*)?$/d' "$scratch/$stream"
done

for stream in stdout stderr; do
  if [ -f "$base.$stream.exact" ]; then
    if $update; then
      cp "$scratch/$stream" "$base.$stream.exact"
    elif ! diff -u "$base.$stream.exact" "$scratch/$stream"; then
      complain "$stream differs from $base.$stream.exact"
    fi
  elif [ -f "$base.$stream.glob" ]; then
    if ! match_glob "$base.$stream.glob" "$scratch/$stream"; then
      complain "$stream does not match $base.$stream.glob"
    fi
  fi
done

expected=0
[ -f "$base.exit" ] && expected=$(cat "$base.exit")
if $update; then
  if [ $code -eq 0 ]; then rm -f "$base.exit"; else echo $code >"$base.exit"; fi
elif [ "$code" != "$expected" ]; then
  complain "the exit code is $code, expected $expected"
fi

if $failed; then
  echo "--- stdout"
  cat "$scratch/stdout"
  echo "--- stderr"
  cat "$scratch/stderr"
  exit 1
fi
[ -f "$base.stdout.exact" ] || [ -f "$base.stdout.glob" ] || cat "$scratch/stdout"
