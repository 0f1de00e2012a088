#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests of tests/cli/compat read of docs/compat.md and of the users' documents in tests/data/seeds, and how they type commands; sourced by
# them.
compat=$VRS_SOURCE_DIR/docs/compat.md
guides="$VRS_DATA/seeds/tuning-guide.md $VRS_DATA/seeds/module-guide.md $VRS_DATA/seeds/profiling.md
  $VRS_DATA/seeds/animation-guide.md $VRS_DATA/seeds/techniques.md"

# Rows of the tables below a heading, cells between tabs: rows "Commands"
rows() {
  awk -v title="## $1" '
    /^## / { here = $0 == title; head = 1; next }
    !/^\|/ { head = 1; next }
    here && head { head = 0; next }
    here && !/^\|[-|]*\|$/ {
      gsub(/^\| ?| ?\|$/, "")
      gsub(/ ?\| ?/, "\t")
      print
    }' "$compat"
}

# What stands in backquotes, one a line.
quoted() { grep -o '`[^`]*`' | tr -d '`'; }

# Lines of code blocks of one language: FILE:LINE of the block, tab, the line without the indentation of its fence.
blocks() { # LANGUAGE FILE...
  language=$1
  shift
  # shellcheck disable=SC2086
  awk -v language="$language" '
    FNR == 1 { inside = 0; name = FILENAME; sub(/.*\//, "", name); sub(/\.md$/, "", name) }
    /^ *```/ {
      indent = match($0, /[^ ]/) - 1
      inside = !inside
      wanted = inside && substr($0, indent + 4) == language
      start = name ":" FNR
      next
    }
    wanted { print start "\t" substr($0, indent + 1) }' "$@"
}

failed() {
  echo "FAILED: $*"
}

# What the commands name.
inputs() {
  cp "$VRS_DATA/person_flat.mp4" input.mp4
  ffmpeg -v error -i input.mp4 -frames:v 1 portrait.jpg
}

brief='--runs 1 --warmup 0.1 --min-frames 2 --max-frames 12 --gates off --no-graphs --overwrite'
shortened() { # COMMAND: what makes it short
  case $1 in
    *--help* | 'vrbench system '* | vranalyze* | *--interactive | 'vrseg --hardware' | 'vrseg --dump-config') ;;
    vrseg*--live*) echo "--overwrite --progress none --max-frames 2" ;;
    vrseg*) echo "--overwrite --progress none --max-frames 2 --no-auto-tune" ;;
    vrbench*--net-only*) echo "--duration 0.2" ;;
    vrbench*--all* | vrbench*--resolution-only* | vrbench*--duration*) echo --dry-run ;;
    vrbench*--techniques* | vrbench*--soak* | vrbench*--mode*) echo --dry-run ;;
    vrbench*--calibrate* | vrbench*--versus*) echo --help ;; # many runs, and no plan to print
    vrbench*) echo "$brief --duration 0.2" ;;
    vrtune*--save-config*) echo "--quick --budget 2s --rounds 1 --only batch_size --max-frames 12" ;;
    vrtune*--auto-optimize*) echo --dry-run ;;
    vrtune*) echo "--quick --max-frames 12" ;;
  esac
}
# Type it as it stands, once, and hold the outcome against the state of its row.
count=0
type_in() { # COMMAND STATE
  grep -qxF -- "$1" done 2>/dev/null && return
  echo "$1" >>done
  count=$((count + 1))
  code=0
  case $1 in
    vr*) eval "$1 $(shortened "$1")" >out 2>err </dev/null || code=$? ;;
    *) echo "$1" | vrseg --interactive >out 2>err || code=$? ;;
  esac
  case $2 in
    'waits for OpenCL'*)
      [ $code = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q 'it needs a part of the OpenCL backend that is not built yet' err ||
        failed "$1 does not wait for OpenCL: $code, $(cat err)" ;;
    *)
      # Two results of different runs may be no proof of anything.
      case $1$code in 'vranalyze compare'*11) code=0 ;; esac
      [ $code = 0 ] && { [ -s out ] || [ "$1" = 'vrseg --interactive' ]; } || failed "$1: exit $code, $(head -3 err)"
      ! grep -E 'unknown|no effect yet|not available' err || failed "$1" ;;
  esac
}

# The folders of results that commands read.
measured_results() {
  for folder in baseline results; do
    eval "vrbench --precision fp32 --output-dir $folder input.mp4 $brief --duration 0.2" >out 2>&1 || cat out
  done
}
