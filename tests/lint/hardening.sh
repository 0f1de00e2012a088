#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What makes a memory fault hard to use is in what was built.  Programs: position independent, all relocations bound and made read-only before
# main, no executable stack, no segment both writable and executable.  Objects: landing pads for indirect branches and shadow stacks (IBT, SHSTK);
# the programs carry that mark where the C library's start files do.  A release checks the bounds of what the C library writes.
#   hardening.sh SOURCE_DIR BUILD_DIR
set -eu
cd "$2"
[ -x bin/vrseg ] && [ -x bin/vrbench ] && [ -x bin/vrtune ] && [ -x bin/vranalyze ] || {
  echo "no programs: build first"
  exit 77
}
command -v readelf >/dev/null || {
  echo "no readelf on this machine"
  exit 77
}
bad=0
complain() {
  echo "$1"
  bad=1
}

for program in bin/vrseg bin/vrbench bin/vrtune bin/vranalyze libexec/vrseg/vranalyze-matte; do
  headers=$(readelf -hlW "$program")
  dynamic=$(readelf -dW "$program")
  echo "$headers" | grep -q 'Type: *DYN' && echo "$dynamic" | grep -q 'FLAGS_1.*PIE' || complain "$program: not position independent"
  echo "$headers" | grep -q GNU_RELRO || complain "$program: no GNU_RELRO"
  echo "$dynamic" | grep -q 'FLAGS_1.*NOW' || complain "$program: not BIND_NOW"
  echo "$dynamic" | grep -q TEXTREL && complain "$program: writes to its code (TEXTREL)"
  echo "$headers" | grep GNU_STACK | grep -q ' RW  ' || complain "$program: executable stack"
  echo "$headers" | grep -E '^ +[A-Z_]+ +0x' | grep -q ' RWE ' && complain "$program: a segment is writable and executable"
  readelf -sW "$program" | grep -q __stack_chk_fail || complain "$program: no stack protector"
done

for library in libvrs_*.a; do
  # File: libvrs_base.a(mem.c.o)
  #       Properties: x86 feature: IBT, SHSTK
  readelf -nW "$library" | awk -v library="$library" '
    function judge() {
      if (object != "" && !marked) { print library ": " object ": not compiled with -fcf-protection=full"; bad = 1 }
    }
    /^File: / { judge(); object = $2; marked = 0 }
    /x86 feature:.*IBT, SHSTK/ { marked = 1 }
    END { judge(); exit bad }' || bad=1
done

if grep -q '^CMAKE_BUILD_TYPE:STRING=Release' CMakeCache.txt && grep -q '^VRS_SANITIZE:STRING=$' CMakeCache.txt; then
  for program in bin/vrseg bin/vrbench bin/vrtune bin/vranalyze libexec/vrseg/vranalyze-matte; do
    readelf -sW "$program" | grep -q '__snprintf_chk' || complain "$program: not compiled with _FORTIFY_SOURCE"
  done
fi
exit $bad
