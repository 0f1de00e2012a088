#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: where the memory of a device does not suffice for the network, or for the small one of --early-exit, whichever way its driver says so, a
# job halves the batch, and after it the streams, tells it in one line, leaves nothing behind, and writes the bytes of a job that had enough; segments
# begin with what was chosen; a share of the memory counts for all streams and packed frames together; and --no-step-down, or nothing left to halve,
# ends with that reason.  The limits are those of tests/opencl/fault_layer.c.
layer=$VRS_BIN/../tests/fault_layer.so
[ -f "$layer" ] && [ -f /etc/OpenCL/vendors/pocl.icd ] || exit 77
export OPENCL_LAYERS="$layer" VRS_CL_COUNT=counts
ffmpeg -nostdin -v error -i "$VRS_DATA/person_flat.mp4" -frames:v 4 -c copy clip.mp4 || exit 77
job() { # NAME OPTION...: what was lowered, what the network ran with, or the reason
  name=$1
  shift
  rm -f counts
  code=0
  vrseg clip.mp4 -o "$name.mp4" --backend opencl --overwrite --progress none "$@" >summary 2>messages || code=$?
  sed -n -e 's/^vrseg: warning: memory of the device: \(.*\), since .*/lowered: \1/p' \
    -e 's/^vrseg: network .* \(batch [0-9]*, streams [0-9]*\) x .*/\1/p' messages
  [ $code = 0 ] || sed -n -e 's/, which has not so much free.*//' -e 's/ [0-9]* MiB/ N MiB/g' -e 's/tensors on .*/tensors/' \
    -e 's/ on .*, where/ on it, where/' -e '$p' messages
  awk '($1 == "left" || $2 == "misused") && $3 != 0' counts
  echo "exit $code: $name"
  [ $code != 0 ] || [ "$name" = parts ] || cmp enough.mp4 "$name.mp4" # of which segments have other key frames
}
fills() { # OPTION...: how many buffers the networks of a job take
  job filled "$@" >/dev/null
  awk '$2 == "clEnqueueFillBuffer" { print $3 }' counts
}
job enough --batch-size 4 --streams 2
network=$(fills --batch-size 1 --streams 1)
both=$(fills --batch-size 1 --streams 1 --early-exit --early-exit-threshold 1)
[ "$network" -gt 1 ] && [ "$both" -gt "$network" ] && [ "$(fills --batch-size 4 --streams 1)" = "$network" ] ||
  echo "networks take $network, $both buffers"
echo "-- what drivers answer"
VRS_CL_FAULT=clCreateBuffer:1 job weights --batch-size 4 --streams 2
VRS_CL_FAULT=clEnqueueFillBuffer:1:-5 job resources --batch-size 4 --streams 2
VRS_CL_FAULT=clEnqueueFillBuffer:$network:-4 job last_buffer --batch-size 4 --streams 2
VRS_CL_FAULT=clEnqueueMapBuffer:1 job pinned --batch-size 4 --streams 2
VRS_CL_FAULT=clEnqueueFillBuffer:$((network + 1)):-4 job second_stream --batch-size 1 --streams 2
VRS_CL_FAULT=clEnqueueFillBuffer:1:-5 job one_input --batch-size 1 --streams 1
VRS_CL_FAULT=clEnqueueFillBuffer:1:-5 job refused --batch-size 4 --no-step-down
echo "-- a small network, too: its session is the second on the device, and that of the second stream the fourth"
VRS_CL_FAULT=clEnqueueFillBuffer:$((network + 1)):-5 job small_network --batch-size 4 --streams 2 --early-exit --early-exit-threshold 1
VRS_CL_FAULT=clEnqueueFillBuffer:$((both + network + 1)):-5 job small_clone --batch-size 1 --streams 2 --early-exit --early-exit-threshold 1
VRS_CL_FAULT=clEnqueueFillBuffer:$((network + 1)):-5 job small_refused --batch-size 1 --streams 1 --early-exit --early-exit-threshold 1
echo "-- a device with little memory"
VRS_CL_GLOBAL=24000000 job small --batch-size 8 --streams 2
VRS_CL_GLOBAL=24000000 VRS_CL_LATE=1 job late --batch-size 8 --streams 2
VRS_CL_GLOBAL=24000000 job parts --batch-size 8 --streams 2 --segment-frames 2
VRS_CL_GLOBAL=24000000 job share --batch-size 8 --streams 1 --max-memory-fraction 0.25
echo "-- a share of the memory counts for all streams"
VRS_CL_GLOBAL=150000000 job streams --batch-size 1 --streams 6 --max-memory-fraction 0.1 --no-pinned-memory
awk '$1 == "bytes" && $2 == "peak" && $3 > 15000000' counts
VRS_CL_GLOBAL=150000000 job streams_refused --batch-size 1 --streams 6 --max-memory-fraction 0.1 --no-step-down
echo "-- and for frames that the device packs"
pack() { # WHO: who packs, or the reason
  code=0
  VRS_CL_GLOBAL=100000000 VRS_CL_TYPE=gpu vrseg "$VRS_DATA/person_vr180_sbs.mp4" -o "hash:packed" --overwrite --max-frames 1 --output-mode alpha \
    --streams 1 --progress none --backend opencl --device-frames "$1" --max-memory-fraction 0.15 >summary 2>messages || code=$?
  sed -n -e 's/ [0-9]* MiB/ N MiB/g' -e 's/ on .*, where/ on it, where/' -e 's/^vrseg: \(.*packing frames needs.*\)/\1/p' messages
  echo "exit $code: $1"
}
pack on
pack auto
