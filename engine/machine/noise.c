/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of what disturbs a measurement. Kernel documentation: filesystems/proc.rst (stat, vmstat), admin-guide/pm/cpufreq.rst. */
#include <vrseg/noise.h>

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "machine/sensors.h"
#include "machine/sysfs.h"
#include "machine/system_info.h"

#define STAT_MAX (256 * 1024)   /* the lines of some 2000 processors come first */
#define VMSTAT_MAX (64 * 1024)

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t = {0};
	(void)clock_gettime(id, &t); /* both clocks exist since Linux 2.6.39 */
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* May this process run on a processor? In replay every recorded one counts. */
static bool is_ours(const cpu_set_t *allowed, bool known, unsigned cpu)
{
	return !known || (cpu < CPU_SETSIZE && CPU_ISSET(cpu, allowed));
}

/* "cpuN user nice system idle iowait irq softirq steal ..." of every processor, in ticks. */
static void read_processor_times(struct vrs_noise_reading *reading)
{
	cpu_set_t allowed;
	bool known = !vrs_sysfs_replay() && sched_getaffinity(0, sizeof allowed, &allowed) == 0;
	double tick = 1.0 / (double)(sysconf(_SC_CLK_TCK) > 0 ? sysconf(_SC_CLK_TCK) : 100), busy = 0, steal = 0;
	char *text = vrs_alloc(STAT_MAX);
	if (text && vrs_sysfs_text(text, STAT_MAX, "/proc/stat")) {
		for (const char *line = strstr(text, "\ncpu"); line; line = strstr(line + 1, "\ncpu")) {
			unsigned cpu;
			unsigned long long v[8];
			if (sscanf(line, " cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6],
				   &v[7]) != 9 || !is_ours(&allowed, known, cpu))
				continue;
			busy += tick * (double)(v[0] + v[1] + v[2] + v[5] + v[6]);
			steal += tick * (double)v[7];
			reading->cpus++;
		}
	}
	vrs_free(text);
	/* Some sandboxes show a file of zeros. */
	if (reading->cpus > 0 && busy > 0)
		reading->busy_seconds = busy;
	else
		reading->cpus = 0;
	/* A host that does not report steal looks exactly like one that never steals. */
	if (reading->cpus > 0 && steal > 0)
		reading->steal_seconds = steal;
}

/* A line "KEY NUMBER"; -1: there is none. */
static int64_t counter(const char *text, const char *key)
{
	size_t length = strlen(key);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		long long number;
		line += *line == '\n';
		if (strncmp(line, key, length) == 0 && line[length] == ' ')
			return sscanf(line + length, "%lld", &number) == 1 && number >= 0 ? number : -1;
	}
	return -1;
}

static void read_memory_events(struct vrs_noise_reading *reading)
{
	char *text = vrs_alloc(VMSTAT_MAX);
	if (text && vrs_sysfs_text(text, VMSTAT_MAX, "/proc/vmstat")) {
		reading->swapped_in_pages = counter(text, "pswpin");
		reading->oom_kills = counter(text, "oom_kill");
	}
	vrs_free(text);
}

static void read_policy(struct vrs_noise_reading *reading)
{
	struct vrs_machine *machine = vrs_calloc(1, sizeof *machine);
	if (!machine)
		return;
	vrs_clock_policy_read(machine);
	vrs_power_source_read(machine);
	(void)snprintf(reading->governor, sizeof reading->governor, "%s", machine->governor);
	reading->turbo = machine->turbo_known ? machine->turbo : -1;
	reading->battery = machine->power_source[0] ? strcmp(machine->power_source, "battery") == 0 : -1;
	vrs_free(machine);
}

double vrs_noise_clock_mhz(void)
{
	struct vrs_clocks clocks;
	vrs_clocks_read(&clocks);
	return clocks.count > 0 ? clocks.max : NAN;
}

void vrs_noise_read(struct vrs_noise_reading *ret_reading)
{
	struct vrs_noise_reading reading = {.busy_seconds = NAN, .steal_seconds = NAN, .swapped_in_pages = -1, .oom_kills = -1, .turbo = -1, .battery = -1};
	reading.monotonic_ns = clock_ns(CLOCK_MONOTONIC);
	reading.boottime_ns = clock_ns(CLOCK_BOOTTIME);
	reading.clock_mhz = vrs_noise_clock_mhz();
	reading.throttle_events = vrs_throttle_events();
	read_processor_times(&reading);
	read_memory_events(&reading);
	read_policy(&reading);
	*ret_reading = reading;
}
