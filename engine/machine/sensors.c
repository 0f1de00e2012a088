/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/sensors.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "machine/sysfs.h"

#define CPUINFO_MAX (4 * 1024 * 1024) /* /proc/cpuinfo of a thousand processors */

static const struct {
	const char *name, *unit;
} kind_table[VRS_SENSOR_KIND_COUNT] = {
	[VRS_SENSOR_TEMPERATURE] = {"temperature", "C"}, [VRS_SENSOR_FREQUENCY] = {"frequency", "MHz"},
	[VRS_SENSOR_POWER] = {"power", "W"},             [VRS_SENSOR_ENERGY] = {"energy", "J"},
	[VRS_SENSOR_FAN] = {"fan", "RPM"},               [VRS_SENSOR_UTILISATION] = {"utilisation", "%"},
	[VRS_SENSOR_MEMORY] = {"device memory", "MiB"},  [VRS_SENSOR_THROTTLE] = {"throttling", "count"},
	[VRS_SENSOR_STEAL] = {"steal", "%"},
};

const char *vrs_sensor_kind_name(enum vrs_sensor_kind kind)
{
	return (unsigned)kind < VRS_SENSOR_KIND_COUNT ? kind_table[kind].name : "unknown";
}

struct vrs_sensor *vrs_sensor_add(struct vrs_machine *machine, enum vrs_sensor_kind kind, double value, const char *name_fmt, ...)
{
	struct vrs_sensor *sensor;
	va_list args;

	if (!isfinite(value))
		return NULL;
	if (machine->sensor_count >= VRS_MACHINE_MAX_SENSORS) {
		vrs_absent_set(machine, "further sensors", "only the first %d are kept", VRS_MACHINE_MAX_SENSORS);
		return NULL;
	}
	sensor = &machine->sensors[machine->sensor_count++];
	*sensor = (struct vrs_sensor){.kind = kind, .value = value};
	(void)vrs_strcpy(sensor->unit, sizeof sensor->unit, kind_table[kind].unit);
	va_start(args, name_fmt);
	(void)vsnprintf(sensor->name, sizeof sensor->name, name_fmt, args); /* a cut name is still a name */
	va_end(args);
	return sensor;
}

static void add_clock(struct vrs_clocks *clocks, double mhz)
{
	clocks->min = clocks->count == 0 || mhz < clocks->min ? mhz : clocks->min;
	clocks->max = clocks->count == 0 || mhz > clocks->max ? mhz : clocks->max;
	clocks->sum += mhz;
	clocks->count++;
}

static void add_cpufreq(void *cookie, const char *cpu)
{
	int64_t khz;

	if (vrs_sysfs_int(&khz, "%s/cpufreq/scaling_cur_freq", cpu) && khz > 0)
		add_clock(cookie, (double)khz / 1000);
}

/* "cpu MHz" of /proc/cpuinfo is measured only where the CPU counts its own cycles (flag aperfmperf); elsewhere it repeats the nominal clock. */
static void read_cpuinfo_clocks(struct vrs_clocks *clocks)
{
	char *text = vrs_alloc(CPUINFO_MAX), flags[4096], value[32];
	double mhz;

	if (text && vrs_sysfs_text(text, CPUINFO_MAX, "/proc/cpuinfo") && vrs_sysfs_field(text, "flags", flags, sizeof flags) &&
	    strstr(flags, " aperfmperf")) {
		for (const char *p = strstr(text, "cpu MHz"); p; p = strstr(p + 1, "cpu MHz")) {
			if (vrs_sysfs_field(p, "cpu MHz", value, sizeof value) && vrs_parse_double(value, 1, 100000, &mhz))
				add_clock(clocks, mhz);
		}
	}
	vrs_free(text);
}

void vrs_clocks_read(struct vrs_clocks *ret_clocks)
{
	*ret_clocks = (struct vrs_clocks){.source = "cpufreq"};
	(void)vrs_sysfs_each("/sys/devices/system/cpu", "cpu", 4096, add_cpufreq, ret_clocks);
	if (ret_clocks->count == 0) {
		read_cpuinfo_clocks(ret_clocks);
		ret_clocks->source = "/proc/cpuinfo";
	}
}

static void read_clocks(struct vrs_machine *machine)
{
	struct vrs_clocks clocks;

	vrs_clocks_read(&clocks);
	if (clocks.count == 0) {
		vrs_absent_set(machine, "frequency", "no cpufreq driver, and /proc/cpuinfo shows only the nominal clock");
		return;
	}
	const double values[3] = {clocks.min, clocks.sum / clocks.count, clocks.max};
	static const char *const names[3] = {"min", "mean", "max"};
	for (int i = 0; i < 3; i++) {
		struct vrs_sensor *sensor = vrs_sensor_add(machine, VRS_SENSOR_FREQUENCY, values[i], "cpu frequency %s", names[i]);

		if (sensor)
			(void)snprintf(sensor->text, sizeof sensor->text, "of %d processors, %s", clocks.count, clocks.source);
	}
}

/* Events since boot: each core counts its own; all CPUs of a package show the package's count, so the largest stands for it. */
struct throttle {
	int64_t core_sum, package_max;
	bool found;
};

static void add_throttle(void *cookie, const char *cpu)
{
	struct throttle *throttle = cookie;
	int64_t count;

	if (!vrs_sysfs_int(&count, "%s/thermal_throttle/core_throttle_count", cpu) || count < 0 || count > INT32_MAX)
		return;
	throttle->found = true;
	throttle->core_sum += count;
	if (vrs_sysfs_int(&count, "%s/thermal_throttle/package_throttle_count", cpu) && count > throttle->package_max)
		throttle->package_max = count;
}

