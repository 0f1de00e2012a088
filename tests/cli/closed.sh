#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by cases: without DESCRIPTORS COMMAND... runs the command with these of the descriptors 0, 1 and 2 closed; 1 and 2 are quiet otherwise.
without() {
  closed=$1
  shift
  case $closed in
    none) "$@" </dev/null >/dev/null 2>&1 ;;
    0) "$@" <&- >/dev/null 2>&1 ;;
    1) "$@" >&- 2>/dev/null ;;
    2) "$@" >/dev/null 2>&- ;;
    01) "$@" <&- >&- 2>/dev/null ;;
    02) "$@" <&- >/dev/null 2>&- ;;
    12) "$@" >&- 2>&- ;;
    012) "$@" <&- >&- 2>&- ;;
  esac
}
