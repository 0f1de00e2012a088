#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards devices on the command line: each form of --device finds its device, one that matches none or several ends with the list, a driver that is
# missing or crashes while devices are listed with one line, before a job begins; what a backend does not read is told; --sandbox refuses drivers; and
# --max-memory-fraction limits the memory of the device.  Two devices of PoCL are shown as GPUs of one name by a layer (tests/opencl/fault_layer.c).
layer=$VRS_BIN/../tests/fault_layer.so
[ -f "$layer" ] && [ -f /etc/OpenCL/vendors/pocl.icd ] || exit 77
export OPENCL_LAYERS="$layer" POCL_DEVICES='pthread basic' VRS_CL_NAME='Test GPU' VRS_CL_TYPE=gpu VRS_CL_PCI_BUS=1
cp "$VRS_DATA/person_flat.mp4" clip.mp4
cp "$VRS_CASE_DIR/replaced_files.onnx" net.onnx
job() { # OPTION...: the last message, or the device that the network ran on
  code=0
  vrseg clip.mp4 -o out.mp4 --max-frames 1 --overwrite --progress none "$@" >summary 2>messages || code=$?
  if [ $code = 0 ]; then
    sed -n -e '/has no effect/p' -e 's/^vrseg: network [^;]*; cpu .*/ran on cpu/p' -e 's/^vrseg: network [^;]*; \([^,]*\), .*/ran on \1/p' messages
  else
    sed -e '/: opencl: the CPU computes/d' -e 's/needs [0-9]* MiB/needs N MiB/' messages
  fi
  echo "exit $code: $*"
}
try() { # COMMAND...
  code=0
  "$@" >summary 2>messages </dev/null || code=$?
  cat messages
  echo "exit $code: $*"
}
echo "-- the list"
vrseg --hardware | grep -o 'OpenCL device.*), OpenCL'
echo "-- one is chosen"
job --backend opencl
job --backend opencl --device 02:00.0
job --backend opencl --device 01:00.0
# as on a driver that tells the address by the extension alone
VRS_CL_PCI_BUS=3 VRS_CL_EXTENSIONS=cl_khr_pci_bus_info job --backend opencl --device 03:00.0
which() { # OPTION...: which of PoCL's devices, which have names of their own without the layer's
  (
    unset VRS_CL_NAME
    job --backend opencl "$@" | sed 's/\(ran on opencl [a-z]*\)-.*/\1/'
  )
}
which --device 0
which --device 1
which --device 0:1
which --device Basic
which --device 02:00.0
which --gpu-id 1
echo "-- several streams on the one that computes in the threads of its users"
code=0
(
  unset VRS_CL_NAME
  timeout 100 vrseg clip.mp4 -o streams.mp4 --backend opencl --device basic --streams 3 --max-frames 12 --progress none >summary 2>messages
) || code=$?
echo "exit $code"
echo "-- several are, which are one model; those of a name with other compute units are not"
export VRS_CL_UNITS=2
job --backend opencl --device 0+02:00.0
job --backend opencl --device all
unset VRS_CL_UNITS
job --backend opencl --device all
vrbench --list --threads 1 --precision fp32 --backend opencl --device 0,0+1 clip.mp4
echo "-- none is"
job --backend opencl --device 7
job --backend opencl --device 'rtx 4090'
job --backend opencl --device test
job --backend opencl --device 0,1
job --backend opencl --device 0:2
job --backend opencl --device 03:00.0
job --backend opencl --gpu-id 7
job --backend opencl --device 0+
try vrbench --list --backend opencl --device 7 clip.mp4
try vrbench --net-only --backend opencl --device 7
try vrtune --auto-optimize --dry-run --backend opencl --device 7 clip.mp4
try vrseg --run-network net.onnx --tensor x=none.npy --output-dir arrays --backend opencl --device 7
printf 'set engine.backend opencl\nset engine.device 7\nrun clip.mp4 -o out.mp4\n' | vrseg --interactive 2>&1 || echo "exit $?"
echo "-- a process that has loaded the driver is not forked: listed by a child for each of the first two commands, then once by the process itself"
printf 'hardware\nset engine.backend opencl\nset report.progress none\nset pipeline.max_frames 1\nset output.overwrite true\n%s\nhardware\n%s\n' \
  'run clip.mp4 -o out.mp4' 'run clip.mp4 -o out.mp4' | VRS_CL_COUNT=counts vrseg --interactive >summary 2>messages || cat messages
awk '$2 == "clGetPlatformInfo" { print $2, $3 }' counts
echo "-- drivers that are not there, or crash"
OCL_ICD_VENDORS=/nonexistent job --backend opencl
VRS_CL_FAULT=clGetDeviceIDs:1:crash job --backend opencl
echo "-- what does not go together"
job --device 0
job --gpu-id 0 --backend cpu
job --gpu-id 0 --strict
job --device auto
job --backend opencl --sandbox
VRS_CL_GLOBAL=16777216 job --backend opencl --max-memory-fraction 0.2
