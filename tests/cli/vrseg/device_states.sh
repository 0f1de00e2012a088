#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: states of a recurrent network stay on a device.  A steady job takes up pictures and brings down mattes, nothing else; whether views move,
# people come, frames are in segments or a segment goes on from another run's, the mattes are those of a job whose states go through the host, as they
# do where the device has no room for them.  A deterministic job whose device is lost is made again; another one goes on, and says that its states
# begin anew; the cache does not take mattes of later segments, whose past came from the device, for the CPU's.  PoCL is the device; a layer counts
# its calls and loses it (tests/opencl/fault_layer.c).
layer=$VRS_BIN/../tests/fault_layer.so
[ -f "$layer" ] && [ -f /etc/OpenCL/vendors/pocl.icd ] && command -v ffmpeg >/dev/null || exit 77
export OPENCL_LAYERS="$layer" POCL_DEVICES=pthread VRS_CL_NAME='Test GPU'
clip=$VRS_DATA/person_vr180_sbs.mp4
options="-m $VRS_TEST_DIR/files/recurrent/colours.yaml --backend opencl --output-mode matte --overwrite --no-cache --progress none"
job() { # NAME OPTION...: hashes of the mattes into a file
  name=$1 code=0
  shift
  # shellcheck disable=SC2086
  vrseg "$clip" $options -o "hash:$name" "$@" >summary 2>messages || code=$?
  grep -e 'warning: ' messages || true
  [ $code = 0 ] || echo "exit $code"
}
counted() { # the same with the calls that move memory, in $reads, $writes, $copies, and in $fills those that take it
  rm -f counts
  VRS_CL_COUNT=counts job "$@"
  reads=$(count ReadBuffer) writes=$(count WriteBuffer) copies=$(count CopyBuffer) fills=$(count FillBuffer)
}
count() { # CALL
  awk '$2 == "clEnqueue'"$1"'" { print $3 }' counts
}
through_host() { # as the job that was counted; slots are the last memory that it took
  VRS_CL_FAULT=clEnqueueFillBuffer:$fills:-4 job "$@"
}
echo "-- views that stay"
counted one -n 4 --no-follow
before="$reads $writes $copies"
counted ten -n 14 --no-follow
echo "$before $reads $writes $copies" | awk '{ print "ten frames more: reads", $4 - $1, "writes", $5 - $2, "copies", $6 - $3 }'
through_host host -n 14 --no-follow
cmp ten host
echo "-- views that follow"
counted ten -n 10 --max-regions 1
[ "$copies" -gt 0 ] || echo "no state stays"
through_host host -n 10 --max-regions 1
cmp ten host
counted ten -n 8 --max-regions 3
through_host host -n 8 --max-regions 3
cmp ten host
echo "-- the network alone"
rm -f counts
VRS_CL_COUNT=counts vrbench --net-only -m "$VRS_TEST_DIR/files/recurrent/colours.yaml" --backend opencl --duration 0.05 --json - >alone.json \
  2>messages
runs=$(sed 's/.*"runs":\([0-9]*\).*"warmup_runs":\([0-9]*\).*/\1 \2/' alone.json | awk '{ print $1 + $2 }')
# what is written besides are weights
echo "$runs $(count ReadBuffer) $(count WriteBuffer)" | awk '{ print "reads beyond one a run:", $2 - $1, "writes:", $3 - $1 }'
echo "-- segments"
ffmpeg -v error -i "$clip" -frames:v 14 -c copy short.mkv
clip=short.mkv
for frames in none 5; do
  # shellcheck disable=SC2086
  vrseg short.mkv $options -o $frames.mkv --encoder ffv1 --segment-frames $frames >summary 2>messages
  ffmpeg -v error -i $frames.mkv -map 0:v -f framemd5 $frames.txt
done
cmp none.txt 5.txt && echo "as in one go"
echo "-- a device that is lost"
VRS_CL_FAULT=clEnqueueCopyBuffer:21:-36 VRS_CL_FAULT_STICKY=1 job lost -n 10
job cpu -n 10 --backend cpu -p fp32
cmp lost cpu
VRS_CL_FAULT=clEnqueueCopyBuffer:21:-36 VRS_CL_FAULT_STICKY=1 job on -n 10 --no-deterministic
grep -vc '^#' on
echo "-- segments behind a lost device, in the cache"
cached() { # OUTPUT OPTION...
  # shellcheck disable=SC2086
  VRSEG_CACHE_DIR=cache vrseg short.mkv $options --encoder ffv1 --segment-frames 5 --streams 1 -p fp16 --cache -o "$@" >summary 2>messages
  sed -n 's/^vrseg: \(mattes of .* cache\)$/\1/p' messages
}
rm -f counts
VRS_CL_COUNT=counts cached gpu.mkv --no-cache
VRS_CL_FAULT=clEnqueueNDRangeKernel:$(($(count NDRangeKernel) * 45 / 100)):-36 VRS_CL_FAULT_STICKY=1 cached lost.mkv
grep -c 'warning: the device' messages
cached cpu.mkv --backend cpu --no-cache
for name in again twice; do
  cached $name.mkv --backend cpu
  ffmpeg -v error -i $name.mkv -map 0:v -f framemd5 $name.txt
done
ffmpeg -v error -i cpu.mkv -map 0:v -f framemd5 cpu.txt
cmp cpu.txt again.txt && cmp cpu.txt twice.txt && echo "as without the cache"
