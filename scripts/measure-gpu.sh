#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Measures the OpenCL engine on a GPU in one command.  The machine with the GPU needs its driver and nothing else: no packages, no network.
#
#   scripts/measure-gpu.sh pack FOLDER        put programs, libraries and networks of build/release into FOLDER (at most 64 MiB)
#   FOLDER/measure-gpu.sh [run] [RESULTS]     on the other machine: measure, and write RESULTS (default: gpu-results)
#   scripts/measure-gpu.sh here [RESULTS]     measure with build/release on this machine (PoCL where there is no GPU)
#
# RESULTS gets device.txt (what there is), ceilings.json (multiply-adds, memory, transfers, launches), networks.jsonl (each network, size and
# precision on the device and on the CPU), frames.txt (8K side by side, with and without transfers), packed.txt (frames packed with their mattes by
# the device and by the CPU), matte.txt (a whole video on both), tests.txt (the unit tests of the engine on this device), commands.txt, errors.txt,
# peers.txt (what other engines give, where they are installed), and summary.txt.
# Environment: VRS_GPU_DEVICE (as --device; default: the first GPU), VRS_GPU_SECONDS (of each network, default 3), VRS_GPU_BATCHES (default 1 2 8).
set -eu

usage() {
  sed -n 's/^#   //p' "$0"
}

fail() {
  echo "measure-gpu: $*" >&2
  exit 1
}

programs='bin/vrseg bin/vrbench'
test_programs='device_ceilings frame_rate test_ocl_element test_ocl_conv test_ocl_graphs
  test_ocl_staging test_ocl_frame_scale test_ocl_frame_compose test_ocl_frame_pack test_packer'

# Programs, every library that they load but for the driver's, networks and a clip; compressed, with the tools to unpack them.
pack() { # FOLDER
  source=$(cd "$(dirname "$0")/.." && pwd)
  build=$source/build/release
  [ -x "$build/bin/vrseg" ] || fail "there is no $build/bin/vrseg; build it first: ./test.sh --release"
  mkdir -p "$1"
  out=$(cd "$1" && pwd)
  rm -rf "$out/tree" "$out/payload.tar.xz"
  mkdir -p "$out/tree/bin" "$out/tree/lib" "$out/tree/share" "$out/tree/tests" "$out/start"
  for file in $programs; do cp "$build/$file" "$out/tree/bin/"; done
  for file in $test_programs; do
    [ ! -x "$build/tests/$file" ] || cp "$build/tests/$file" "$out/tree/tests/"
  done
  cp -r "$source/build/share/vrseg" "$out/tree/share/"
  cp "$source/tests/data/person_vr180_sbs.mp4" "$out/tree/"
  for file in "$out"/tree/bin/* "$out"/tree/tests/*; do ldd "$file"; done | awk '/=> \//{ print $3 } /^\t\/.*ld-linux/{ print $1 }' | sort -u |
    while read -r library; do cp -L "$library" "$out/tree/lib/"; done
  strip "$out"/tree/lib/*.so* "$out"/tree/bin/* "$out"/tree/tests/* 2>/dev/null || true
  tar -C "$out" -c tree | xz -9e -T0 >"$out/payload.tar.xz"
  # xz itself may not be there
  cp -L "$(command -v xz)" "$out/start/"
  ldd "$(command -v xz)" | awk '/=> \//{ print $3 } /^\t\/.*ld-linux/{ print $1 }' | while read -r library; do cp -L "$library" "$out/start/"; done
  rm -rf "$out/tree"
  cp "$0" "$out/measure-gpu.sh"
  du -sk "$out" | awk '{ printf "measure-gpu: %s holds %.1f MiB\n", $2, $1 / 1024; exit $1 > 65536 }' || fail "$out is larger than 64 MiB"
}

unpack() { # FOLDER TARGET
  if command -v xz >/dev/null 2>&1; then
    xz -dc "$1/payload.tar.xz" | tar -C "$2" -x
  else
    "$1/start/ld-linux-x86-64.so.2" --library-path "$1/start" "$1/start/xz" -dc "$1/payload.tar.xz" | tar -C "$2" -x
  fi
}

# Programs run with the system's C library where it is new enough for them, since the driver needs at least its own; else with the one that came
# along.
launcher() { # TREE
  drivers=/usr/lib/x86_64-linux-gnu:/lib/x86_64-linux-gnu:/usr/lib64:/usr/local/nvidia/lib64:/usr/local/nvidia/lib:/usr/local/cuda/lib64:/opt/rocm/lib
  own=$1/lib-system
  mkdir -p "$own"
  for file in "$1"/lib/*; do
    case ${file##*/} in
      ld-linux* | libc.so* | libm.so* | libpthread* | libdl.so* | librt.so* | libresolv* | libmvec* | libgcc_s* | libstdc++*) ;;
      *) ln -sf "$file" "$own/" ;;
    esac
  done
  if LD_LIBRARY_PATH=$own:$drivers "$1/bin/vrseg" --version >/dev/null 2>&1; then
    prefix="env LD_LIBRARY_PATH=$own:$drivers"
  else
    prefix="$1/lib/ld-linux-x86-64.so.2 --library-path $1/lib:$drivers"
  fi
}

