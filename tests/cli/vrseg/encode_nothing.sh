#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards encoders that were opened and got no frame, as in a dry run and where a job ends with an error before its first one: they end.  SVT-AV1
# waited for ever, and wrote a page of its own to standard error.
cp "$VRS_DATA/person_flat.mp4" clip.mp4
for encoder in libx264 libx265 libsvtav1 libaom-av1 librav1e libvpx-vp9 ffv1 prores_ks mjpeg; do
  for option in --dry-run '--trace none/trace.json'; do
    code=0
    # shellcheck disable=SC2086
    timeout 60 vrseg clip.mp4 -o out.mkv --backend null --max-frames 2 --encoder $encoder $option >plan 2>messages || code=$?
    echo "$encoder $option: exit $code, $(grep -vc '^vrseg: ' messages) lines of others"
  done
done
ls
