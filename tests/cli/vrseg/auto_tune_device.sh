#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --auto-tune on devices: what one device has found, or begun to search, is not taken for another; it is the candidate that is proven first.
# The CPU's place does not depend on devices.  A script stands in for vrtune, as in auto_tune.sh.
selfie=$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite
[ -f "$selfie" ] && [ -f /etc/OpenCL/vendors/pocl.icd ] || exit 77
mkdir -p alone/bin alone/share/vrseg/models
cp "$VRS_BIN/vrseg" alone/bin
cp "$VRS_SOURCE_DIR/configs/models/selfie_segmentation.yaml" "$selfie" alone/share/vrseg/models
PATH=$PWD/alone/bin:$PATH
cat >alone/bin/vrtune <<'END'
#!/bin/sh
echo "$@" >>notes
while [ $# -gt 0 ]; do
  case $1 in
    --save-config) printf '# found\noutput:\n  preset: superfast\n' >"$2" ;;
  esac
  shift
done
END
chmod +x alone/bin/vrtune
run() { # DEVICE BACKEND
  : >notes
  code=0
  POCL_DEVICES=$1 vrseg "$VRS_DATA/person_flat.mp4" -o out.mp4 -n 2 --overwrite --progress none --auto-tune --backend "$2" >summary 2>messages ||
    code=$?
  echo "$1 $2: exit $code, $(wc -l <notes) search, $(grep -c -e '--candidate' notes) with a candidate, $(grep -c 'tuned for this' messages) tuned"
}
run pthread opencl
run pthread opencl
run basic opencl
run basic opencl
run pthread cpu
run basic cpu
