#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Measures the OpenCL engine on a GPU in one command.  The machine with the GPU needs its driver and nothing else: no packages, no network.
#
#   scripts/measure-gpu.sh pack FOLDER [--peer FOLDER]... [--onnx FILE]...
#                                             put programs, libraries, networks and peers into FOLDER (at most 64 MiB)
#   FOLDER/measure-gpu.sh [run] [RESULTS]     on the other machine: measure, and write RESULTS (default: gpu-results)
#   scripts/measure-gpu.sh here [RESULTS]     measure with build/release on this machine (PoCL where there is no GPU)
#   scripts/measure-gpu.sh summary RESULTS    print the summary of RESULTS again
#   scripts/measure-gpu.sh programs           print what pack takes from build/release
#
# RESULTS gets summary.txt (one page: goals, shares, peers, what failed) and what it is made of:
#   run.tsv, device.txt            when, which program and machine
#   steps.tsv                      exit code, seconds, title and command of every step; errors.txt has their messages
#   ceilings.json                  multiply-adds, memory, transfers, launches
#   tests.txt                      the unit tests of the engine on this device
#   networks.jsonl, profiles.jsonl each network, size and precision on the device and on the CPU; its kernels against the ceilings
#   frames.jsonl                   8K side by side, with and without transfers
#   packed_on.*, packed_off.*      frames packed with their mattes by the device and by the CPU: times and hashes
#   video_*.prom, matte.txt        a whole video on both, and how far their mattes differ
#   peers.jsonl                    rounds of vrseg and of other engines, interleaved
#   switch_*.jsonl                 networks with a switch, such as convolutions timed on the device
#
# A peer is a folder with a program `peer`, called as: peer NETWORK WIDTHxHEIGHT BATCH SECONDS MODELS.  It prints one line of JSON with "engine",
# "network", "size", "batch", "precision" (fp32) and "median_ms", transfers included, or ends with exit code 77 where it has no such network.  MODELS
# has the ONNX files.  ONNX Runtime and PyTorch with CUDA are peers where python3 has them (measure-gpu-peer.py); what vrseg has in other forms comes
# to them by --onnx NETWORK.onnx.
#
# Environment: VRS_GPU_DEVICE (as --device; default: the first GPU), VRS_GPU_SECONDS (of each figure, default 3), VRS_GPU_BATCHES (default 1 2 8),
# VRS_GPU_ROUNDS (of peers, default 5), VRS_GPU_PEERS (more folders of peers), VRS_GPU_LIMIT (seconds of a step, default 600), VRS_GPU_STEPS (only the
# groups named here: tests frames profiles networks jobs peers switches), VRS_GPU_NETWORKS (only those whose name and size hold one of these texts,
# with commas between them), VRS_GPU_SIZE (of frames, default 8192x4096), VRS_GPU_LIBC (system or own); of pack: VRS_GPU_BUILD (default
# build/release), VRS_GPU_XZ (options of xz), VRS_GPU_MIB.
set -eu

usage() {
  sed -n 's/^#   //p' "$0"
}

fail() {
  echo "measure-gpu: $*" >&2
  exit 1
}

programs='vrseg vrbench'
measuring_programs='device_ceilings frame_rate'
# Of the tests test_ocl_*: without a device, or about drivers, whose part the test plays.
without_device='test_ocl_choice test_ocl_device test_ocl_drivers test_ocl_program test_ocl_program_cache test_ocl_tune'
# What a bare machine may lack.
start_tools='xz tar mawk'

# Those that compute on a device, by name, of these sources or programs.
tests_among() { # FILE...
  for file in "$@"; do
    name=${file##*/}
    case " $without_device " in *" ${name%.c} "*) ;; *) echo "${name%.c}" ;; esac
  done
}

list_programs() {
  for name in $programs; do echo "bin/$name"; done
  for name in $measuring_programs $engine_tests; do echo "tests/$name"; done
}

is_program() { # FILE, rather than a script or a name
  [ -f "$1" ] && read -r first <"$1" && case $first in ?ELF*) true ;; *) false ;; esac
}

