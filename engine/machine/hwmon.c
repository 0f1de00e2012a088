/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernel documentation: hwmon/sysfs-interface.rst (units), driver-api/thermal/sysfs-api.rst. */
#include <string.h>

#include "base/str_parse.h"
#include "machine/sensors.h"
#include "machine/sysfs.h"

#define CHIPS_MAX 64

/* File name prefix, kind, and what one unit of the file is in ours. A range guards against inputs that nothing is connected to. */
static const struct channel {
	const char *prefix;
	enum vrs_sensor_kind kind;
	double scale, min, max;
} channels[] = {
	{"temp", VRS_SENSOR_TEMPERATURE, 1e-3, -55, 150}, /* millidegree C */
	{"power", VRS_SENSOR_POWER, 1e-6, 0, 100000},     /* microwatt */
	{"fan", VRS_SENSOR_FAN, 1, 0, 1e6},               /* RPM */
	{"energy", VRS_SENSOR_ENERGY, 1e-6, 0, 1e15},     /* microjoule */
	{"freq", VRS_SENSOR_FREQUENCY, 1e-6, 0, 1e6},     /* Hz */
};

struct chip_walk {
	struct vrs_machine *machine;
	const struct channel *channel;
	char chip[48];              /* name of the chip at hand, "nvme#2" for the second of a name */
	double hottest_core;        /* coretemp lists each core: only the hottest is kept */
	char seen[CHIPS_MAX][32];
	int seen_count;
};

/* "temp1" of ".../temp1_input" into stem; false when the path ends otherwise. power may come as "_average" only. */
static bool input_stem(const char *path, const char *prefix, char stem[VRS_SYSFS_PATH])
{
	const char *suffix = strrchr(path, '_');
	char input[VRS_SYSFS_PATH + 16];

	if (!suffix || (strcmp(suffix, "_input") != 0 && !(strcmp(suffix, "_average") == 0 && strcmp(prefix, "power") == 0)))
		return false;
	memcpy(stem, path, (size_t)(suffix - path));
	stem[suffix - path] = '\0';
	(void)snprintf(input, sizeof input, "%s_input", stem);
	return strcmp(suffix, "_input") == 0 || !vrs_sysfs_exists(input);
}

static void add_input(void *cookie, const char *path)
{
	struct chip_walk *walk = cookie;
	const struct channel *channel = walk->channel;
	char stem[VRS_SYSFS_PATH], label[48];
	int64_t raw, fault;
	double value;

	if (!input_stem(path, channel->prefix, stem))
		return;
	if (vrs_sysfs_int(&fault, "%s_fault", stem) && fault != 0)
		return;
	if (!vrs_sysfs_int(&raw, "%s", path))
		return;
	value = (double)raw * channel->scale;
	if (value < channel->min || value > channel->max)
		return;
	if (!vrs_sysfs_text(label, sizeof label, "%s_label", stem))
		(void)vrs_strcpy(label, sizeof label, strrchr(stem, '/') + 1);
	if (strcmp(walk->chip, "coretemp") == 0 && strncmp(label, "Core ", 5) == 0) {
		walk->hottest_core = value > walk->hottest_core ? value : walk->hottest_core;
		return;
	}
	(void)vrs_sensor_add(walk->machine, channel->kind, value, "%s %s", walk->chip, label);
}

static void name_chip(struct chip_walk *walk, const char *chip)
{
	char name[32];
	int same = 1;

	if (!vrs_sysfs_text(name, sizeof name, "%s/name", chip))
		(void)vrs_strcpy(name, sizeof name, strrchr(chip, '/') + 1);
	for (int i = 0; i < walk->seen_count; i++)
		same += strcmp(walk->seen[i], name) == 0;
	if (walk->seen_count < CHIPS_MAX)
		(void)vrs_strcpy(walk->seen[walk->seen_count++], sizeof walk->seen[0], name);
	if (same > 1)
		(void)snprintf(walk->chip, sizeof walk->chip, "%s#%d", name, same);
	else
		(void)vrs_strcpy(walk->chip, sizeof walk->chip, name);
}

static void add_chip(void *cookie, const char *chip)
{
	struct chip_walk *walk = cookie;

	name_chip(walk, chip);
	walk->hottest_core = -1000;
	for (size_t i = 0; i < sizeof channels / sizeof channels[0]; i++) {
		walk->channel = &channels[i];
		(void)vrs_sysfs_each(chip, channels[i].prefix, 512, add_input, walk);
	}
	if (walk->hottest_core > -1000)
		(void)vrs_sensor_add(walk->machine, VRS_SENSOR_TEMPERATURE, walk->hottest_core, "%s hottest core", walk->chip);
}

static void add_zone(void *cookie, const char *zone)
{
	char type[32];
	int64_t raw;

	if (!vrs_sysfs_text(type, sizeof type, "%s/type", zone))
		(void)vrs_strcpy(type, sizeof type, strrchr(zone, '/') + 1);
	if (vrs_sysfs_int(&raw, "%s/temp", zone) && raw > -55000 && raw < 150000)
		(void)vrs_sensor_add(cookie, VRS_SENSOR_TEMPERATURE, (double)raw * 1e-3, "zone %s", type);
}

void vrs_hwmon_read(struct vrs_machine *machine)
{
	struct chip_walk walk = {.machine = machine};

	(void)vrs_sysfs_each("/sys/class/hwmon", "hwmon", CHIPS_MAX, add_chip, &walk); /* none: explained by the caller */
	if (!vrs_machine_sensor(machine, VRS_SENSOR_TEMPERATURE, NULL))
		(void)vrs_sysfs_each("/sys/class/thermal", "thermal_zone", 64, add_zone, machine);
}
