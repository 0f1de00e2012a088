#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: no value of any option is missing from the key of the matte cache or from the checkpoint of an unfinished video.  Each option of the table
# (tests/option_values.c) gets values other than its default, one at a time, in turn as a flag, in the environment and in YAML.  With a cache that has
# the mattes of the default and of all values before, the pictures are those of a run without a cache; an unfinished run is refused or ends with
# the bytes of a run in one go.  Options that make no other mattes take those of the cache, and those that make no other file continue.
command -v ffmpeg >/dev/null || exit 77
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
ffmpeg -v error -i "$VRS_DATA/person_vr180_sbs.mp4" -vf scale=256:128,setpts=N/2/TB -r 2 -frames:v 8 -c:v libx264 -preset ultrafast -g 2 -an \
  clip_180_sbs.mp4
ffmpeg -v error -f lavfi -i color=red:s=128x128 -frames:v 1 back.png
clip=clip_180_sbs.mp4
# A network that costs nothing: sigmoid(convolution 1x1 of 3 channels).
cp "$VRS_CASE_DIR/replaced_files.onnx" net.onnx
printf '\0\0\0\077\0\0\0\077\0\0\0\277' >w.bin
cat >own.yaml <<'YAML'
name: own
licence: none
source: test
file: net.onnx
input: {size: [64, 36], size_multiple: 4, vr_size: [[64, 36], [72, 40]], scale: [4, 4, 4]}
output: {kind: probability}
YAML
tab=$(printf '\t')

# Values of options that take words or files.  Options of other kinds of input, devices, live outputs and the name of the output itself stay
# untried, which the expected output lists.
word() { # KEY
  case $1 in
    input.projection) echo equirect ;;
    output.background) echo back.png blur ;;
    output.preset) echo superfast ;;
    output.encoder) echo ffv1 ;;
    output.bitrate) echo 1M ;;
    matte.exclude) echo 0,0,0.5,1 ;;
    matte.early_exit_model) echo selfie_segmentation_landscape ;;
    engine.model) echo selfie_segmentation_landscape ;;
    cache.dir) echo elsewhere ;;
    report.log_file) echo log.txt ;;
    report.trace) echo trace.json ;;
  esac
}

# What an option needs before it does anything.
needs() { # KEY
  case $1 in
    output.fov | output.alpha_* | output.verify_pack | output.player) echo --output-mode alpha ;;
    output.blur) echo --background blur ;;
    matte.refine_*) echo --refine ;;
    matte.view_size) echo --view centre ;;
    matte.skip_threshold) echo --skip-similar ;;
    matte.motion_gate) echo --smoothing 0.5 ;;
    matte.early_exit*) echo --early-exit -m selfie_segmentation ;;
    engine.input_size) echo -m selfie_segmentation ;;
    pipeline.process_count) echo --processes ;;
    cache.*) echo --cache ;;
  esac
}

way=0
# Puts the option the way whose turn it is.
give() { # KEY FLAG VALUE
  way=$(((way + 1) % 3))
  variable=
  case $way in
    0) given="-c given.yaml" && printf '%s: "%s"\n' "$1" "$3" >given.yaml ;;
    1) given= && variable=VRSEG_$(echo "$1" | tr 'a-z.' 'A-Z_')=$3 ;;
    2) given="--$2=$3" ;;
  esac
}
run() { # OUTPUT OPTION...: with the given option
  output=$1
  shift
  # shellcheck disable=SC2086
  env VRSEG_ENGINE_MODEL=own.yaml $variable vrseg "$clip" -o "$output" --overwrite "$@" $given >summary 2>message
}

cached() { # EFFECT NEED...
  effect=$1
  shift
  run hash:fresh "$@" || return 0
  tried=$((tried + 1))
  case $effect$* in nothing | file) cmp plain fresh || echo "$key=$value affects $effect, and the pictures are others" ;; esac
  before=$(ls cache | wc -l)
  run hash:kept --cache --cache-dir=cache "$@"
  cmp fresh kept || echo "$key=$value: the cache has other mattes ($variable $given)"
  [ "$effect" = matte ] || [ "$(ls cache | wc -l)" = "$before" ] || echo "$key=$value affects $effect, and its mattes are made again"
}

resumed() { # EFFECT NEED...
  effect=$1
  shift
  mkdir fresh.dir
  if run fresh.dir/out.mp4 --segment-frames=3 --preset=ultrafast "$@"; then
    tried=$((tried + 1))
    rm -rf work
    cp -a unfinished work
    if run work/out.mp4 --segment-frames=3 --preset=ultrafast "$@"; then
      cmp fresh.dir/out.mp4 work/out.mp4 || echo "$key=$value: continued with other bytes ($variable $given)"
    fi
    case $effect$key in
      nothingpipeline.resume | nothingreport.*) ;; # it starts again, or says less
      nothing*) grep -q 'continuing an unfinished run' message || echo "$key=$value affects nothing, and the unfinished run is not continued" ;;
    esac
  fi
  rm -rf fresh.dir
}

given= variable=
run hash:plain
run hash:kept --cache --cache-dir=cache
run hash:kept --cache --cache-dir=cache --output-mode=alpha
# All segments are done, and the video that is made of them is larger than a file may be.
run whole.mp4 --segment-frames=3 --preset=ultrafast
mkdir unfinished
(ulimit -f $(($(wc -c <whole.mp4) / 512 - 1)) && run unfinished/out.mp4 --segment-frames=3 --preset=ultrafast) || ls -A unfinished

"$VRS_BIN/../tests/option_values" >values
while IFS=$tab read -r key effect flag words; do
  [ "$words" != "?" ] || words=$(word "$key")
  tried=0
  for value in $words; do
    rm -rf "$XDG_CACHE_HOME/vrseg/calibrations" # which int8 leaves, and --precision auto would take
    give "$key" "$flag" "$value"
    # shellcheck disable=SC2046
    cached "$effect" $(needs "$key")
    # shellcheck disable=SC2046
    resumed "$effect" $(needs "$key")
  done
  # a kernel may refuse the sandbox
  [ "$tried" -gt 0 ] || [ "$key" = pipeline.sandbox ] || echo "$key" >>untried
done <values
sort -u untried
