#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards an OpenCL driver that ends the process, by abort() or exit(): one sentence with the driver and, of PoCL, the folder of what it compiles, and
# exit code 3; so where its disk is full (a small file system of our own) and where a file of it is damaged.  A worker process passes it on.  A layer
# ends the process (tests/opencl/fault_layer.c); replaced_files.onnx is a convolution 1x1.
layer=$VRS_BIN/../tests/fault_layer.so
[ -f "$layer" ] && [ -f /etc/OpenCL/vendors/pocl.icd ] && command -v ffmpeg >/dev/null && unshare -rm true 2>/dev/null || exit 77
ulimit -c 0
export POCL_DEVICES=pthread POCL_CACHE_DIR=pocl
ffmpeg -v error -i "$VRS_DATA/person_flat.mp4" -vf scale=320:180 -frames:v 20 -c:v libx264 -preset ultrafast -g 5 -an clip.mp4
cp "$VRS_CASE_DIR/replaced_files.onnx" net.onnx
printf '\0\0\0\077\0\0\0\077\0\0\0\277' >w.bin
printf 'name: own\nlicence: none\nsource: test\nfile: net.onnx\ninput: {size: [64, 36], scale: [4, 4, 4]}\noutput: {kind: probability}\n' >own.yaml
job() { # OPTION...: the last message, without the driver's version and PoCL's words
  code=0
  vrseg clip.mp4 -o null: -m own.yaml -p fp32 --backend opencl --progress none "$@" >summary 2>messages || code=$?
  [ $code = 0 ] || tail -n 1 messages | sed -e 's/\(Language\|Other\) [^ ]* ended/\1 VERSION ended/' -e 's/.*\(; it writes to .*\)/...\1/'
  echo "exit $code: $*"
}
with_layer() { # CALL OPTION...
  call=$1
  shift
  OPENCL_LAYERS=$layer VRS_CL_FAULT=$call job "$@"
}
echo '-- a driver aborts or exits'
for how in crash exit; do
  for call in clBuildProgram:1 clEnqueueNDRangeKernel:3; do
    with_layer $call:$how
  done
done
VRS_CL_PLATFORM=Other with_layer clBuildProgram:1:crash
echo '-- in a worker process'
with_layer clEnqueueNDRangeKernel:3:crash -o out.mp4 --segment-frames 10 --processes --process-count 2 --preset ultrafast
echo '-- a file of PoCL is damaged'
job --max-frames 1
find pocl -name '*.so' -exec truncate -s 100 {} +
job --max-frames 1
echo '-- its disk is full'
for size in 8 200; do
  cat >inside.sh <<SH
mkdir -p disk
mount -t tmpfs -o size=${size}k tmpfs disk || exit 77
POCL_CACHE_DIR=disk/pocl exec vrseg clip.mp4 -o null: -m own.yaml -p fp32 --backend opencl --progress none
SH
  code=0
  unshare -rm sh inside.sh >summary 2>messages || code=$?
  echo "exit $code, $(tail -n 1 messages | grep -c 'disk.* of disk/pocl\|writes to disk/pocl') names the folder"
done
