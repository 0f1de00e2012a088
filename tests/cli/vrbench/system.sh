#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Settings of the system on a false root: shown, changed on request, put back by reset, and after a command in whatever way it ends.  A setting
# that refuses every change, as some interrupts do, is neither noted nor in the way of a reset.
root=$PWD/root
export VRSEG_ROOT="$root"
mkdir -p "$root/sys/devices/system/cpu/cpu0/cpufreq" "$root/sys/devices/system/cpu/cpufreq" "$root/proc/sys/kernel" "$root/proc/irq/7"
echo powersave >"$root/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
echo 1 >"$root/sys/devices/system/cpu/cpufreq/boost"
echo 2 >"$root/proc/sys/kernel/randomize_va_space"
echo 0-7 >"$root/proc/irq/7/smp_affinity_list"
now() {
  cat "$root/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor" "$root/sys/devices/system/cpu/cpufreq/boost" \
    "$root/proc/sys/kernel/randomize_va_space" "$root/proc/irq/7/smp_affinity_list" | tr '\n' ' '
  echo
}
vrbench system show
echo "# all but ASLR"
vrbench system tune
now
vrbench system show | grep -c '^tuned: '
code=0
vrbench system tune 2>/dev/null || code=$?
echo "exit $code"
vrbench system reset
now
echo "# one, for a command"
vrbench system tune governor -- sh -c 'cat "$VRSEG_ROOT/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"; echo; exit 5' || echo "exit $?"
now
vrbench system tune governor -- sh -c 'kill -KILL $$' || echo "exit $?"
now
code=0
vrbench system tune governor -- no-such-command || code=$?
echo "exit $code"
now
echo "# one that refuses every change"
mkdir "$root/proc/irq/8"
ln -s /proc/self/uid_map "$root/proc/irq/8/smp_affinity_list" # may be opened for writing, and its writes fail
vrbench system tune
vrbench system reset
now
vrbench system tune -- true
now
rm -r "$root/proc/irq/8"
echo "# wrong usage"
for words in "" "nonsense" "show all" "tune isolated" "tune everything" "tune --" "reset"; do
  code=0
  # shellcheck disable=SC2086 # words, on purpose
  vrbench system $words 2>&1 | sed "s|$HOME|HOME|; s|${XDG_CACHE_HOME:-none}|CACHE|"
done