# A driver without an .icd file is named to the loader.
find_driver() {
  [ -z "${OCL_ICD_VENDORS:-}" ] && [ -z "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || return 0
  for folder in /usr/lib/x86_64-linux-gnu /usr/lib64 /usr/local/nvidia/lib64 /usr/local/nvidia/lib /opt/rocm/lib; do
    for name in libnvidia-opencl.so.1 libamdocl64.so libigdrcl.so; do
      [ ! -e "$folder/$name" ] || {
        mkdir -p "$scratch/vendors"
        echo "$folder/$name" >"$scratch/vendors/found.icd"
        export OCL_ICD_VENDORS="$scratch/vendors"
        return 0
      }
    done
  done
}

# The output of a command, appended to a file of the results; the command itself goes to commands.txt.
step() { # TITLE FILE COMMAND...
  title=$1 file=$results/$2
  shift 2
  echo "== $title"
  echo "$*" >>"$results/commands.txt"
  # shellcheck disable=SC2086
  $prefix "$@" >>"$file" 2>>"$results/errors.txt" || echo "measure-gpu: $title failed (exit $?)" | tee -a "$results/errors.txt"
}

measure_networks() { # BIN
  for network in 'selfie_segmentation 256x256' 'selfie_segmentation_landscape 256x144' 'rvm_mobilenetv3 512x288' 'rvm_mobilenetv3 352x192'; do
    # shellcheck disable=SC2086
    set -- "$1" $network
    for batch in ${VRS_GPU_BATCHES:-1 2 8}; do
      for precision in fp32 fp16; do
        step "$2 $3, batch $batch, $precision" networks.jsonl "$1/vrbench" --net-only --model "$2" --input-size "$3" --batch-size $batch \
          --precision $precision --backend opencl ${device:+--device "$device"} --duration "$seconds" --json -
      done
      step "$2 $3, batch $batch, CPU" networks.jsonl "$1/vrbench" --net-only --model "$2" --input-size "$3" --batch-size $batch --backend cpu \
        --duration "$seconds" --json -
    done
  done
}

measure() { # BIN TESTS CLIP
  mkdir -p "$results"
  : >"$results/errors.txt"
  find_driver
  step 'devices' device.txt "$1/vrseg" --hardware
  [ ! -x "$2/device_ceilings" ] || step 'ceilings' ceilings.json "$2/device_ceilings" ${device:+"$device"}
  for test in $test_programs; do
    case $test in
      test_*) [ ! -x "$2/$test" ] || step "$test" tests.txt "$2/$test" ;;
    esac
  done
  measure_networks "$1"
  [ ! -x "$2/frame_rate" ] || step '8K frames' frames.txt "$2/frame_rate" ${device:+"$device"}
  for backend in opencl cpu; do
    step "a video, $backend" matte.txt "$1/vrseg" "$3" -o "$scratch/$backend.mkv" --output-mode matte --encoder ffv1 --backend $backend --stats \
      --progress none
  done
  for who in on off; do
    step "packed frames, device $who" packed.txt "$1/vrseg" "$3" -o null: --output-mode alpha --projection hequirect --backend opencl \
      --device-frames $who --stats --progress none
  done
  if command -v python3 >/dev/null 2>&1; then
    python3 -c 'import onnxruntime as o; print("onnxruntime", o.__version__, o.get_available_providers())' >"$results/peers.txt" 2>&1 || true
  fi
  command -v nvidia-smi >/dev/null 2>&1 && nvidia-smi >>"$results/device.txt" 2>&1
  summary >"$results/summary.txt"
  cat "$results/summary.txt"
}

# Milliseconds a run of every measured network, then the other figures.
summary() {
  echo "measured $(date -u +%Y-%m-%d), $seconds s each"
  awk '
    function get(key,   value) {
      if (!match($0, "\"" key "\":\"?[^,\"}]*")) return "?"
      value = substr($0, RSTART, RLENGTH)
      sub(/.*:"?/, "", value)
      return value
    }
    /"model"/ {
      printf "%s %sx%s batch %s, %s %s: median %.3f ms, least %.3f ms\n", get("model"), get("width"), get("height"), get("batch"), get("backend"),
        get("precision"), get("median_ms"), get("min_ms")
    }' "$results/networks.jsonl"
  for file in ceilings.json frames.txt errors.txt; do
    [ ! -s "$results/$file" ] || {
      echo "$file:"
      tail -n 20 "$results/$file"
    }
  done
}

here=$(cd "$(dirname "$0")" && pwd)
command=${1:-run}
device=${VRS_GPU_DEVICE:-} seconds=${VRS_GPU_SECONDS:-3}
case $command in
  pack)
    [ $# -eq 2 ] || { usage >&2; exit 2; }
    pack "$2"
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
mkdir -p "$results"
results=$(cd "$results" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
prefix=
if [ "$command" = here ]; then
  measure "$here/../build/release/bin" "$here/../build/release/tests" "$here/../tests/data/person_vr180_sbs.mp4"
else
  [ -f "$here/payload.tar.xz" ] || fail "there is no $here/payload.tar.xz; make one: scripts/measure-gpu.sh pack FOLDER"
  unpack "$here" "$scratch"
  launcher "$scratch/tree"
  measure "$scratch/tree/bin" "$scratch/tree/tests" "$scratch/tree/person_vr180_sbs.mp4"
fi
