#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards a precision that the OpenCL backend does not compute in: it is wrong usage (2), and nothing is calibrated first, which would change what
# later jobs of the CPU compute in.
[ -f /etc/OpenCL/vendors/pocl.icd ] || exit 77
cp "$VRS_DATA/person_flat.mp4" clip.mp4
network=selfie_segmentation_landscape
for precision in int8 mixed bf16; do
  code=0
  vrseg clip.mp4 -o out.mp4 -m $network --backend opencl --precision $precision --max-frames 1 --log-level error >summary 2>messages || code=$?
  echo "exit $code: $(cat messages)"
done
find "$XDG_CACHE_HOME" -name '*calib*'
ls