static struct throttle throttle_of_cpus(void)
{
	struct throttle throttle = {0};

	(void)vrs_sysfs_each("/sys/devices/system/cpu", "cpu", 4096, add_throttle, &throttle);
	return throttle;
}

int64_t vrs_throttle_events(void)
{
	struct throttle throttle = throttle_of_cpus();

	return throttle.found ? throttle.core_sum + throttle.package_max : -1;
}

static void read_throttle(struct vrs_machine *machine)
{
	struct throttle throttle = throttle_of_cpus();
	struct vrs_sensor *sensor;

	if (!throttle.found) {
		vrs_absent_set(machine, "cpu throttling", "no thermal_throttle counters in /sys/devices/system/cpu; a lower clock would be the only sign");
		return;
	}
	sensor = vrs_sensor_add(machine, VRS_SENSOR_THROTTLE, (double)throttle.core_sum, "cpu core throttle events");
	if (sensor)
		(void)vrs_strcpy(sensor->text, sizeof sensor->text, "since boot, all processors");
	sensor = vrs_sensor_add(machine, VRS_SENSOR_THROTTLE, (double)throttle.package_max, "cpu package throttle events");
	if (sensor)
		(void)vrs_strcpy(sensor->text, sizeof sensor->text, "since boot, the most of any package");
}

/* First line of /proc/stat: user nice system idle iowait irq softirq steal guest guest_nice, in ticks. Guest time is part of user time. */
static bool read_stat(uint64_t *ret_steal, uint64_t *ret_all)
{
	unsigned long long v[8];
	char text[512];
	uint64_t all = 0;

	if (!vrs_sysfs_text(text, sizeof text, "/proc/stat") ||
	    sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) != 8)
		return false;
	for (int i = 0; i < 8; i++)
		all += v[i];
	*ret_steal = v[7];
	*ret_all = all;
	return all >= v[7] && all > 0;
}

static void read_steal(struct vrs_machine *machine)
{
	uint64_t steal, all, before_steal = machine->sensor_memory.steal_ticks, before_all = machine->sensor_memory.all_ticks;
	struct vrs_sensor *sensor;

	if (strcmp(machine->hypervisor, "none") == 0) {
		vrs_absent_set(machine, "steal", "not a virtual machine, nobody can take time from it");
		return;
	}
	if (!read_stat(&steal, &all)) {
		vrs_absent_set(machine, "steal", "/proc/stat is not readable or too old to count it");
		return;
	}
	if (steal == 0) {
		/* A host that does not report steal looks exactly like one that never steals. */
		vrs_absent_set(machine, "steal", "the hypervisor has reported none since boot, and many never report it");
		return;
	}
	/* Ticks are 10 ms: fewer than 20 of them give no share worth printing, so the older start stays. */
	if (all < before_all + 20 || steal < before_steal) {
		before_steal = before_all = 0;
	} else {
		machine->sensor_memory.steal_ticks = steal;
		machine->sensor_memory.all_ticks = all;
	}
	sensor = vrs_sensor_add(machine, VRS_SENSOR_STEAL, 100.0 * (double)(steal - before_steal) / (double)(all - before_all), "cpu steal");
	if (sensor)
		(void)vrs_strcpy(sensor->text, sizeof sensor->text, before_all == 0 ? "since boot" : "since the last reading");
}

/* Every kind that nothing reported gets its reason. */
static void explain_missing(struct vrs_machine *machine)
{
	static const struct {
		enum vrs_sensor_kind kind;
		const char *reason;
	} table[] = {
		{VRS_SENSOR_TEMPERATURE, "no chip in /sys/class/hwmon and no zone in /sys/class/thermal reports one"},
		{VRS_SENSOR_POWER, "no chip, GPU or energy counter reports it (an energy counter gives power from the second reading on)"},
		{VRS_SENSOR_ENERGY, "no energy counter in /sys/class/powercap or /sys/class/hwmon"},
		{VRS_SENSOR_FAN, "no chip in /sys/class/hwmon reports one"},
		{VRS_SENSOR_UTILISATION, "no GPU driver reports it"},
		{VRS_SENSOR_MEMORY, "no GPU driver reports it"},
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		if (!vrs_machine_sensor(machine, table[i].kind, NULL))
			vrs_absent_set(machine, kind_table[table[i].kind].name, "%s", table[i].reason);
	}
}

void vrs_machine_read_sensors(struct vrs_machine *machine)
{
	vrs_absent_clear(machine, "further sensors");
	vrs_absent_clear(machine, "cpu throttling");
	vrs_absent_clear(machine, "nvidia sensors");
	for (int kind = 0; kind < VRS_SENSOR_KIND_COUNT; kind++)
		vrs_absent_clear(machine, kind_table[kind].name);
	machine->sensor_count = 0;
	read_clocks(machine);
	read_throttle(machine);
	read_steal(machine);
	vrs_rapl_read(machine);
	vrs_hwmon_read(machine);
	vrs_drm_read(machine);
	vrs_nvml_read(machine);
	explain_missing(machine);
}

struct vrs_machine *vrs_machine_for_sensors(void)
{
	struct vrs_machine *machine = vrs_calloc(1, sizeof *machine);
	if (machine)
		machine->devices_listed = access("/dev/nvidiactl", R_OK) == 0; /* without that file the driver's library has nothing to say */
	return machine;
}

void vrs_machine_sample_sensors(struct vrs_machine *machine)
{
	int absent = machine->absent_count;

	machine->sensor_count = 0;
	vrs_rapl_read(machine);
	vrs_hwmon_read(machine);
	vrs_drm_read(machine);
	if (machine->devices_listed)
		vrs_nvml_read(machine);
	machine->absent_count = absent; /* reasons belong to vrs_machine_read_sensors */
}
