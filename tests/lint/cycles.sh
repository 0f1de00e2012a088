#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# No include cycle: NAME.c and NAME.h of a folder are one module, whose edges are the includes of both.  Each module on a cycle is a finding with
# its shortest way back to itself.
#   cycles.sh SOURCE_DIR [BUILD_DIR]
set -eu
cd "$1"

find engine bench tuner analyzer reports -name '*.[ch]' | sort | xargs awk '
  function module_of(file) {
    sub(/\.[ch]$/, "", file)
    return file
  }
  function name_of(module) {
    sub(/.*\//, "", module)
    return module
  }
  # The file that an include means, by the search path of the build.
  function file_of(h) {
    if (("engine/include/" h) in files) return "engine/include/" h
    if (("engine/" h) in files) return "engine/" h
    return h in files ? h : ""
  }
  BEGIN {
    for (i = 1; i < ARGC; i++) files[ARGV[i]] = 1
  }
  /^[ \t]*#[ \t]*include/ && match($0, /[<"][^>"]*[>"]/) {
    target = file_of(substr($0, RSTART + 1, RLENGTH - 2))
    from = module_of(FILENAME)
    to = module_of(target)
    if (target == "" || to == from || (from, to) in seen) next
    seen[from, to] = 1
    edge[from, ++edges[from]] = to
  }
  # Breadth first from a module until it comes back to itself: the way, or "".
  function way_back(start,   queue, before, head, tail, m, k, way) {
    queue[tail = 1] = start
    for (head = 1; head <= tail; head++) {
      m = queue[head]
      for (k = 1; k <= edges[m]; k++) {
        if (edge[m, k] == start) {
          for (way = " -> " name_of(start); m != start; m = before[m]) way = " -> " name_of(m) way
          return name_of(start) way
        }
        if (edge[m, k] in before) continue
        before[edge[m, k]] = m
        queue[++tail] = edge[m, k]
      }
    }
    return ""
  }
  END {
    for (m in edges) {
      way = way_back(m)
      if (way == "") continue
      print m ": include cycle: " way
      bad = 1
    }
    exit bad
  }'
