/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the NVIDIA part without a GPU: a table of functions stands for the library, including one that fails everywhere and one that lacks
 * the optional functions; and a machine without the library says so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/nvml.h"
#include "machine/sensors.h"

static struct vrs_machine machine;
static unsigned long long reasons;
static unsigned device_total;

static int fake_count(unsigned *count)
{
	*count = device_total;
	return 0;
}

static int fake_version(char *version, unsigned length)
{
	return snprintf(version, length, "570.124.06") < 0;
}

static int fake_handle(unsigned index, vrs_nvml_handle *device)
{
	static char devices[1000];

	*device = (vrs_nvml_handle)(void *)&devices[index];
	return index == 1 ? 15 : 0; /* the second is lost */
}

static int fake_name(vrs_nvml_handle device, char *name, unsigned length)
{
	(void)device;
	return snprintf(name, length, "Example GPU 16 GB") < 0;
}

static int fake_pci(vrs_nvml_handle device, struct vrs_nvml_pci *pci)
{
	(void)device;
	*pci = (struct vrs_nvml_pci){.domain = 0, .bus = 0xc1, .device = 0};
	return 0;
}

static int fake_utilisation(vrs_nvml_handle device, struct vrs_nvml_utilisation *utilisation)
{
	(void)device;
	*utilisation = (struct vrs_nvml_utilisation){.gpu = 87, .memory = 40};
	return 0;
}

static int fake_memory(vrs_nvml_handle device, struct vrs_nvml_memory *memory)
{
	(void)device;
	*memory = (struct vrs_nvml_memory){.total = 16ull << 30, .free = 12ull << 30, .used = 4ull << 30};
	return 0;
}

static int fake_temperature(vrs_nvml_handle device, int sensor, unsigned *celsius)
{
	(void)device;
	*celsius = 61;
	return sensor; /* 0 is the GPU's own */
}

static int fake_power(vrs_nvml_handle device, unsigned *milliwatts)
{
	(void)device;
	*milliwatts = 212500;
	return 0;
}

static int fake_clock(vrs_nvml_handle device, int type, unsigned *mhz)
{
	(void)device;
	*mhz = type == 1 ? 2610 : 15001;
	return 0;
}

static int fake_fan(vrs_nvml_handle device, unsigned *percent)
{
	(void)device;
	*percent = 44;
	return 3; /* not supported: passively cooled */
}

static int fake_reasons(vrs_nvml_handle device, unsigned long long *ret)
{
	(void)device;
	*ret = reasons;
	return 0;
}

static const struct vrs_nvml_api fake = {
	.driver_version = fake_version, .count = fake_count, .handle = fake_handle, .name = fake_name, .pci = fake_pci,
	.utilisation = fake_utilisation, .memory = fake_memory, .temperature = fake_temperature, .power = fake_power, .clock = fake_clock,
	.fan = fake_fan, .throttle_reasons = fake_reasons,
};

static int setup(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof machine);
	device_total = 1;
	reasons = 0;
	return 0;
}

static void describe_and_merge(void **state)
{
	(void)state;
	machine.gpu_count = 1;
	machine.gpus[0] = (struct vrs_gpu){.address = "0000:c1:00.0", .device = "GB203", .driver = "nvidia", .numa_node = 1};
	vrs_nvml_describe(&fake, &machine);
	assert_int_equal(machine.gpu_count, 1);
	assert_string_equal(machine.gpus[0].device, "Example GPU 16 GB");
	assert_string_equal(machine.gpus[0].driver_version, "570.124.06");
	assert_int_equal(machine.gpus[0].numa_node, 1);
	assert_int_equal(machine.gpus[0].memory_bytes, 16ull << 30);
	memset(&machine, 0, sizeof machine); /* a container that hides the PCI bus */
	vrs_nvml_describe(&fake, &machine);
	assert_int_equal(machine.gpu_count, 1);
	assert_string_equal(machine.gpus[0].address, "0000:c1:00.0");
	assert_int_equal(machine.gpus[0].numa_node, -1);
}

