/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/system_info.h"

#include <math.h>
#include <string.h>

#include "base/str_parse.h"
#include "machine/cgroup.h"
#include "machine/sysfs.h"

static void read_kernel(struct vrs_machine *machine)
{
	char release[80], text[4096];

	if (vrs_sysfs_text(release, sizeof release, "/proc/sys/kernel/osrelease"))
		(void)snprintf(machine->kernel, sizeof machine->kernel, "Linux %s", release);
	else
		vrs_absent_set(machine, "kernel", "/proc/sys/kernel/osrelease is not readable");
	if (!(vrs_sysfs_text(text, sizeof text, "/etc/os-release") || vrs_sysfs_text(text, sizeof text, "/usr/lib/os-release")) ||
	    !vrs_sysfs_field(text, "PRETTY_NAME", machine->os, sizeof machine->os))
		vrs_absent_set(machine, "system", "no PRETTY_NAME in /etc/os-release");
}

/* A line "MemTotal:  24684096 kB" in bytes; 0: no such line. */
static uint64_t meminfo(const char *text, const char *key)
{
	char value[64];
	int64_t kib;
	char *unit;

	if (!vrs_sysfs_field(text, key, value, sizeof value))
		return 0;
	unit = strstr(value, " kB");
	if (unit)
		*unit = '\0';
	return vrs_parse_int(value, 0, INT64_MAX / 1024, &kib) ? (uint64_t)kib * 1024 : 0;
}

static void read_memory(struct vrs_machine *machine, const struct vrs_cgroup *cgroup)
{
	char text[8192];
	uint64_t swap_free;

	if (vrs_sysfs_text(text, sizeof text, "/proc/meminfo")) {
		machine->memory_bytes = meminfo(text, "MemTotal");
		machine->memory_available_bytes = meminfo(text, "MemAvailable");
		machine->swap_bytes = meminfo(text, "SwapTotal");
		swap_free = meminfo(text, "SwapFree");
		machine->swap_used_bytes = machine->swap_bytes > swap_free ? machine->swap_bytes - swap_free : 0;
	} else {
		vrs_absent_set(machine, "swap", "/proc/meminfo is not readable");
	}
	if (machine->memory_bytes == 0)
		vrs_absent_set(machine, "memory", "no MemTotal in /proc/meminfo");
	else if (machine->memory_available_bytes == 0)
		vrs_absent_set(machine, "memory available", "no MemAvailable in /proc/meminfo");
	if (!cgroup->memory_known)
		vrs_absent_set(machine, "memory limit", "no control group of the memory controller is readable");
	/* A limit above the machine's memory limits nothing. */
	if (cgroup->memory_limit_bytes == UINT64_MAX || (machine->memory_bytes > 0 && cgroup->memory_limit_bytes >= machine->memory_bytes))
		return;
	machine->memory_limit_bytes = cgroup->memory_limit_bytes;
	vrs_absent_clear(machine, "memory available");
	if (machine->memory_available_bytes == 0 || cgroup->memory_headroom_bytes < machine->memory_available_bytes)
		machine->memory_available_bytes = cgroup->memory_headroom_bytes;
}

/* Rounded up: 1.5 CPUs are used up by two threads, not by one. */
static int under_quota(const struct vrs_cgroup *cgroup, int threads)
{
	double whole = ceil(cgroup->cpu_quota);

	return whole >= 1 && whole < threads ? (int)whole : threads;
}

int vrs_quota_threads(int allowed)
{
	struct vrs_cgroup cgroup;

	vrs_cgroup_read(&cgroup);
	return under_quota(&cgroup, allowed < 1 ? 1 : allowed);
}

int64_t vrs_machine_oom_kills(void)
{
	return vrs_cgroup_oom_kills();
}

static void apply_quota(struct vrs_machine *machine, const struct vrs_cgroup *cgroup)
{

	if (!cgroup->cpu_known)
		vrs_absent_set(machine, "cpu quota", "no control group of the cpu controller is readable");
	machine->cgroup_cpu_quota = cgroup->cpu_quota;
	machine->allowed_threads = under_quota(cgroup, machine->allowed_threads);
}

/* "always [madvise] never": the word in brackets is in force. */
static void read_huge_pages(struct vrs_machine *machine)
{
	char text[128];
	char *open_bracket, *close_bracket;

	if (vrs_sysfs_text(text, sizeof text, "/sys/kernel/mm/transparent_hugepage/enabled") && (open_bracket = strchr(text, '[')) &&
	    (close_bracket = strchr(open_bracket, ']'))) {
		*close_bracket = '\0';
		(void)vrs_strcpy(machine->huge_pages, sizeof machine->huge_pages, open_bracket + 1);
	} else {
		vrs_absent_set(machine, "huge pages", "/sys/kernel/mm/transparent_hugepage/enabled is not readable");
	}
}

/* Any mains supply that is on wins; else a discharging battery. Batteries of mice and the like say scope Device. */
static void add_supply(void *cookie, const char *supply)
{
	struct vrs_machine *machine = cookie;
	char type[32], text[32];
	int64_t online;

	if (vrs_sysfs_text(text, sizeof text, "%s/scope", supply) && strcmp(text, "Device") == 0)
		return;
	if (!vrs_sysfs_text(type, sizeof type, "%s/type", supply))
		return;
	if (strcmp(type, "Battery") != 0 && vrs_sysfs_int(&online, "%s/online", supply) && online > 0)
		(void)vrs_strcpy(machine->power_source, sizeof machine->power_source, "mains");
	if (strcmp(type, "Battery") == 0 && machine->power_source[0] == '\0' && vrs_sysfs_text(text, sizeof text, "%s/status", supply) &&
	    strcmp(text, "Discharging") == 0)
		(void)vrs_strcpy(machine->power_source, sizeof machine->power_source, "battery");
}

void vrs_power_source_read(struct vrs_machine *machine)
{
	(void)vrs_sysfs_each("/sys/class/power_supply", "", 64, add_supply, machine); /* no folder: reported here */
	if (machine->power_source[0] == '\0')
		vrs_absent_set(machine, "power source", "nothing in /sys/class/power_supply says that it supplies power");
}

void vrs_system_info_read(struct vrs_machine *machine)
{
	struct vrs_cgroup cgroup;

	vrs_cgroup_read(&cgroup);
	read_kernel(machine);
	read_memory(machine, &cgroup);
	apply_quota(machine, &cgroup);
	read_huge_pages(machine);
	vrs_power_source_read(machine);
}