# Every library that these programs load.  The driver's come with the driver.
libraries_of() { # PROGRAM...
  for file in "$@"; do ! is_program "$file" || ldd "$file"; done | awk '/=> \//{ print $3 } /^\t\/.*ld-linux/{ print $1 }' | sort -u
}

# Libraries that are loaded for the sake of symbols which nothing here needs: tables of ICU are 31 MB, a speech codec 17, encoders 31, SVG
# pictures 11.  Others with these symbols take their place, whose functions return 0, since FFmpeg asks encoders what they can do before it uses
# any.  Weak symbols are those of C++ templates, which others have as well and need.
hollow() { # FOLDER
  command -v cc >/dev/null 2>&1 && command -v nm >/dev/null 2>&1 || return 0
  for library in "$1"/libicudata.so.* "$1"/libcodec2.so.* "$1"/librsvg-2.so.* "$1"/libx265.so.* "$1"/libSvtAv1Enc.so.* "$1"/libaom.so.* \
    "$1"/librav1e.so.* "$1"/libopenmpt.so.* "$1"/libx264.so.* "$1"/libvpx.so.*; do
    [ -f "$library" ] || continue
    nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $3) }
      $2 ~ /^[Ti]$/ { print "long " $3 "(void) { return 0; }" }
      $2 ~ /^[BDR]$/ { print "const char " $3 "[64];" }' >"$library.c"
    cc -w -fno-builtin -shared -fPIC -Wl,-soname,"${library##*/}" -o "$library" "$library.c" || fail "cannot make a ${library##*/} that is empty"
    rm "$library.c"
  done
}

pack_peers() { # OPTION...
  while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || fail "$1 needs a value"
    case $1 in
      --peer)
        [ -x "$2/peer" ] || fail "there is no program $2/peer"
        cp -rL "$2" "$out/tree/peers/"
        ;;
      --onnx) cp "$2" "$out/tree/onnx/" ;;
      *) fail "unknown option $1" ;;
    esac
    shift 2
  done
}

