/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "monitor/machine_metrics.h"

#include <stdio.h>

/* One metric of a kind of sensors, in base units. */
static const struct row {
	enum vrs_sensor_kind kind;
	enum vrs_metric_kind as;
	const char *name, *unit, *help;
	double factor;          /* from the sensor's unit */
} rows[] = {
	{VRS_SENSOR_TEMPERATURE, VRS_METRIC_GAUGE, "temperature_celsius", "celsius", "Temperature that a sensor reports.", 1},
	{VRS_SENSOR_FREQUENCY, VRS_METRIC_GAUGE, "clock_hertz", "hertz", "Clock that a device reports.", 1e6},
	{VRS_SENSOR_POWER, VRS_METRIC_GAUGE, "power_watts", "watts", "Power that a sensor reports.", 1},
	{VRS_SENSOR_ENERGY, VRS_METRIC_COUNTER, "energy_joules", "joules", "Energy counter of a sensor; it may begin anew.", 1},
	{VRS_SENSOR_UTILISATION, VRS_METRIC_GAUGE, "device_busy_ratio", "ratio", "Share of time in which a device was busy.", 0.01},
	{VRS_SENSOR_MEMORY, VRS_METRIC_GAUGE, "device_memory_bytes", "bytes", "Memory of a device in use, by all programs.", 1048576},
	{VRS_SENSOR_THROTTLE, VRS_METRIC_GAUGE, "device_throttled", "", "1 while a device holds its clocks down.", 1},
};

void vrs_machine_metrics_write(struct vrs_machine *machine, const char *prefix, struct vrs_metric_writer *writer)
{
	vrs_machine_sample_sensors(machine);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char name[80];
		bool begun = false;

		snprintf(name, sizeof name, "%s_%s", prefix, rows[i].name);
		const struct vrs_metric metric = {.name = name, .kind = rows[i].as, .unit = rows[i].unit, .help = rows[i].help};
		for (int k = 0; k < machine->sensor_count; k++) {
			const struct vrs_sensor *sensor = &machine->sensors[k];
			const struct vrs_metric_label label = {"sensor", sensor->name};

			if (sensor->kind != rows[i].kind)
				continue;
			if (!begun)
				vrs_metric_begin(writer, &metric);
			begun = true;
			vrs_metric_sample(writer, sensor->value * rows[i].factor, &label, 1);
		}
	}
}
