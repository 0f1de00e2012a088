#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The release build's own AVX-512 machine code on an emulated CPU: boots Linux in Bochs (model corei7_skylake_x) with the test programs in
# its initramfs, and ends 0 when every one of them did, having found AVX-512.  Minutes; exit 77 where a tool is missing.  Debian packages:
# bochs bochsbios vgabios grub-pc-bin grub-common xorriso mtools cpio busybox-static and a linux-image (VRS_BOCHS_KERNEL=FILE names another).
#   bochs.sh BUILD_DIR [PROGRAM[,ARGUMENT...] ...]     programs of BUILD_DIR/tests; without any: all that the README names
set -eu
build=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || set -- test_act_rows test_conv_rows test_dwconv_rows test_eltwise_rows test_picture test_resize_pool_rows \
  test_cpu_graphs test_golden,avx512

kernel=${VRS_BOCHS_KERNEL:-$(ls /boot/vmlinuz-* 2>/dev/null | tail -1)}
busybox=${VRS_BOCHS_BUSYBOX:-$(command -v busybox || true)}
for tool in bochs grub-mkrescue xorriso cpio; do
  command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
[ -r "$kernel" ] || { echo "skipped: no Linux image in /boot, and VRS_BOCHS_KERNEL names none"; exit 77; }
[ -x "$busybox" ] || { echo "skipped: no busybox (static)"; exit 77; }

work=$(mktemp -d "${TMPDIR:-/tmp}/vrs-bochs.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
root=$work/root
mkdir -p "$root/dev" "$root/proc" "$root/sys" "$root/bin" "$root/tmp" "$work/iso/boot/grub"

# Programs, their libraries and files at the paths that they were built with.
put() {
  mkdir -p "$root$(dirname "$1")"
  cp -rL "$1" "$root$1"
}
cp "$busybox" "$root/bin/busybox"
for item in "$@"; do
  program=$build/tests/${item%%,*}
  put "$program"
  ldd "$program" | awk '/\// { print $1 ~ /^\// ? $1 : $3 }' | while read -r library; do
    [ -e "$root$library" ] || put "$library"
  done
done
put "$here/tests/golden"
[ ! -d "$build/../share" ] || put "$(cd "$build/.." && pwd)/share"

{
  echo '#!/bin/busybox sh'
  echo 'b=/bin/busybox'
  echo '$b mount -t proc proc /proc; $b mount -t sysfs sysfs /sys; $b mount -t devtmpfs dev /dev'
  echo '$b grep -qw avx512f /proc/cpuinfo || echo "no AVX-512 here"'
  for item in "$@"; do
    name=${item%%,*}
    arguments=$(echo "$item" | tr ',' ' ')
    level=
    [ "$name" = "$item" ] || level="VRSEG_CPU=${item##*,} "
    echo "cd $build; ${level}./tests/$arguments >/out 2>&1; rc=\$?"
    echo "\$b grep -v '^\\[ *\\(RUN\\|OK\\)' /out; echo \"result $name \$rc \$(\$b grep -c 'avx512' /out)\""
  done
  echo 'echo finished; $b sleep 2; $b poweroff -f'
} >"$root/init"
chmod +x "$root/init"
(cd "$root" && find . | cpio -o -H newc --quiet -R 0:0 | gzip -1) >"$work/iso/boot/initrd.gz"
cp "$kernel" "$work/iso/boot/vmlinuz"

# Bochs 2.7 reports the size of the whole register state in the uncompacted form, on which Linux gives up: no compaction.
cat >"$work/iso/boot/grub/grub.cfg" <<END
set timeout=0
linux /boot/vmlinuz console=ttyS0 quiet nosmp nokaslr mitigations=off tsc=reliable lpj=1000000 no_timer_check noxsaves clearcpuid=xsavec,xsaves
initrd /boot/initrd.gz
boot
END
grub-mkrescue -o "$work/cd.iso" "$work/iso" >"$work/iso.log" 2>&1 || { cat "$work/iso.log"; exit 1; }

cat >"$work/bochsrc" <<END
cpu: model=corei7_skylake_x, count=1, ips=100000000, reset_on_triple_fault=0, ignore_bad_msrs=1
memory: guest=1024, host=1024
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
ata0-master: type=cdrom, path=$work/cd.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$work/serial.txt
log: $work/bochs.log
panic: action=fatal
display_library: rfb, options="timeout=0"
sound: driver=dummy
clock: sync=none
END
echo c >"$work/commands" # Debian's Bochs starts in its debugger: continue
timeout "${VRS_BOCHS_SECONDS:-3000}" bochs -q -f "$work/bochsrc" -rc "$work/commands" </dev/null >"$work/screen.txt" 2>&1 || true

tr -d '\r' <"$work/serial.txt"
# A program's exit code is the number of its failed tests.  One failure is Bochs's own: its VCVTPS2PH rounds some values down that CPUs round
# up; the AVX2 kernel, which a CPU runs rightly, fails there the same way.
tr -d '\r' <"$work/serial.txt" | awk -v want=$# '
  /^\[  FAILED  \] check_half_rounding_avx/ && !name[$4]++ { excused++ }
  # result PROGRAM EXIT LINES-WITH-avx512
  /^result / {
    seen++
    if ($3 != excused + 0 || $4 == 0)
      bad = 1
    excused = 0
  }
  /no AVX-512 here|cannot run avx512/ { bad = 1 }
  /^finished/ { finished = 1 }
  END {
    if (!finished || seen != want) {
      print "Bochs ended early: " seen + 0 " of " want " programs"
      exit 1
    }
    exit bad
  }'
