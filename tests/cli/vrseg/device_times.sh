#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards what a job on a device is explained by: a trace has a lane for each queue with a span for each inference, in order and without overlap; the
# table of stages has rows for transfers, and none where nobody asked for times; and options that only the CPU reads are told.
[ -f /etc/OpenCL/vendors/pocl.icd ] && [ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
job() { # OPTION...
  vrseg "$VRS_DATA/person_flat.mp4" -n 6 -o null: --no-follow --backend opencl --streams 1 --progress none --overwrite "$@"
}
job --trace t.json --stats --log-level error >report
grep -o '^\(host-to-device\|on the device\|device-to-host\)  *[0-9]*' report | tr -s ' '
grep -o '"tid":[123]002,"args":{"name":"[^"]*"' t.json
for name in 'host to device' network 'device to host'; do
  echo "$name: $(grep -c "\"name\":\"$name\",\"cat\":\"device\",\"ph\":\"X\"" t.json)"
done
sed -n 's/.*"tid":\([123]002\),"ts":\([0-9.]*\),"dur":\([0-9.]*\),.*/\1 \2 \3/p' t.json |
  awk '{ if ($2 < end[$1] - 0.01) print "spans of lane " $1 " overlap"; end[$1] = $2 + $3 }'
job --stats --log-level error >report
grep -c 'host-to-device' report || :
job --autotune --affinity cores 2>&1 >/dev/null | grep 'no effect'
job --autotune --strict || echo "exit $?"
job --affinity auto 2>&1 >/dev/null | grep -c 'no effect' || :
job 2>&1 >/dev/null | grep -o 'fp32 (auto: [^)]*)'
