#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Which instructions the objects of the static libraries hold:
#   *_avx512.c   AVX-512 F, BW, DQ, VL, CD and below (the one feature bit VRS_CPU_AVX512); more where the name says so (avx512vnni, avx512bf16)
#   *_avx2.c     AVX2, FMA, F16C and below
#   all others   nothing of AVX: they run before the CPU is known and where it has none
# The first two kinds define global symbols of their own level only: code of shared headers would be compiled with their flags, and the
# linker may keep that copy for everybody.
#   isa.sh SOURCE_DIR BUILD_DIR
set -eu
cd "$2"

set -- libvrs_*.a
if [ ! -f "$1" ]; then
  echo "no libraries in $(basename "$PWD"): build first"
  exit 77
fi
if ! command -v objdump >/dev/null; then
  echo "no objdump on this machine"
  exit 77
fi
status=0

for library in "$@"; do
  objdump -d --no-show-raw-insn "$library"
done | awk '
  # conv_avx512.c.o:     file format elf64-x86-64
  /file format/ {
    object = $1
    sub(/\.o:$/, "", object)
    level = object ~ /_avx512[a-z0-9]*\.c$/ ? 2 : object ~ /_avx2\.c$/ ? 1 : 0
    objects[level]++
    next
  }
  #   1f:	vfmadd231ps (%rax),%zmm1,%zmm2
  /^ *[0-9a-f]+:\t/ {
    name = $2
    if (level == 0) {
      if (name ~ /^v/ && name !~ /^ver[rw]$/ || /%[yz]mm|%k[0-7]/)
        report("uses AVX")
      next
    }
    if (name !~ /^v/)
      next
    vectors[level]++
    if (level == 1 && /%zmm|%k[0-7]|%[xy]mm(1[6-9]|2[0-9]|3[01])/)
      report("uses AVX-512")
    if (name ~ /^vpdp/ && object !~ /vnni/)
      report("uses VNNI")
    if ((name ~ /^vdpbf16/ || name ~ /^vcvtne/) && object !~ /bf16/)
      report("uses BF16")
    if (name ~ /^vperm(b|i2b|t2b)$|^vpmultishift|^vpmadd52|^vpshld|^vpshrd|^vpcompress[bw]$|^vpexpand[bw]$/)
      report("uses VBMI or IFMA")
    if (name ~ /^vpopcnt|^vpshufbitqmb|^vgf2p8|^vaes|^vpclmul|^vp2intersect|^vexp2|^vrcp28|^vrsqrt28|^v4f|^vp4dp|^v(gather|scatter)pf/)
      report("uses an instruction beyond AVX-512 F, BW, DQ, VL, CD")
    if (name ~ /(ph|sh)$|^vcvtt?(ph|sh)2/ && name != "vcvtps2ph" && name != "vcvtph2ps")
      report("uses FP16 arithmetic")
  }
  function report(what) {
    if (shown[object, what]++ < 3)
      print object ": " what ": " substr($0, index($0, "\t") + 1)
    bad = 1
  }
  END {
    # Guards this script: a listing that it cannot read has no instructions.
    if (!objects[0] || !vectors[1] || !vectors[2]) {
      printf "read %d plain objects, %d AVX2 and %d AVX-512 instructions: the listing is not understood\n", objects[0], vectors[1], vectors[2]
      bad = 1
    }
    exit bad
  }' || status=1

nm -A -g --defined-only "$@" 2>/dev/null | awk '
  # libvrs_kernels.a:conv_avx2.c.o:0000000000000000 T vrs_conv_f32_rows__avx2
  match($0, /_avx[0-9][a-z0-9]*\.c\.o:/) {
    level = substr($0, RSTART, RLENGTH - 5)
    if (substr($NF, length($NF) - length(level) + 1) != level && $NF !~ /^__/ && $NF !~ /^\.?_*(asan|odr_asan|ubsan|tsan)/) {
      print $1 ": global symbol " $NF " does not end with " level
      bad = 1
    }
  }
  END { exit bad }' || status=1
exit $status