# Programs, every library that they load but for the driver's, networks and a clip; compressed, with the tools to unpack them.
pack() { # FOLDER OPTION...
  source=$(cd "$(dirname "$0")/.." && pwd)
  build=${VRS_GPU_BUILD:-$source/build/release}
  mkdir -p "$1"
  out=$(cd "$1" && pwd)
  shift
  rm -rf "$out/tree" "$out/payload.tar.xz" "$out/start"
  mkdir -p "$out/tree/bin" "$out/tree/lib" "$out/tree/share" "$out/tree/tests" "$out/tree/peers" "$out/tree/onnx" "$out/start"
  for file in $(list_programs); do
    [ -x "$build/$file" ] || fail "there is no $build/$file; build it first: ./test.sh --release"
    cp "$build/$file" "$out/tree/$file"
  done
  cp -rL "$source/build/share/vrseg" "$source/configs" "$out/tree/share/"
  cp -r "$out/tree/share/configs/." "$out/tree/share/vrseg/"
  rm -rf "$out/tree/share/configs"
  cp "$source/tests/data/person_vr180_sbs.mp4" "$out/tree/"
  pack_peers "$@"
  libraries_of "$out"/tree/bin/* "$out"/tree/tests/* $(find "$out/tree/peers" -type f -name peer) | while read -r library; do
    case $library in
      "$out"/*) ;;
      *) cp -L "$library" "$out/tree/lib/" ;;
    esac
  done
  hollow "$out/tree/lib"
  ln -s libOpenCL.so.1 "$out/tree/lib/libOpenCL.so" # as other engines open it
  strip "$out"/tree/lib/*.so* "$out"/tree/bin/* "$out"/tree/tests/* 2>/dev/null || true
  # shellcheck disable=SC2086
  tar -C "$out" -c tree | xz ${VRS_GPU_XZ:---x86 --lzma2=preset=9e -T0} >"$out/payload.tar.xz"
  for tool in $start_tools; do
    cp -L "$(command -v $tool)" "$out/start/"
    libraries_of "$(command -v $tool)" | while read -r library; do cp -L "$library" "$out/start/"; done
  done
  rm -rf "$out/tree"
  cp "$0" "$(dirname "$0")/measure-gpu.awk" "$(dirname "$0")/measure-gpu-peer.py" "$out/"
  du -sk "$out" | awk -v most="${VRS_GPU_MIB:-64}" '{ printf "measure-gpu: %s holds %.1f MiB\n", $2, $1 / 1024; exit $1 > 1024 * most }' ||
    fail "$out is larger than ${VRS_GPU_MIB:-64} MiB"
}

# A tool of the system, or the one that came along.
tool() { # NAME ARGUMENT...
  name=$1
  shift
  if [ ! -x "$here/start/$name" ] || command -v "$name" >/dev/null 2>&1; then
    "$name" "$@"
  else
    "$here/start/ld-linux-x86-64.so.2" --library-path "$here/start" "$here/start/$name" "$@"
  fi
}

any_awk() {
  if command -v awk >/dev/null 2>&1; then awk "$@"; else tool mawk "$@"; fi
}

# Programs run with the system's C library where it is new enough for them, since the driver needs at least its own; else with the one that came
# along.  The system's libstdc++ goes with it where there is one, for the same reason.
launcher() { # TREE
  drivers=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/usr/lib/x86_64-linux-gnu:/lib/x86_64-linux-gnu:/usr/lib64:/usr/local/nvidia/lib64
  drivers=$drivers:/usr/local/nvidia/lib:/usr/local/cuda/lib64:/opt/rocm/lib
  mkdir -p "$1/lib-system" "$1/lib-cxx"
  for file in "$1"/lib/*; do
    case ${file##*/} in
      ld-linux* | libc.so* | libm.so* | libpthread* | libdl.so* | librt.so* | libresolv* | libmvec*) ;;
      libgcc_s* | libstdc++*) ln -sf "$file" "$1/lib-cxx/" ;;
      *) ln -sf "$file" "$1/lib-system/" ;;
    esac
  done
  origin=system
  for libraries in "$1/lib-system:$drivers" "$1/lib-system:$1/lib-cxx:$drivers"; do
    prefix="env LD_LIBRARY_PATH=$libraries"
    # shellcheck disable=SC2086
    if [ "${VRS_GPU_LIBC:-system}" = system ] && $prefix "$1/bin/vrseg" --version >/dev/null 2>&1; then return; fi
  done
  origin=own
  prefix="$1/lib/ld-linux-x86-64.so.2 --library-path $1/lib:$drivers"
}

