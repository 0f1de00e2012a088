#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# For cases about the key of the matte cache and the checkpoint of an unfinished video:   . "$VRS_TEST_DIR/cli/key_values.sh"
# It makes inputs and a network that costs nothing, and knows values of every option, the input that shows them, and what they need besides.
# Checks print a line for what is wrong; $program is the vrseg that takes from the cache or continues.
command -v ffmpeg >/dev/null || exit 77
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
# The environment goes before a file: what run.sh sets there would hide what a configuration says.
# shellcheck disable=SC2086
unset ${VRS_SMALL_NETWORK:-}
programs=$VRS_BIN/../tests
program=vrseg
mkdir -p "$XDG_CACHE_HOME/vrseg"
echo 'no search' >"$XDG_CACHE_HOME/vrseg/tuned" # in place of the folder: target.auto_tune asks vrtune for nothing
groups=groups # where the things of `prepare` lie
tab=$(printf '\t')

frames() { # FILE OPTION...: eight small VR180 pictures of a person
  file=$1
  shift
  ffmpeg -v error -i "$VRS_DATA/person_vr180_sbs.mp4" -vf scale=256:128,setpts=N/2/TB -r 2 -frames:v 8 -an "$@" "$file"
}
frames clip_180_sbs.mp4 -c:v libx264 -preset ultrafast -g 2
frames clip.yuv -f rawvideo -pix_fmt yuv420p
frames clip_180_sbs.mov -c:v rawvideo -pix_fmt uyvy422 # as large as any other, and without metadata of the layout
frames hdr_180_sbs.mkv -c:v ffv1 -pix_fmt yuv420p10le -color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc
picture() { # FILE COLOUR: 128x128, white below
  ffmpeg -v error -y -f lavfi -i "color=$2:s=128x128" -vf drawbox=0:90:128:38:white:fill -frames:v 1 "$1"
}
picture back.png red
picture mask.png black

# Networks: sigmoid(convolution 1x1 of 3 channels), whose weights are the 12 bytes of w.bin beside them; all take pictures of the same size.
weights() { # FOLDER BYTES: their last two
  printf '\0\0\0\077\0\0\0\077\0\0'"$2" >"$1/w.bin"
}
network() { # FOLDER NAME SIZES
  mkdir -p "$1"
  cp "$VRS_TEST_DIR/cli/vrseg/replaced_files.onnx" "$1/net.onnx"
  weights "$1" '\0\277'
  printf 'name: %s\nlicence: none\nsource: test\nfile: net.onnx\n' "$2" >"$1/own.yaml"
  printf 'input: {%s, scale: [4, 4, 4]}\noutput: {kind: probability}\n' "$3" >>"$1/own.yaml"
}
network own own 'size: [64, 36], size_multiple: 4, vr_size: [[64, 36], [72, 40]]'
network same same 'size: [64, 36], size_multiple: 4, vr_size: [[64, 36], [72, 40]]'
weights same '\200\276'
network small small 'size: [64, 36], size_multiple: 4'
weights small '\100\277'
network tiny tiny 'size: [64, 36], size_multiple: 4'
weights tiny '\200\276'
cat >base.yaml <<'YAML'
engine.model: own/own.yaml
engine.precision: fp32
matte.refine: false
output.preset: ultrafast
pipeline.segment_frames: 2
YAML

# Values besides those of the option table: of options that take words or files, and some that show where the table's do not.  Other devices, live
# outputs and the name of the output itself stay untried.
more_values() { # KEY
  case $1 in
    input.duration) echo 2 ;;
    pipeline.max_frames | pipeline.segment_frames) echo 4 ;;
    input.raw_format) echo nv12 ;;
    input.raw_size) echo 128x256 ;;
    input.projection) echo equirect ;;
    output.background) echo back.png blur ;;
    output.preset) echo superfast ;;
    output.encoder) echo libx264rgb ;;
    output.bitrate) echo 100k ;;
    output.fov) echo 120 ;;
    matte.exclude) echo 0,0,0.5,1 mask.png ;;
    matte.motion_gate) echo none 0 1 ;;
    matte.skip_threshold) echo 0 1 ;;
    matte.early_exit_threshold | matte.refine_limit) echo 0 1 ;;
    matte.early_exit_model) echo tiny/own.yaml ;;
    matte.early_exit_size) echo 24x16 ;;
    matte.refine) echo true ;;
    matte.max_regions) echo 2 ;;
    engine.model) echo same/own.yaml ;;
    engine.device) echo 0 ;; # of a backend that has devices; the CPU's mattes stay the same
    engine.input_size) echo 68x40 ;;
    cache.dir) echo elsewhere ;;
    report.log_file) echo log.txt ;;
    report.metrics_file) echo metrics.prom ;;
    report.metrics_port) echo 0 ;;
    report.trace) echo trace.json ;;
  esac
}

