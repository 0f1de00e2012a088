#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards measurements on a device: vrbench and vrtune go on with them only where it is the same one, with the same driver, and say which it was; runs
# of the CPU alone go on whatever devices there are.
[ -f /etc/OpenCL/vendors/pocl.icd ] || exit 77
cp "$VRS_DATA/person_flat.mp4" clip.mp4
runs='--runs 1 --duration 0.1 --warmup 0.1 --min-frames 2 --no-graphs --progress none'
go_on() { # DEVICE COMMAND...
  device=$1 code=0
  shift
  POCL_DEVICES=$device "$@" >report 2>messages </dev/null || code=$?
  sed -n 's/device \(pthread\|basic\).*(driver [^)]*)/device \1 (driver N)/; /cannot be combined/p' messages
  echo "exit $code: $device $*"
}
measure() { # BACKEND FOLDER
  # shellcheck disable=SC2086
  POCL_DEVICES=pthread vrbench --backend "$1" --precision fp32 --threads 1 --batch-size 1 --resolution own $runs --output-dir "$2" clip.mp4 \
    >report 2>messages || cat messages
}
measure opencl device
go_on basic vrbench --resume device
go_on pthread vrbench --resume device
measure cpu host
go_on basic vrbench --resume host
echo "-- the tuner"
tune() { # OPTION...: a command
  vrtune --auto-optimize --quick --rounds 1 --only queue_size --queue-size 2,4 --max-frames 3 --threads 1 --precision fp32 --backend opencl \
    --progress none "$@"
}
POCL_DEVICES=pthread tune --output-dir tuned clip.mp4 >report 2>messages || cat messages
go_on basic tune --resume tuned