# Drivers that no .icd file names are added to those that one does, as in containers that bring a GPU's driver beside PoCL's package.
find_driver() {
  [ -z "${OCL_ICD_VENDORS:-}" ] || return 0
  mkdir -p "$scratch/vendors"
  cp /etc/OpenCL/vendors/*.icd "$scratch/vendors/" 2>/dev/null || true
  for name in libnvidia-opencl.so.1 libamdocl64.so libigdrcl.so; do
    ! cat "$scratch"/vendors/*.icd 2>/dev/null | grep -q "${name%.so*}" || continue
    for folder in /usr/lib/x86_64-linux-gnu /usr/lib64 /usr/local/nvidia/lib64 /usr/local/nvidia/lib /opt/rocm/lib; do
      [ -e "$folder/$name" ] || continue
      echo "$folder/$name" >"$scratch/vendors/found-$name.icd"
      export OCL_ICD_VENDORS="$scratch/vendors"
      break
    done
  done
}

# Runs a command.  What it prints is appended to a file of the results if it ends well; FILE may be empty.
step() { # TITLE FILE COMMAND...
  title=$1 file=$2
  shift 2
  echo "== $title"
  begin=$(date +%s)
  code=0
  # shellcheck disable=SC2086
  $limit $prefix "$@" >"$scratch/out" 2>"$scratch/messages" || code=$?
  note_step "$title" "$file" $code $(($(date +%s) - begin)) "$*"
}

note_step() { # TITLE FILE CODE SECONDS COMMAND, of what lies in scratch
  printf '%s\t%s\t%s\t%s\n' "$3" "$4" "$1" "$5" >>"$results/steps.tsv"
  if [ "$3" -eq 0 ]; then
    [ -z "$2" ] || cat "$scratch/out" >>"$results/$2"
  else
    echo "measure-gpu: $1 failed (exit $3)"
  fi
  {
    echo "== $1: exit $3"
    cat "$scratch/messages"
    [ "$3" -eq 0 ] || tail -n 20 "$scratch/out"
  } >>"$results/errors.txt"
}

# The tests of the engine, all at once: most of their time is the compiler's, and nothing is timed.
run_tests() { # TESTS
  begin=$(date +%s)
  for test in $engine_tests; do
    echo "== $test"
    (
      code=0
      # shellcheck disable=SC2086
      $limit $prefix "$1/$test" >"$scratch/$test.out" 2>"$scratch/$test.messages" || code=$?
      echo "$code $(($(date +%s) - begin))" >"$scratch/$test.end"
    ) &
  done
  wait
  for test in $engine_tests; do
    mv "$scratch/$test.out" "$scratch/out"
    mv "$scratch/$test.messages" "$scratch/messages"
    read -r code took <"$scratch/$test.end"
    note_step "$test" tests.txt "$code" "$took" "$1/$test"
  done
}

network() { # BIN NETWORK SIZE BATCH PRECISION TITLE FILE OPTION...
  bin=$1 network=$2 size=$3 batch=$4 precision=$5 title=$6 file=$7
  shift 7
  step "$title" "$file" "$bin/vrbench" --net-only --model "$network" --input-size "$size" --batch-size "$batch" --precision "$precision" \
    --duration "$seconds" --json - "$@"
}

chosen() { # CASE
  rest=${VRS_GPU_NETWORKS:-},
  while [ -n "$rest" ]; do
    case $1 in *"${rest%%,*}"*) return 0 ;; esac
    case ${rest%%,*} in "$1 "*) return 0 ;; esac # a network without a size
    rest=${rest#*,}
  done
  return 1
}

on_device() { # BIN NETWORK SIZE BATCH PRECISION TITLE FILE OPTION...
  network "$@" --backend opencl ${device:+--device "$device"}
}

measure_network() { # BIN NETWORK SIZE BATCH
  for precision in fp32 fp16; do
    on_device "$@" $precision "$2 $3, batch $4, $precision" networks.jsonl
  done
  network "$@" auto "$2 $3, batch $4, CPU" networks.jsonl --backend cpu
}

measure_networks() { # BIN
  for case in 'selfie_segmentation 256x256' 'rvm_mobilenetv3 512x288' 'selfie_segmentation_landscape 256x144' 'rvm_mobilenetv3 352x192'; do
    chosen "$case" || continue
    for inputs in ${VRS_GPU_BATCHES:-1 2 8}; do
      # shellcheck disable=SC2086
      measure_network "$1" $case $inputs
    done
  done
}

# The networks of the goals, their kernels against the ceilings.
measure_profiles() { # BIN
  for case in 'selfie_segmentation 256x256 2' 'rvm_mobilenetv3 512x288 1'; do
    chosen "$case" || continue
    for precision in fp32 fp16; do
      # shellcheck disable=SC2086
      set -- "$1" $case
      on_device "$@" $precision "$2 $3, batch $4, $precision, profile" profiles.jsonl --profile-ops
    done
  done
}

# The networks of the goals once more, each switch against the figure without it.
measure_switches() { # BIN
  for case in 'selfie_segmentation 256x256 2' 'rvm_mobilenetv3 512x288 1'; do
    chosen "$case" || continue
    for switch in no-async-transfers no-pinned-memory device-tune=fast; do
      # shellcheck disable=SC2086
      set -- "$1" $case
      on_device "$@" fp32 "$2 $3, batch $4, fp32, --$switch" "switch_$switch.jsonl" "--$switch"
    done
  done
}

measure_jobs() { # BIN CLIP
  for who in on off; do
    step "packed frames, device $who" '' "$1/vrseg" "synth:3840x1920,sbs,hequirect,frames=$job_frames" -o "hash:$results/packed_$who.hash" \
      --output-mode alpha --model selfie_segmentation --backend opencl ${device:+--device "$device"} --device-frames $who --streams 1 \
      --metrics-file "$results/packed_$who.prom" --progress none
  done
  chosen rvm_mobilenetv3 || return 0
  # Its mattes first, by which the device's are judged, and which leave the device its kernels; then the times, with nothing but the work in them.
  step 'mattes of a video, cpu' '' "$1/vrseg" "$2" -o "$scratch/cpu.mkv" --output-mode matte --encoder ffv1 --model rvm_mobilenetv3 --precision fp32 \
    --backend cpu --max-frames "$job_frames" --progress none
  step 'mattes of a video, opencl' matte.txt "$1/vrseg" "$2" -o null: --output-mode matte --model rvm_mobilenetv3 --precision fp32 \
    --backend opencl ${device:+--device "$device"} --truth "$scratch/cpu.mkv" --max-frames "$job_frames" --progress none
  for who in cpu opencl; do
    only=
    [ $who = cpu ] || only=${device:+--device "$device"}
    # shellcheck disable=SC2086
    step "a video, $who" '' "$1/vrseg" "$2" -o null: --output-mode matte --model rvm_mobilenetv3 --precision fp32 --backend $who $only \
      --max-frames "$job_frames" --metrics-file "$results/video_$who.prom" --progress none
  done
}

# Rounds of one of ours beside one of each peer.  A peer that fails, or has no such network, is not asked again.
compare() { # BIN NETWORK SIZE BATCH PEER...
  bin=$1 network=$2 size=$3 batch=$4
  shift 4
  round=1 without=
  while [ $round -le "${VRS_GPU_ROUNDS:-5}" ]; do
    rm -f "$results/round.json"
    on_device "$bin" "$network" "$size" "$batch" fp32 "$network $size, batch $batch, beside peers" round.json
    [ ! -f "$results/round.json" ] || any_awk -v network="$network" -v size="$size" -v batch="$batch" '
      match($0, /"median_ms": *[0-9.eE+-]+/) {
        value = substr($0, RSTART, RLENGTH)
        printf "{\"engine\": \"vrseg\", \"network\": \"%s\", \"size\": \"%s\", \"batch\": %s, \"precision\": \"fp32\", %s}\n", network, size, batch,
          value
      }' "$results/round.json" >>"$results/peers.jsonl"
    rm -f "$results/round.json"
    for peer in "$@"; do
      case " $without " in *" $peer "*) continue ;; esac
      run_peer "$peer" || without="$without $peer"
    done
    round=$((round + 1))
  done
}

# Programs of the system, python3 and the shell among them, run with its own libraries.
run_peer() { # PEER
  case $1 in
    *.py=*) set -- "$1" python3 "${1%=*}" "${1##*=}" ;;
    *) set -- "$1" "$1/peer" ;;
  esac
  title="peer ${1##*/}, $network $size, batch $batch" kept=$prefix
  shift
  is_program "$1" || prefix=
  step "$title" peers.jsonl "$@" "$network" "$size" "$batch" "$seconds" "$models"
  prefix=$kept
  return $((code != 0))
}

