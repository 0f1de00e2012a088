#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a device that is lost costs no frame.  A deterministic job is made again, wherever in its run the device is lost, and its output is that of
# the devices that are left, or of the CPU, whose mattes it leaves in the cache; one that need not give the same bits, or cannot be made again, goes
# on; of a video in segments only the one at hand is made again, by whichever process; later files leave the device alone.  Frames that are spread
# over two devices give the bytes of one.  A device that fails from the start ends the job.  A layer loses devices of PoCL
# (tests/opencl/fault_layer.c); replaced_files.onnx is a convolution 1x1.
layer=$VRS_BIN/../tests/fault_layer.so
[ -f "$layer" ] && [ -f /etc/OpenCL/vendors/pocl.icd ] && command -v ffmpeg >/dev/null || exit 77
# Two of pthread: two threads on the device basic of PoCL 3.1 wait for one another now and then.
export OPENCL_LAYERS="$layer" POCL_DEVICES='pthread pthread' VRS_CL_NAME='Test GPU'
ffmpeg -v error -stream_loop 9 -i "$VRS_DATA/person_flat.mp4" -vf scale=320:180 -frames:v 30 -c:v libx264 -preset ultrafast -g 10 -an clip.mp4
ffmpeg -v error -i clip.mp4 -c copy clip.mkv
cp "$VRS_CASE_DIR/replaced_files.onnx" net.onnx
printf '\0\0\0\077\0\0\0\077\0\0\0\277' >w.bin
printf 'name: own\nlicence: none\nsource: test\nfile: net.onnx\ninput: {size: [64, 36], scale: [4, 4, 4]}\noutput: {kind: probability}\n' >own.yaml
options='-m own.yaml -p fp32 --max-frames 12 --progress none'
job() { # OPTION...
  # shellcheck disable=SC2086
  vrseg $options "$@" >summary 2>messages
}
lose() { # CALL OPTION...: at that call of a job
  call=$1 code=0
  shift
  VRS_CL_FAULT=$call:-36 VRS_CL_FAULT_STICKY=1 job --backend opencl "$@" || code=$?
  grep -e 'warning: ' -e 'error: ' messages || true
  [ $code = 0 ] || grep -v ' the CPU computes' messages
  echo "exit $code: $call $*"
}
lose_among() { # the same with several streams or processes, any of which may see it first, and in another call
  lose "$@" | sed 's/failed: [^;]*;/failed: REASON;/'
}
frames() { # NAME: in a file of hashes
  grep -vc '^#' "$1"
}

job clip.mp4 -o hash:cpu --backend cpu
job clip.mp4 -o hash:one --backend opencl --device 0
echo "-- the job is made again"
for call in NDRangeKernel:1 NDRangeKernel:7 WriteBuffer:9 ReadBuffer:1 ReadBuffer:9 MarkerWithWaitList:12; do
  lose clEnqueue$call clip.mp4 -o hash:lost --overwrite --streams 1
  cmp cpu lost
done
lose_among clWaitForEvents:3 clip.mp4 -o hash:lost --overwrite --streams 2 --trace trace.json
cmp cpu lost
echo "-- its mattes are the CPU's"
lose clEnqueueReadBuffer:7 clip.mp4 -o hash:lost --overwrite --streams 1 --device-tune fast --cache --cache-dir cache
for backend in cpu opencl; do
  job clip.mp4 -o hash:again --overwrite --backend $backend --cache --cache-dir cache
  grep -q 'come from the cache' messages && echo "$backend: from the cache" || echo "$backend: made"
done
echo "-- two devices"
job clip.mp4 -o hash:two --backend opencl --device 0+1 --streams 2
cmp one two
VRS_CL_FAULT_DEVICE=0 lose clEnqueueNDRangeKernel:1 clip.mp4 -o hash:lost --overwrite --device 0+1 --streams 2
cmp one lost
VRS_CL_FAULT_DEVICE=1 lose clEnqueueNDRangeKernel:1 clip.mp4 -o hash:lost --overwrite --device 0+1 --streams 2
cmp one lost
env -u VRS_CL_NAME POCL_DEVICES='pthread basic' vrseg clip.mp4 -o hash:unlike $options --backend opencl --device all --streams 1 >summary 2>messages
sed -n 's/ of 2, .*;/ of 2, NAME;/p' messages
cmp one unlike
echo "-- the job goes on"
lose clEnqueueNDRangeKernel:7 clip.mp4 -o hash:on --no-deterministic --streams 1
frames on
VRS_CL_FAULT_DEVICE=0 lose clEnqueueNDRangeKernel:1 clip.mp4 -o hash:on --overwrite --no-deterministic --device 0+1 --streams 2
frames on
cat clip.mkv | lose clEnqueueNDRangeKernel:7 - -o hash:piped --streams 1
frames piped
lose clEnqueueNDRangeKernel:7 clip.mp4 -o null: --live --live-fps 20 --streams 1
echo "-- segments"
options='-m own.yaml -p fp32 --segment-frames 10 --preset ultrafast --progress none'
VRS_CL_COUNT=$PWD/counts job clip.mp4 -o whole.mp4 --backend opencl
middle=$(($(awk '$2 == "clEnqueueNDRangeKernel" { print $3 }' counts) / 2))
lose clEnqueueNDRangeKernel:$middle clip.mp4 -o lost.mp4 --streams 1 | sed "s/:$middle/:MIDDLE/"
sed 's/ in .*//' summary
lose_among clEnqueueNDRangeKernel:5 clip.mp4 -o crew.mp4 --processes --process-count 2
sed 's/ in .*//' summary
job clip.mp4 -o cpu.mp4 --backend cpu
cmp cpu.mp4 crew.mp4
echo "-- later files"
cp clip.mp4 second.mp4
lose clEnqueueNDRangeKernel:5 clip.mp4 second.mp4 --output-dir out --streams 1 --segment-frames none
lose clEnqueueNDRangeKernel:5 clip.mp4 second.mp4 --output-dir out --streams 1 --overwrite
echo "-- from the start"
lose clCreateContext:1 clip.mp4 -o none.mp4
