#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --device-frames: what a device packs has the CPU's bytes; auto leaves a device alone whose units are the CPU's, and times one that is shown
# as a GPU (by tests/opencl/fault_layer.c) against the CPU.  What it found is remembered for that device.
layer=$VRS_BIN/../tests/fault_layer.so
[ -f "$layer" ] && [ -f /etc/OpenCL/vendors/pocl.icd ] || exit 77
cp "$VRS_DATA/person_vr180_sbs.mp4" trip_180_LR.mp4
pack() { # NAME OPTION...
  name=$1
  shift
  code=0
  vrseg trip_180_LR.mp4 -o "hash:$name" --overwrite --max-frames 12 --output-mode alpha --streams 1 --progress none --log-level debug "$@" \
    >summary 2>messages || code=$?
  echo "$name: exit $code"
  decision='on the device: .*|by the CPU: .*|by the CPU, whose units are'
  grep -oE "packs frames.*|frames are packed ($decision)|--device-frames has no effect.*" messages || true
}
pack cpu --backend opencl --device-frames off
pack device --backend opencl --device-frames on
pack auto --backend opencl
(
  one_of_them() { sed -n '/exit/p;/are packed/s/.*(\(.*\))$/are packed by one of them (\1)/p'; }
  export OPENCL_LAYERS="$layer" VRS_CL_NAME='Test GPU' VRS_CL_TYPE=gpu
  pack gpu --backend opencl | one_of_them
  pack gpu_again --backend opencl | one_of_them
  VRS_CL_NAME='Other GPU' pack other_gpu --backend opencl | one_of_them
)
for name in device auto gpu gpu_again other_gpu; do
  cmp cpu "$name" && echo "$name is cpu"
done
pack none --device-frames on
# A device whose memory holds the network but not the pictures, too: the job goes on.
(
  export OPENCL_LAYERS="$layer" VRS_CL_NAME='Test GPU' VRS_CL_TYPE=gpu VRS_CL_GLOBAL=14000000
  pack small --backend opencl --no-program-cache | sed 's/by the CPU: .*/by the CPU/'
)
