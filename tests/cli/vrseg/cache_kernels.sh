#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the matte cache tells apart what the CPU multiplies in 16 bits and what it widens first, where mattes differ (bf16), and only there.
unset VRSEG_CPU # the test sets it
grep -q avx512_bf16 /proc/cpuinfo || exit 77
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
cut() { # NAME PRECISION
  vrseg "$VRS_DATA/person_flat.mp4" -o "hash:$1" --overwrite --max-frames 4 -p "$2" --cache --cache-dir cache --progress none >summary 2>message
  grep -q 'come from the cache' message && echo "$1: from the cache" || echo "$1: made"
}
for precision in bf16 fp32; do
  cut with-$precision $precision
  VRSEG_CPU=-avx512bf16 cut without-$precision $precision
  cut again-$precision $precision
  cmp with-$precision again-$precision
done
cmp -s with-bf16 without-bf16 || echo "bf16 differs"
cmp with-fp32 without-fp32 && echo "fp32 is the same"
