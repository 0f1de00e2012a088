#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# For tests that source this: a control group of memory below our own, version 1 or 2, until the shell ends.
#   make_memory_group BYTES    false: this user may make none here
#   set_memory_group BYTES     another limit
#   enter_memory_group         the shell, or the subshell, that calls it, and what it starts
#   memory_group_peak          bytes that were in use at once

memory_group=
make_memory_group() { # BYTES
  group_above=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
  if [ -n "$group_above" ]; then
    group_above=/sys/fs/cgroup/memory$group_above group_limit=memory.limit_in_bytes group_peak=memory.max_usage_in_bytes
  else
    group_above=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup) group_limit=memory.max group_peak=memory.peak
  fi
  memory_group=$group_above/vrseg-test-$$
  mkdir "$memory_group" 2>/dev/null || return 1
  trap 'rmdir "$memory_group"' EXIT
  set_memory_group "$1" 2>/dev/null
}

set_memory_group() { # BYTES
  echo "$1" >"$memory_group/$group_limit"
}

enter_memory_group() {
  sh -c 'echo $PPID' >"$memory_group/cgroup.procs"
}

memory_group_peak() {
  cat "$memory_group/$group_peak"
}
