#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards figures of a device: its profile is held against its own ceilings, transfers and gaps are rows beside the kernels; a sweep keeps the sums of
# the default case without being asked, so that vranalyze has them, and shares of the peak are of the device.
[ -f /etc/OpenCL/vendors/pocl.icd ] && [ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
export VRSEG_ENGINE_PRECISION=fp32
vrbench --net-only --backend opencl --duration 0.2 --profile-ops --json p.json >table
tr '\n' ' ' <table | tr -s ' ' | grep -o 'batch 1, fp32, opencl on .*, [0-9]* runs. Peak of the device: [0-9.]* GFLOP/s' | sed 's/on .* GFLOP/ok/'
for key in device upload_gbps download_gbps launch_us full_items call_ms kernel_ms gap_ms upload_ms download_ms kernel_peak_share \
  kernel_memory_share kernels host_ops; do
  grep -q "\"$key\":" p.json || echo "no $key"
done
grep -o '"kernel":"\(transfer\|gap\)"' p.json | sort | uniq -c | tr -s ' '
vrbench --quick --backend opencl --resolution own --batch-size 1 --threads 1 --runs 1 --duration 0.2 --warmup 0.1 --min-frames 5 --scope net_only \
  --no-graphs --output-dir out "$VRS_DATA/person_flat.mp4" >report 2>messages || cat messages
tr -d '\t\n ' <out/results.json >flat
grep -o '"schema":"[^"]*"' flat
grep -o '"kernels":[0-9]*' flat | grep -vc ':0$'
grep -o '"ops":\[\]' flat
grep -c '"device_bytes":[0-9]*,"device_limit_bytes":[0-9]*' flat
grep -o '"net_peak_share":[0-9.e-]*' flat | awk -F: '{ print ($2 > 0 && $2 <= 1) }' | sort -u
grep -c 'Operators of the network alone' report || :
vranalyze out >again && grep -c 'net_only' again | awk '{ print ($1 > 0) }'