measure_peers() { # BIN PEERS MODELS
  bin=$1 peers=$2 models=$3
  set --
  for folder in "$peers"/* ${VRS_GPU_PEERS:-}; do
    [ ! -x "$folder/peer" ] || set -- "$@" "$folder"
  done
  if command -v python3 >/dev/null 2>&1; then
    for engine in $(python3 "$here/measure-gpu-peer.py" --there 2>/dev/null); do set -- "$@" "$here/measure-gpu-peer.py=$engine"; done
  fi
  [ $# -gt 0 ] || return 0
  for case in 'selfie_segmentation 256x256 2' 'rvm_mobilenetv3 512x288 1' 'selfie_segmentation 256x256 1'; do
    # shellcheck disable=SC2086
    ! chosen "$case" || compare "$bin" $case "$@"
  done
}

note_run() { # BIN
  # shellcheck disable=SC2086
  version=$($prefix "$1/vrseg" --version 2>/dev/null | sed -n 1p) || version=
  {
    printf 'date\t%s\n' "$(date -u '+%Y-%m-%d %H:%M UTC')"
    printf 'seconds\t%s\n' "$seconds"
    printf 'libc\t%s\n' "$origin"
    printf 'version\t%s\n' "$version"
    printf 'cpu\t%s\n' "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | sed -n 1p)"
    printf 'cpus\t%s\n' "$(grep -c '^processor' /proc/cpuinfo)"
    printf 'tests\t%s\n' "$(echo $engine_tests | wc -w | tr -d ' ')"
  } >"$results/run.tsv"
}

wanted() { # GROUP
  case " ${VRS_GPU_STEPS:-tests networks profiles frames jobs peers switches} " in *" $1 "*) return 0 ;; *) return 1 ;; esac
}

measure() { # BIN TESTS CLIP PEERS ONNX
  export XDG_CACHE_HOME="$scratch/cache"
  note_run "$1"
  step 'devices' device.txt "$1/vrseg" --hardware
  ! command -v nvidia-smi >/dev/null 2>&1 || nvidia-smi >>"$results/device.txt" 2>&1 || true
  step 'ceilings' ceilings.json "$2/device_ceilings" ${device:+"$device"}
  ! wanted tests || run_tests "$2"
  ! wanted frames || step '8K frames' frames.jsonl "$2/frame_rate" "$device" "${VRS_GPU_SIZE:-8192x4096}" 256 "${VRS_GPU_FRAMES:-20}"
  ! wanted profiles || measure_profiles "$1"
  ! wanted networks || measure_networks "$1"
  ! wanted jobs || measure_jobs "$1" "$3"
  ! wanted peers || measure_peers "$1" "$4" "$5"
  ! wanted switches || measure_switches "$1"
}

summary() { # RESULTS
  any_awk -v dir="$1" -f "$here/measure-gpu.awk"
}

finish() {
  trap - EXIT INT TERM HUP
  summary "$results" >"$results/summary.txt" || true
  cat "$results/summary.txt"
  rm -rf "$scratch"
}

here=$(cd "$(dirname "$0")" && pwd)
engine_tests="$(tests_among "$here"/../tests/unit/opencl/test_ocl_*.c) test_packer" # a pack has its own
command=${1:-run}
device=${VRS_GPU_DEVICE:-} seconds=${VRS_GPU_SECONDS:-3} job_frames=${VRS_GPU_JOB_FRAMES:-40}
case $command in
  pack)
    [ $# -ge 2 ] || { usage >&2; exit 2; }
    shift
    pack "$@"
    exit
    ;;
  programs)
    list_programs
    exit
    ;;
  summary)
    [ $# -eq 2 ] && [ -d "$2" ] || { usage >&2; exit 2; }
    summary "$2"
    exit
    ;;
  run | here) ;;
  -h | --help)
    usage
    exit
    ;;
  *)
    usage >&2
    exit 2
    ;;
esac
results=${2:-gpu-results}
[ ! -e "$results/steps.tsv" ] || fail "$results holds results already; name another folder"
mkdir -p "$results"
results=$(cd "$results" && pwd)
scratch=$(mktemp -d)
# What was measured until then counts also where the run is stopped.
trap 'rm -rf "$scratch"' EXIT
trap 'finish; exit 130' INT TERM HUP
prefix=
limit=
origin=system
! command -v timeout >/dev/null 2>&1 || limit="timeout ${VRS_GPU_LIMIT:-600}"
find_driver
if [ "$command" = here ]; then
  build=${VRS_GPU_BUILD:-$here/../build/release}
  measure "$build/bin" "$build/tests" "$here/../tests/data/person_vr180_sbs.mp4" /nonexistent "$here/../build/share/vrseg/models"
else
  [ -f "$here/payload.tar.xz" ] || fail "there is no $here/payload.tar.xz; make one: scripts/measure-gpu.sh pack FOLDER"
  tool xz -dc "$here/payload.tar.xz" | tool tar -C "$scratch" -x
  engine_tests=$(tests_among "$scratch"/tree/tests/test_*)
  launcher "$scratch/tree"
  mv "$scratch"/tree/onnx/* "$scratch/tree/share/vrseg/models/" 2>/dev/null || true
  measure "$scratch/tree/bin" "$scratch/tree/tests" "$scratch/tree/person_vr180_sbs.mp4" "$scratch/tree/peers" "$scratch/tree/share/vrseg/models"
fi
finish
