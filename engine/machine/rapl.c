/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernel documentation: power/powercap/powercap.rst. Counters are in microjoules and wrap at max_energy_range_uj. */
#include <string.h>

#include "base/clock.h"
#include "machine/sensors.h"
#include "machine/sysfs.h"

#define POWER_SPAN_NS UINT64_C(10000000) /* a shorter span would show the counter's own steps of about 1 ms */

struct zone_walk {
	struct vrs_machine *machine;
	int index;
	bool unreadable;
};

/* "package-0", or "package-0 dram" for the zone intel-rapl:0:1 below intel-rapl:0. */
static void zone_name(const char *zone, char name[64])
{
	char own[24] = "zone", parent[24] = "";
	const char *first = strchr(strrchr(zone, '/'), ':');
	const char *last = strrchr(zone, ':');

	(void)vrs_sysfs_text(own, sizeof own, "%s/name", zone);
	if (first != last) {
		(void)vrs_sysfs_text(parent, sizeof parent, "%.*s/name", (int)(last - zone), zone);
	}
	(void)snprintf(name, 64, "%s%s%s", parent, parent[0] ? " " : "", own);
}

static void add_zone(void *cookie, const char *zone)
{
	struct zone_walk *walk = cookie;
	struct vrs_machine *machine = walk->machine;
	char name[64];
	int64_t raw, range = 0;
	int i = walk->index++;
	uint64_t now = vrs_now_ns(), then, before;

	if (!vrs_sysfs_int(&raw, "%s/energy_uj", zone) || raw < 0) {
		walk->unreadable = true;
		return;
	}
	(void)vrs_sysfs_int(&range, "%s/max_energy_range_uj", zone); /* stays 0 when absent: then a wrap cannot be undone and gives no power */
	zone_name(zone, name);
	then = machine->sensor_memory.rapl_time_ns[i];
	before = machine->sensor_memory.rapl_uj[i] + machine->sensor_memory.rapl_wrapped_uj[i];
	if (then > 0 && (uint64_t)raw < machine->sensor_memory.rapl_uj[i])
		machine->sensor_memory.rapl_wrapped_uj[i] += range > 0 ? (uint64_t)range : machine->sensor_memory.rapl_uj[i] - (uint64_t)raw;
	uint64_t total = (uint64_t)raw + machine->sensor_memory.rapl_wrapped_uj[i];
	(void)vrs_sensor_add(machine, VRS_SENSOR_ENERGY, (double)total * 1e-6, "%s energy", name);
	if (then > 0 && now - then >= POWER_SPAN_NS && total > before)
		(void)vrs_sensor_add(machine, VRS_SENSOR_POWER, (double)(total - before) * 1e3 / (double)(now - then), "%s power", name);
	machine->sensor_memory.rapl_uj[i] = (uint64_t)raw;
	machine->sensor_memory.rapl_time_ns[i] = now;
}

void vrs_rapl_read(struct vrs_machine *machine)
{
	struct zone_walk walk = {.machine = machine};

	(void)vrs_sysfs_each("/sys/class/powercap", "intel-rapl:", VRS_MACHINE_MAX_RAPL, add_zone, &walk);
	if (walk.unreadable && !vrs_machine_sensor(machine, VRS_SENSOR_ENERGY, NULL))
		vrs_absent_set(machine, "energy", "energy_uj in /sys/class/powercap is readable by root only");
}