static double value(enum vrs_sensor_kind kind, const char *name)
{
	const struct vrs_sensor *sensor = vrs_machine_sensor(&machine, kind, name);

	assert_non_null(sensor);
	return sensor->value;
}

static void sensors(void **state)
{
	(void)state;
	vrs_nvml_sensors(&fake, &machine);
	assert_true(value(VRS_SENSOR_UTILISATION, "nvidia0") == 87);
	assert_true(value(VRS_SENSOR_MEMORY, "nvidia0") == 4096);
	assert_true(value(VRS_SENSOR_TEMPERATURE, "nvidia0") == 61);
	assert_true(value(VRS_SENSOR_POWER, "nvidia0") == 212.5);
	assert_true(value(VRS_SENSOR_FREQUENCY, "nvidia0 clock") == 2610);
	assert_true(value(VRS_SENSOR_FREQUENCY, "nvidia0 memory") == 15001);
	assert_null(vrs_machine_sensor(&machine, VRS_SENSOR_FAN, NULL));
	assert_null(vrs_machine_sensor(&machine, VRS_SENSOR_ENERGY, NULL)); /* the library lacks the function */
}

static void throttling(void **state)
{
	const struct vrs_sensor *sensor;

	(void)state;
	vrs_nvml_sensors(&fake, &machine);
	sensor = vrs_machine_sensor(&machine, VRS_SENSOR_THROTTLE, NULL);
	assert_true(sensor->value == 0);
	assert_string_equal(sensor->text, "clocks are free");
	assert_string_equal(sensor->unit, "active");
	machine.sensor_count = 0;
	reasons = 0x1; /* idle holds nothing back */
	vrs_nvml_sensors(&fake, &machine);
	assert_true(value(VRS_SENSOR_THROTTLE, NULL) == 0);
	machine.sensor_count = 0;
	reasons = 0x44;
	vrs_nvml_sensors(&fake, &machine);
	sensor = vrs_machine_sensor(&machine, VRS_SENSOR_THROTTLE, NULL);
	assert_true(sensor->value == 1);
	assert_string_equal(sensor->text, "power cap, hardware thermal slowdown");
	machine.sensor_count = 0;
	reasons = ~0ull;
	vrs_nvml_sensors(&fake, &machine);
	sensor = vrs_machine_sensor(&machine, VRS_SENSOR_THROTTLE, NULL);
	assert_true(sensor->value == 1 && strlen(sensor->text) < sizeof sensor->text);
}

static void many_devices(void **state)
{
	(void)state;
	device_total = 1000000; /* nonsense from the library */
	vrs_nvml_describe(&fake, &machine);
	vrs_nvml_sensors(&fake, &machine);
	assert_true(machine.gpu_count <= VRS_MACHINE_MAX_GPUS);
	assert_int_equal(machine.sensor_count, VRS_MACHINE_MAX_SENSORS);
	assert_non_null(vrs_machine_absent(&machine, "further sensors"));
	assert_null(vrs_machine_sensor(&machine, VRS_SENSOR_POWER, "nvidia1 ")); /* the lost one */
}

static void library(void **state)
{
	char reason[160] = "";
	const struct vrs_nvml_api *api = vrs_nvml_load(reason, sizeof reason);

	(void)state;
	if (api) {
		unsigned count = 0;

		assert_int_equal(api->count(&count), 0);
	} else {
		assert_true(strlen(reason) > 10);
	}
	assert_ptr_equal(vrs_nvml_load(reason, sizeof reason), api);
	vrs_nvml_read(&machine); /* devices_listed is false: it must not even look */
	assert_string_equal(vrs_machine_absent(&machine, "nvidia sensors"), "devices were not asked for");
	assert_int_equal(machine.sensor_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(describe_and_merge, setup), cmocka_unit_test_setup(sensors, setup), cmocka_unit_test_setup(throttling, setup),
		cmocka_unit_test_setup(many_devices, setup),       cmocka_unit_test_setup(library, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
