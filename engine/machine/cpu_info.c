/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <cpuid.h>
#include <stdlib.h>
#include <string.h>

#include "base/str_parse.h"
#include "machine/cpu_features.h"
#include "machine/sysfs.h"
#include "machine/system_info.h"

#define CPU_BLOCK 16384 /* bytes of /proc/cpuinfo read: the first processor's block is 2 to 4 KiB */

/* Signatures of CPUID leaf 0x40000000 as their vendors document them. */
static const struct {
	const char *signature, *name;
} hypervisors[] = {
	{"KVMKVMKVM", "KVM"},         {"Linux KVM Hv", "KVM"},   {"Microsoft Hv", "Hyper-V"}, {"VMwareVMware", "VMware"},
	{"XenVMMXenVMM", "Xen"},      {"TCGTCGTCGTCG", "QEMU"},  {"VBoxVBoxVBox", "VirtualBox"}, {"bhyve bhyve ", "bhyve"},
	{"ACRNACRNACRN", "ACRN"},     {" prl hyperv ", "Parallels"},
};

static const char *hypervisor_of_cpu(void)
{
	unsigned words[3], max_leaf;
	char signature[13] = "";

	__cpuid(0x40000000, max_leaf, words[0], words[1], words[2]);
	memcpy(signature, words, 12);
	(void)max_leaf;
	for (size_t i = 0; i < sizeof hypervisors / sizeof hypervisors[0]; i++) {
		if (strcmp(signature, hypervisors[i].signature) == 0)
			return hypervisors[i].name;
	}
	return "unknown kind";
}

/* The names that firmware tables and Xen's own file give; for replay, where CPUID is another machine's. */
static const char *hypervisor_of_files(void)
{
	static const char *const known[][2] = {
		{"QEMU", "KVM"}, {"KVM", "KVM"}, {"Amazon EC2", "KVM"}, {"Google", "KVM"}, {"VMware", "VMware"},
		{"Microsoft", "Hyper-V"}, {"innotek", "VirtualBox"}, {"Xen", "Xen"},
	};
	char text[128];

	if (vrs_sysfs_text(text, sizeof text, "/sys/hypervisor/type") && strcmp(text, "xen") == 0)
		return "Xen";
	if (vrs_sysfs_text(text, sizeof text, "/sys/class/dmi/id/sys_vendor")) {
		for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
			if (strstr(text, known[i][0]))
				return known[i][1];
		}
	}
	return "unknown kind";
}

static void read_hypervisor(struct vrs_machine *machine, const char *flags)
{
	const char *name = "none";

	if (strstr(flags, " hypervisor"))
		name = vrs_sysfs_replay() ? hypervisor_of_files() : hypervisor_of_cpu();
	(void)vrs_strcpy(machine->hypervisor, sizeof machine->hypervisor, name);
}

/* The features that kernels will use; in replay those of the recorded flags, under the same mask. */
static unsigned features_of(const char *flags)
{
	const char *mask = getenv("VRSEG_CPU");
	unsigned features;

	if (!vrs_sysfs_replay())
		return vrs_cpu_features();
	features = vrs_cpu_features_from_flags(flags);
	if (mask)
		(void)vrs_cpu_features_mask(features, mask, &features, NULL); /* a malformed mask masks nothing, as on the real machine */
	return features;
}

void vrs_cpu_info_read(struct vrs_machine *machine)
{
	char text[CPU_BLOCK], flags[4096];
	unsigned features;

	if (!vrs_sysfs_text(text, sizeof text, "/proc/cpuinfo"))
		vrs_absent_set(machine, "cpu model", "/proc/cpuinfo is not readable");
	else if (!vrs_sysfs_field(text, "model name", machine->cpu_model, sizeof machine->cpu_model))
		vrs_absent_set(machine, "cpu model", "/proc/cpuinfo has no line \"model name\"");
	(void)vrs_sysfs_field(text, "vendor_id", machine->cpu_vendor, sizeof machine->cpu_vendor); /* "" when absent */
	if (!vrs_sysfs_field(text, "microcode", machine->microcode, sizeof machine->microcode))
		vrs_absent_set(machine, "microcode", "/proc/cpuinfo has no line \"microcode\"");
	if (vrs_sysfs_field(text, "flags", flags, sizeof flags))
		read_hypervisor(machine, flags);
	else
		vrs_absent_set(machine, "hypervisor", "/proc/cpuinfo has no line \"flags\"");
	features = features_of(flags);
	vrs_cpu_features_text(features, machine->cpu_features, sizeof machine->cpu_features);
	(void)vrs_strcpy(machine->isa, sizeof machine->isa, vrs_cpu_isa(features));
}

/* Governor, driver and clocks of all CPUs with cpufreq; differing governors become "mixed". */
static void add_policy(void *cookie, const char *cpu)
{
	struct vrs_machine *machine = cookie;
	char governor[24];
	int64_t khz;

	if (vrs_sysfs_text(governor, sizeof governor, "%s/cpufreq/scaling_governor", cpu)) {
		if (machine->governor[0] == '\0')
			(void)vrs_strcpy(machine->governor, sizeof machine->governor, governor);
		else if (strcmp(machine->governor, governor) != 0)
			(void)vrs_strcpy(machine->governor, sizeof machine->governor, "mixed");
	}
	if (vrs_sysfs_int(&khz, "%s/cpufreq/cpuinfo_max_freq", cpu) && khz > 0 && khz / 1000 > machine->max_mhz && khz < 100000000)
		machine->max_mhz = (int)(khz / 1000);
}

static void read_turbo(struct vrs_machine *machine)
{
	int64_t value;

	if (vrs_sysfs_int(&value, "/sys/devices/system/cpu/intel_pstate/no_turbo")) {
		machine->turbo_known = true;
		machine->turbo = value == 0;
	} else if (vrs_sysfs_int(&value, "/sys/devices/system/cpu/cpufreq/boost") ||
		   vrs_sysfs_int(&value, "/sys/devices/system/cpu/cpu0/cpufreq/boost")) {
		machine->turbo_known = true;
		machine->turbo = value != 0;
	} else {
		vrs_absent_set(machine, "turbo", "neither intel_pstate/no_turbo nor cpufreq/boost exists");
	}
}

void vrs_clock_policy_read(struct vrs_machine *machine)
{
	/* Entries such as cpufreq and cpuidle also start with "cpu"; they hold no cpufreq folder and add nothing. */
	(void)vrs_sysfs_each("/sys/devices/system/cpu", "cpu", 4096, add_policy, machine);
	if (machine->governor[0] == '\0')
		vrs_absent_set(machine, "governor", "no cpufreq driver%s",
			       strcmp(machine->hypervisor, "none") != 0 && machine->hypervisor[0] ? ": the host of this virtual machine sets the clock" : "");
	/* "" when absent: */
	(void)vrs_sysfs_text(machine->cpufreq_driver, sizeof machine->cpufreq_driver, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver");
	(void)vrs_sysfs_text(machine->energy_preference, sizeof machine->energy_preference,
			     "/sys/devices/system/cpu/cpu0/cpufreq/energy_performance_preference");
	read_turbo(machine);
}
