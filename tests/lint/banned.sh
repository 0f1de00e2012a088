#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions that are not called: unbounded copies and unchecked parsing; the C allocator outside engine/base/mem.c; parts of OpenCL buffers; printing
# and ending the process in library code.  The mains may print.  A line that must, says why:  /* libc: reason */
#   banned.sh SOURCE_DIR [BUILD_DIR]
set -eu
cd "$1"

find engine bench tuner analyzer reports -name '*.[ch]' | sort | xargs awk '
  # Comments and string contents are blanked out; positions do not matter.  `inside` carries over lines.
  function strip(s,   out, i, c, two) {
    out = ""
    for (i = 1; i <= length(s); i++) {
      c = substr(s, i, 1)
      two = substr(s, i, 2)
      if (inside) {
        if (two == "*/") { inside = 0; i++ }
        continue
      }
      if (two == "/*") { inside = 1; i++; continue }
      if (two == "//") break
      if (c == "\"" || c == "\047") {
        for (i++; i <= length(s) && substr(s, i, 1) != c; i++)
          if (substr(s, i, 1) == "\\") i++
        out = out c c
        continue
      }
      out = out c
    }
    return out
  }
  function calls(code, names) {
    # Not a member (x.free, x->free), not part of a longer name.
    return match(code, "(^|[^A-Za-z0-9_.>])(" names ")[ \t]*\\(") ? 1 : 0
  }
  function name_of(code, names) {
    calls(code, names)
    name = substr(code, RSTART, RLENGTH)
    gsub(/[^A-Za-z0-9_]/, "", name)
    return name
  }
  function complain(names, why) {
    printf "%s:%d: %s: %s\n", FILENAME, FNR, name_of(code, names), why
    bad = 1
  }
  BEGIN {
    unsafe = "strcpy|strcat|strncpy|strncat|stpcpy|sprintf|vsprintf|gets|strtok|strtok_r|atoi|atol|atoll|atof|alloca|tmpnam|mktemp"
    allocators = "malloc|calloc|realloc|reallocarray|free|strdup|strndup|asprintf|vasprintf|aligned_alloc|posix_memalign|memalign"
    ends = "printf|vprintf|puts|putchar|exit|abort|perror"
    streams = "stdout|stderr"
    parts = "clCreateSubBuffer"
  }
  FNR == 1 {
    inside = 0
    main_file = FILENAME ~ /(^|\/)(vrseg|vrbench|vrtune|vranalyze|vranalyze_matte)\.c$/
    mem = FILENAME == "engine/base/mem.c"
    excused = 0
  }
  {
    was_excused = excused
    # The reason may stand on the line itself or alone on the line before.
    excused = /\/\* libc: [^*]/ ? 1 : 0
    code = strip($0)
    skip = excused || (was_excused && previous_blank)
    previous_blank = code ~ /^[ \t]*$/
    if (skip) next
    if (calls(code, unsafe)) complain(unsafe, "use bounded functions (vrs_strcpy, snprintf, vrs_parse_*)")
    if (!mem && calls(code, allocators)) complain(allocators, "allocate with base/mem.h")
    if (calls(code, parts)) complain(parts, "give values whole buffers (graph/mem_share.h): drivers crash on parts that overlap")
    if (!main_file && calls(code, ends)) complain(ends, "library code does not print and does not end the process")
    if (!main_file && match(code, "(^|[^A-Za-z0-9_.>])(" streams ")([^A-Za-z0-9_]|$)")) {
      printf "%s:%d: %s: library code does not print; take a FILE * or use vrs_log\n", FILENAME, FNR, code ~ /stderr/ ? "stderr" : "stdout"
      bad = 1
    }
  }
  END { exit bad }'
