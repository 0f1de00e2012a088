#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: --precision auto, the default, becomes one precision for the whole job: bf16 where the CPU multiplies in it, else fp32; int8 once a
# calibration has passed its check, and with a second network only when both have; fp32 with the backend ref.  The job says which and why, the
# bytes are those of that precision asked for, also in segments made by processes, and the matte cache knows it by that name.  A damaged
# calibration is no obstacle, and a job without one leaves no cache folder behind.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
clip=$VRS_DATA/person_flat.mp4
job() { # OUTPUT OPTION...
  output=$1
  shift
  vrseg "$clip" -o "$output" --overwrite --max-frames 6 --progress none "$@" >summary 2>message || cat message
}
chosen() { sed -n 's/.*; [a-z]* [a-z0-9]*, \(.*\), batch.*/\1/p' message; }
same() { # OUTPUT PRECISION: mattes of it asked for
  job hash:wanted -p "$2" --output-mode matte
  cmp "$1" wanted && echo "$2 is the same"
}
unset VRSEG_CPU
best=fp32
grep -q avx512_bf16 /proc/cpuinfo && best=bf16

job hash:auto --output-mode matte
test "$(chosen)" = "$best (auto: this CPU $([ $best = bf16 ] && echo multiplies || echo does not multiply) in bf16)" && echo "the best of this CPU"
same auto $best | sed "s/$best/the best/"
ls -A "$XDG_CACHE_HOME"
VRSEG_CPU=avx2 job hash:auto
chosen
job hash:auto --backend ref --max-frames 1
chosen
job hash:auto -p fp16
chosen

# Checked on enough pictures, and on too few.
vrseg --calibrate "$clip" | grep auto
job hash:auto --output-mode matte
chosen
same auto int8
job hash:sandboxed --output-mode matte --sandbox
cmp auto sandboxed || cat message
job hash:auto --early-exit
test "$(chosen)" != "int8 (auto: the calibration passed its check)" && echo "the second network has no calibration"
vrseg --calibrate "$clip" -m selfie_segmentation_landscape | grep auto
job hash:auto --early-exit
chosen
mkdir pictures
vrseg "$clip" --preview 0.5 -o pictures/one.png --log-level warning >/dev/null
vrseg --calibrate pictures --log-level error | grep auto
job hash:auto
test "$(chosen)" != "int8 (auto: the calibration passed its check)" && echo "no int8 after a check on one picture"

# Segments by processes, continued, and cached.
vrseg --calibrate "$clip" >/dev/null
job whole.mp4 --preset ultrafast --segment-frames 3
job parts.mp4 --preset ultrafast --segment-frames 3 --processes
cmp whole.mp4 parts.mp4 && echo "processes take the same"
job hash:kept --cache
job hash:again --cache -p int8
grep -o 'mattes of 6 frames come from the cache' message

# Damaged.
for file in "$XDG_CACHE_HOME"/vrseg/calibrations/*; do echo '{' >"$file"; done
job hash:auto
grep -c 'precision auto does without int8: the calibration .* is damaged: calibrate again' message