# What an option needs before it does anything, as lines of a configuration; its own line is the value that it has before.
needs() { # KEY
  case $1 in
    input.fps | input.raw_*) printf '%s\n' 'input.raw_format: yuv420p' 'input.raw_size: 256x128' 'input.start: 0.1' 'input.layout: sbs' ;;
    output.fov | output.alpha_* | output.verify_pack | output.player | engine.device_frames) echo 'output.mode: alpha' ;;
    output.blur) echo 'output.background: blur' ;;
    matte.refine_full) ;;
    matte.refine_*) echo 'matte.refine: true' ;;
    matte.view | matte.view_* | matte.scales) echo 'matte.follow: false' ;;
    matte.skip_threshold) echo 'matte.skip_similar: true' ;;
    matte.motion_gate) echo 'matte.smoothing: 0.5' ;;
    matte.early_exit) printf '%s\n' 'matte.early_exit_model: small/own.yaml' 'matte.early_exit_threshold: 0' ;;
    matte.early_exit_threshold) printf '%s\n' 'matte.early_exit: true' 'matte.early_exit_model: small/own.yaml' ;;
    matte.early_exit_*) printf '%s\n' 'matte.early_exit: true' 'matte.early_exit_model: small/own.yaml' 'matte.early_exit_threshold: 0' ;;
    pipeline.process_count) echo 'pipeline.processes: true' ;;
    cache.size_gb | cache.dir) echo 'cache.enabled: true' ;;
  esac
}

# The input that shows an option.
input() { # KEY
  case $1 in
    input.fps | input.raw_*) echo clip.yuv ;;
    output.tonemap) echo hdr_180_sbs.mkv ;;
    input | name | layout) echo clip_180_sbs.mov ;;
    *) echo clip_180_sbs.mp4 ;;
  esac
}

# Fields of the keys besides the values of options: content behind a name, and what the caller of the key says.
fields='content of engine.model
content of matte.early_exit_model
content of matte.exclude
content of output.background
input
name
layout
instruction set'
field_needs() { # FIELD
  case $1 in
    'content of matte.early_exit_model') needs matte.early_exit_model ;;
    'content of matte.exclude') echo 'matte.exclude: mask.png' ;;
    'content of output.background') echo 'output.background: back.png' ;;
    'instruction set') echo 'engine.precision: bf16' ;;
  esac
}
# Others in their place, under the same name, and of the input also the same size and time.
change() { # FIELD
  case $1 in
    'content of engine.model') weights own '\200\277' ;;
    'content of matte.early_exit_model') weights small '\200\276' ;;
    'content of matte.exclude') picture mask.png white ;;
    'content of output.background') picture back.png blue ;;
    input)
      cp -p "$clip" former.mov
      head -c 300000 /dev/zero | dd of="$clip" bs=100000 seek=1 conv=notrunc status=none
      touch -r former.mov "$clip"
      ;;
    name | layout) ln -sf "$clip" clip_180_tb.mov && clip=clip_180_tb.mov ;;
    'instruction set') export VRSEG_CPU=ref ;;
  esac
}
restore() { # FIELD
  case $1 in
    'content of engine.model') weights own '\0\277' ;;
    'content of matte.early_exit_model') weights small '\100\277' ;;
    'content of matte.exclude') picture mask.png black ;;
    'content of output.background') picture back.png red ;;
    input) mv former.mov "$clip" ;;
    'instruction set') unset VRSEG_CPU ;;
  esac
}

# VARIABLE=VALUE of the environment and further options that give the option its value.
given= variable=VRS_NOTHING=
give() { # flag|environment|file|nothing KEY FLAG VALUE
  given= variable=VRS_NOTHING= how=$1
  [ "${2:-}$how" != input.recursiveflag ] || how=environment # the input is a file, of which the flag is refused
  case $how in
    flag) given="--$3=$4" ;;
    environment) variable=VRSEG_$(echo "$2" | tr 'a-z.' 'A-Z_')=$4 ;;
    file) given="-c given.yaml" && printf '%s: "%s"\n' "$2" "$4" >given.yaml ;;
  esac
}

