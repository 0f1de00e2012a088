#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards measure-gpu.sh: what `pack` makes runs on a bare machine.  That machine is a root with a shell and a few tools: no xz, tar, awk or python, no
# OpenCL loader, no FFmpeg, no libstdc++ but the driver's.  Its driver is PoCL, in folders of its own.  Runs once with the C library of that root and
# once with the packed one, with a peer that was packed; the summary has its figures, and says that this is no GPU.
[ -f /etc/OpenCL/vendors/pocl.icd ] && command -v unshare >/dev/null && command -v xz >/dev/null && command -v mawk >/dev/null || exit 77
pocl=$(ls /usr/lib/*/libpocl.so.2) && [ -d /usr/share/pocl ] || exit 77
PATH=$PATH:/usr/sbin:/sbin
unshare -r -m sh -c 'mkdir -p t && mount --rbind /dev t && chroot / true' || exit 77 # no user namespaces here

root=$PWD/bare driver=/vendor/lib/driver
for folder in usr/bin usr/lib usr/lib64 vendor/lib/driver vendor/share proc sys dev tmp cache results; do mkdir -p "$root/$folder"; done
ln -s usr/lib usr/lib64 usr/bin "$root/"
# PROGRAM_OR_LIBRARY...: what these load, at its place; but for the driver's: in its own folder, if it is not the C library's.
add_libraries() { # FOLDER FILE...
  folder=$1
  shift
  for file in "$@"; do ldd "$file"; done | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p; s/^\t\(\/[^ ]*ld-linux[^ ]*\).*/\1/p' | sort -u | while read -r library
  do
    target=$root$(dirname "$library")
    case ${library##*/} in
      libc.so* | libm.so* | ld-linux* | libpthread* | libdl.so* | librt.so*) ;;
      *) [ -z "$folder" ] || target=$folder ;;
    esac
    mkdir -p "$target"
    cp -L "$library" "$target/"
  done
}
add_programs() {
  for name in "$@"; do
    cp -L "$(command -v "$name")" "$root/usr/bin/$name"
    add_libraries '' "$root/usr/bin/$name"
  done
}
# The C library comes whole.
libc=$(ldd "$(command -v dash)" | sed -n 's/.*=> \(\/[^ ]*libc\.so[^ ]*\).*/\1/p')
mkdir -p "$root$(dirname "$libc")"
for name in m mvec pthread dl rt resolv util; do
  for library in "$(dirname "$libc")/lib$name".so.[0-9]; do
    [ ! -f "$library" ] || cp -L "$library" "$root$(dirname "$libc")/"
  done
done
add_programs cat cp date dirname env grep ln ls mkdir mktemp mv rm sed tail timeout tr wc
cp -L "$(command -v dash)" "$root/usr/bin/sh"
cp -r /usr/share/pocl "$root/vendor/share/" # it looks for its files from where its library is
cp -r "$(dirname "$pocl")/pocl" "$root$driver/" # PoCL looks for it beside itself
cp -L "$pocl" "$root$driver/"
add_libraries "$root$driver" "$pocl" "$(dirname "$pocl")"/pocl/*.so
# PoCL links what it compiles, as a compiler does.
cp -L "$(command -v ld)" "$root/usr/bin/ld"
add_libraries "$root$driver" "$(command -v ld)"
gcc=$(dirname "$(ls /usr/lib/gcc/*/*/crtbegin.o | tail -n 1)")
mkdir -p "$root$gcc"
cp -L "$gcc"/crtbegin*.o "$gcc"/crtend*.o "$gcc/libgcc.a" "$gcc/libgcc_s.so" "$root$gcc/"
cp -L "$root$driver/libgcc_s.so.1" "$root$gcc/"
for name in libm.so libc.so libc_nonshared.a crti.o crtn.o; do cp -L "$(dirname "$libc")/$name" "$root$(dirname "$libc")/"; done
echo $driver/libpocl.so.2 >"$root$driver/bare.icd"

mkdir peer
cat >peer/peer <<'END'
#!/bin/sh
[ "$1" = selfie_segmentation ] || exit 77
echo "{\"engine\": \"a made-up peer\", \"network\": \"$1\", \"size\": \"$2\", \"batch\": $3, \"precision\": \"fp32\", \"median_ms\": 1000}"
END
chmod +x peer/peer
VRS_GPU_BUILD=$VRS_BIN/.. VRS_GPU_XZ='-0 -T0' VRS_GPU_MIB=200 \
  sh "$VRS_SOURCE_DIR/scripts/measure-gpu.sh" pack "$root/kit" --peer peer >packed 2>&1 || {
  cat packed
  exit 1
}

run() { # LIBC STEPS
  # shellcheck disable=SC2016
  unshare -r -m sh -c 'for each in dev proc sys; do mount --rbind /$each "$1/$each"; done
    shift
    exec chroot "$0" /usr/bin/env -i PATH=/usr/bin "$@"' "$root" "$root" \
    LD_LIBRARY_PATH=$driver OCL_ICD_VENDORS=$driver/bare.icd \
    POCL_CACHE_DIR=/cache VRS_GPU_LIBC="$1" VRS_GPU_STEPS="$2" VRS_GPU_NETWORKS='selfie_segmentation 256' VRS_GPU_BATCHES=2 \
    VRS_GPU_SECONDS=0.1 VRS_GPU_SIZE=512x256 VRS_GPU_FRAMES=2 VRS_GPU_JOB_FRAMES=2 VRS_GPU_ROUNDS=1 \
    /kit/measure-gpu.sh run "/results/$1" >"$1.out" 2>&1 || echo "exit $?"
  echo "## C library: $1"
  grep '^libc' "$root/results/$1/run.tsv"
  sed -n '/^steps/p; /^FAILED/,$p' "$root/results/$1/summary.txt"
  # figures are the machine's
  sed -n '/^device/p; /^GOAL/,/^in doubt/p; /^PEERS/,/^$/p; /^JOBS/,/^$/p' "$root/results/$1/summary.txt" |
    sed -E 's/device    .*: no GPU/device: no GPU/; s/ +[0-9]+(\.[0-9]+)?( ms| frames\/s| %)?( bf16)?/ N/g; s/  +/ /g'
  ! grep -q '^FAILED' "$root/results/$1/summary.txt" || cat "$1.out" "$root/results/$1/errors.txt"
}
run system 'networks frames jobs peers'
run own 'frames peers'
