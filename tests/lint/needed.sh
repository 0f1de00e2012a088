#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs name the libraries that they use, as packagers read them (DT_NEEDED): those that run jobs name FFmpeg's, vranalyze names none of
# them, and leaves what reads videos to vranalyze-matte.
#   needed.sh SOURCE_DIR BUILD_DIR
set -eu
cd "$2/bin" 2>/dev/null && [ -x vrseg ] && [ -x vrbench ] && [ -x vrtune ] && [ -x vranalyze ] || {
  echo "no programs: build first"
  exit 77
}

bad=0
needs() {
  readelf -d "$1" | grep -q "(NEEDED).*\[$2\.so\."
}
for library in libavformat libavcodec libavutil libswscale; do
  for program in vrseg vrbench vrtune ../libexec/vrseg/vranalyze-matte; do
    needs $program $library || { echo "$program: does not need $library"; bad=1; }
  done
  ! needs vranalyze $library || { echo "vranalyze: needs $library, but runs no job"; bad=1; }
done
exit $bad