# run PROGRAM OUTPUT OPTION...: over $clip with $base and the given option.
run() {
  with=$1 output=$2
  shift 2
  rm -rf "$XDG_CACHE_HOME/vrseg/calibrations" # which int8 leaves
  # shellcheck disable=SC2086
  env $variable "$with" "$clip" -o "$output" --overwrite -c "$base" "$@" $given >summary 2>message
}

# Sets $clip, $base and $group for an option or a field, and makes what a job without it leaves: $group/plain, its mattes in $group/cache, and an
# unfinished run in $group/unfinished, where all segments are done and the video that is made of them is larger than a file may be.
prepare() { # INPUT NEEDS
  clip=$1 group=$groups/$(printf '%s %s' "$1" "$2" | tr -c 'a-zA-Z0-9.' _)
  base=$group/base.yaml
  [ ! -d "$group" ] || return 0
  mkdir -p "$group/unfinished"
  # a key may stand in a file once
  printf '%s\n' "$2" | cut -d : -f 1 | grep -vFf - base.yaml >"$base" || cp base.yaml "$base"
  printf '%s\n' "$2" >>"$base"
  give nothing
  if run "$program" "hash:$group/plain"; then
    run "$program" "hash:$group/kept" --cache --cache-dir="$group/cache" || cat message
  fi
  run "$program" "$group/whole.mp4" || cat message
  (ulimit -f $(($(wc -c <"$group/whole.mp4") / 512 - 1)) && run "$program" "$group/unfinished/out.mp4") || true
}

# A job with the option's value (or what has changed: `ways` is then nothing) takes no other mattes from the cache than a job without a cache makes.
# Sets tried, shown (in the pictures) and new (mattes were made) to 1.
cached() {
  [ "$key" != pipeline.live ] || return 0 # --cache is refused beside it: nothing is taken from a cache
  give "$first_way" "$key" "$flag" "$value"
  [ -f "$group/plain" ] && run vrseg hash:fresh || return 0
  tried=1
  cmp -s "$group/plain" fresh || shown=1
  for way in $ways; do
    before=$(ls "$group/cache" | wc -l)
    give "$way" "$key" "$flag" "$value"
    if ! run "$program" hash:kept --cache --cache-dir="$group/cache"; then
      cat message
    elif ! cmp fresh kept; then
      echo "$key=$value by $way: the cache has other mattes"
    fi
    [ "$(ls "$group/cache" | wc -l)" = "$before" ] || new=1
  done
}

# The same of an unfinished run: it is not continued, or ends with the bytes of a run in one go.  Sets tried, changed (the video), refused
# and continued to 1.
resumed() {
  mkdir fresh.dir
  give "$first_way" "$key" "$flag" "$value"
  if [ -d "$group/unfinished/.out.mp4.vrseg" ] && run vrseg fresh.dir/out.mp4; then
    tried=1
    cmp -s "$group/whole.mp4" fresh.dir/out.mp4 || changed=1
    for way in $ways; do
      rm -rf work
      cp -a "$group/unfinished" work
      give "$way" "$key" "$flag" "$value"
      if run "$program" work/out.mp4; then
        cmp fresh.dir/out.mp4 work/out.mp4 || echo "$key=$value by $way: continued with other bytes"
      elif grep -q 'does not fit' message; then
        refused=1
      else
        cat message
      fi
      ! grep -q 'continuing an unfinished run' message || continued=1
    done
  fi
  rm -rf fresh.dir
}

# Every option of vrseg with its values: calls FUNCTION, and sets $key, $effect, $flag and $values.
each_option() { # FUNCTION
  "$programs/option_values" >values
  for key in $(cut -f 1 values | uniq); do
    effect=$(awk -F "$tab" -v key="$key" '$1 == key { print $2; exit }' values)
    flag=$(awk -F "$tab" -v key="$key" '$1 == key { print $3; exit }' values)
    values="$(awk -F "$tab" -v key="$key" '$1 == key && $4 != "?" { print $4 }' values) $(more_values "$key")"
    first_way=environment ways="flag file" tried=0 shown=0 new=0 changed=0 refused=0 continued=0
    case $key in
      pipeline.late_frames | pipeline.live_fps) first_way=flag ;; # without --live a typed one is refused, and another one has no use
    esac
    "$1"
  done
}

# Every field that is no option's value: the same.
each_field() { # FUNCTION
  printf '%s\n' "$fields" >fields
  while read -r key <&3; do
    effect=matte flag= values=other first_way=nothing ways=nothing tried=0 shown=0 new=0 changed=0 refused=0 continued=0
    [ "$key" != 'content of output.background' ] && [ "$key" != layout ] || effect=picture
    "$1"
  done 3<fields
}
