/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the machine record: recorded machines give exactly the expected values, what cannot be observed is absent with a reason (never
 * zero, never good news), limits of control groups and affinity are respected, and the fingerprint moves only with what decides speed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <vrseg/machine.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"

static struct vrs_machine machine, other;

static void load(const char *name)
{
	char root[1024];

	(void)snprintf(root, sizeof root, "%s/machines/%s", VRS_TEST_DIR, name);
	assert_int_equal(setenv("VRSEG_ROOT", root, 1), 0);
	assert_int_equal(vrs_machine_detect(&machine, true), VRS_OK);
	if (vrs_machine_allowed_threads() > 0) /* 0: it is not in the recording */
		assert_int_equal(vrs_machine_allowed_threads(), machine.allowed_threads);
	assert_int_equal(unsetenv("VRSEG_ROOT"), 0);
}

static double sensor_value(enum vrs_sensor_kind kind, const char *name, const char *unit)
{
	const struct vrs_sensor *sensor = vrs_machine_sensor(&machine, kind, name);

	assert_non_null(sensor);
	assert_string_equal(sensor->unit, unit);
	return sensor->value;
}

static void guest(void **state)
{
	(void)state;
	load("epyc-guest");
	assert_string_equal(machine.cpu_model, "AMD EPYC");
	assert_string_equal(machine.cpu_features, "sse4.1 avx2 fma f16c");
	assert_string_equal(machine.isa, "avx2");
	assert_int_equal(machine.packages, 1);
	assert_int_equal(machine.cores, 2);
	assert_int_equal(machine.threads, 2);
	assert_int_equal(machine.allowed_threads, 2);
	assert_int_equal(machine.numa_nodes, 1);
	assert_int_equal(machine.l1d_bytes, 32 << 10);
	assert_int_equal(machine.l2_bytes, 512 << 10);
	assert_int_equal(machine.l2_instances, 2);
	assert_int_equal(machine.l3_bytes, 32 << 20);
	assert_int_equal(machine.memory_bytes, INT64_C(24684096) * 1024);
	assert_int_equal(machine.memory_limit_bytes, 0); /* version 1 writes "no limit" as a huge number */
	assert_true(machine.cgroup_cpu_quota == 0);
	assert_null(vrs_machine_absent(&machine, "cpu quota"));
	assert_string_not_equal(machine.hypervisor, "none");
	assert_string_not_equal(machine.hypervisor, "");
	assert_false(machine.turbo_known);
	static const char *const absent[] = {"governor", "turbo", "temperature", "frequency", "power", "energy", "fan", "cpu throttling", "gpus",
					      "nvidia sensors", "power source"};
	for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
		assert_non_null(vrs_machine_absent(&machine, absent[i]));
	assert_null(vrs_machine_sensor(&machine, VRS_SENSOR_FREQUENCY, NULL)); /* the nominal clock is no measurement */
}

static void server(void **state)
{
	(void)state;
	load("numa-server");
	assert_string_equal(machine.isa, "avx512");
	assert_int_equal(machine.packages, 2);
	assert_int_equal(machine.cores, 8);
	assert_int_equal(machine.threads, 16);
	assert_int_equal(machine.numa_nodes, 2);
	assert_int_equal(machine.numa[1].threads, 8);
	assert_int_equal(machine.numa[1].memory_bytes, INT64_C(132120576) * 1024);
	assert_int_equal(machine.l3_instances, 2);
	assert_int_equal(machine.allowed_cores, 4);   /* affinity 0-3,8-11: SMT siblings count once */
	assert_int_equal(machine.allowed_threads, 4); /* of 8 by affinity, quota 3.5 rounded up */
	assert_true(machine.cgroup_cpu_quota == 3.5);
	assert_int_equal(machine.memory_limit_bytes, INT64_C(16) << 30);           /* memory.high of the inner group */
	assert_int_equal(machine.memory_available_bytes, INT64_C(15) << 30);       /* less what it uses */
	assert_int_equal(machine.swap_used_bytes, INT64_C(388608) * 1024);
	assert_string_equal(machine.hypervisor, "none");
	assert_true(machine.turbo_known);
	assert_false(machine.turbo);
	assert_true(sensor_value(VRS_SENSOR_THROTTLE, "cpu core", "count") == 6);
	assert_true(sensor_value(VRS_SENSOR_THROTTLE, "cpu package", "count") == 14);
	assert_true(sensor_value(VRS_SENSOR_ENERGY, "package-1 energy", "J") == 2);
	assert_true(sensor_value(VRS_SENSOR_ENERGY, "package-1 dram", "J") == 0.5);
	assert_true(sensor_value(VRS_SENSOR_FREQUENCY, "cpu frequency max", "MHz") == 3500); /* aperfmperf: measured */
	assert_non_null(vrs_machine_absent(&machine, "steal"));
}

static void laptop(void **state)
{
	(void)state;
	load("hybrid-laptop");
	assert_int_equal(machine.core_kinds, 2);
	assert_string_equal(machine.core_kind[0].name, "IntelAtom");
	assert_int_equal(machine.core_kind[1].max_mhz, 4700);
	assert_int_equal(machine.l1d_bytes, 32 << 10); /* the smaller kind's */
	assert_int_equal(machine.max_mhz, 4700);
	assert_string_equal(machine.governor, "mixed");
	assert_string_equal(machine.energy_preference, "balance_power");
	assert_true(machine.turbo_known && machine.turbo);
	assert_string_equal(machine.power_source, "battery");
	assert_string_equal(machine.huge_pages, "madvise");
	assert_true(sensor_value(VRS_SENSOR_TEMPERATURE, "coretemp hottest", "C") == 73);
	assert_true(sensor_value(VRS_SENSOR_TEMPERATURE, "nvme#2", "C") == 41);
	assert_null(vrs_machine_sensor(&machine, VRS_SENSOR_TEMPERATURE, "thinkpad")); /* unconnected, and faulty */
	assert_null(vrs_machine_sensor(&machine, VRS_SENSOR_TEMPERATURE, "coretemp Core"));
	assert_true(sensor_value(VRS_SENSOR_FAN, "thinkpad", "RPM") == 2890);
	assert_true(sensor_value(VRS_SENSOR_POWER, "amdgpu", "W") == 15);
	assert_true(sensor_value(VRS_SENSOR_FREQUENCY, "cpu frequency mean", "MHz") == 1500);
	assert_true(sensor_value(VRS_SENSOR_UTILISATION, "card1", "%") == 37);
	assert_int_equal(machine.gpu_count, 2); /* the sound card is none */
	assert_string_equal(machine.gpus[0].address, "0000:00:02.0");
	assert_string_equal(machine.gpus[0].driver, "i915");
	assert_int_equal(machine.gpus[0].numa_node, -1);
	assert_string_equal(machine.gpus[1].driver, "amdgpu");
	assert_int_equal(machine.gpus[1].memory_bytes, INT64_C(8573157376));
	assert_int_not_equal(machine.device_fingerprint, 0);
}

static void bare(void **state)
{
	static const char *const absent[] = {"cpu model", "microcode", "hypervisor", "topology", "caches",  "governor", "turbo",    "kernel",
					      "system",    "memory",    "swap",       "cpu quota", "memory limit", "huge pages", "temperature", "steal"};
	(void)state;
	load("bare");
	assert_string_equal(machine.isa, "ref"); /* nothing of the running CPU may shine through */
	assert_int_equal(machine.l2_bytes, 0);
	assert_int_equal(machine.threads, 1);
	assert_int_equal(machine.allowed_threads, 1);
	assert_int_equal(machine.allowed_cores, 1);
	assert_int_equal(machine.sensor_count, 0);
	for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
		assert_non_null(vrs_machine_absent(&machine, absent[i]));
}

static void real_machine(void **state)
{
	(void)state;
	assert_int_equal(vrs_machine_detect(&machine, true), VRS_OK);
	assert_true(machine.allowed_threads >= 1 && machine.allowed_threads <= machine.threads);
	assert_int_equal(vrs_machine_allowed_threads(), machine.allowed_threads);
	assert_true(machine.allowed_cores >= 1 && machine.allowed_cores <= machine.threads);
	assert_true(machine.memory_bytes > 0 && machine.memory_available_bytes <= machine.memory_bytes);
	assert_true(strcmp(machine.isa, "ref") == 0 || strcmp(machine.isa, "avx2") == 0 || strcmp(machine.isa, "avx512") == 0);
	assert_int_equal(vrs_machine_detect(&other, false), VRS_OK);
	assert_int_equal(machine.fingerprint, other.fingerprint); /* with or without devices, again and again */
	assert_int_equal(other.gpu_count, 0);
	vrs_machine_read_sensors(&machine);
	vrs_machine_read_sensors(&machine);
	assert_true(machine.absent_count <= VRS_MACHINE_MAX_ABSENT);
	for (int i = 0; i < machine.sensor_count; i++) {
		for (int k = 0; k < i; k++) /* a second reading replaces the first */
			assert_false(strcmp(machine.sensors[i].name, machine.sensors[k].name) == 0 && machine.sensors[i].kind == machine.sensors[k].kind);
	}
	assert_int_equal(vrs_machine_detect(NULL, true), VRS_EINVAL);
}

static void fingerprint(void **state)
{
	uint64_t before;

	(void)state;
	load("hybrid-laptop");
	before = machine.fingerprint;
	machine.memory_bytes += 8 << 20; /* firmware took a little less */
	machine.memory_available_bytes /= 2;
	(void)snprintf(machine.kernel, sizeof machine.kernel, "Linux 6.8.0-99-generic");
	(void)snprintf(machine.governor, sizeof machine.governor, "performance"); /* a setting, recorded beside */
	vrs_machine_update_fingerprint(&machine);
	assert_int_equal(machine.fingerprint, before);
	(void)snprintf(machine.kernel, sizeof machine.kernel, "Linux 6.80.0");
	vrs_machine_update_fingerprint(&machine);
	assert_int_not_equal(machine.fingerprint, before);
	load("hybrid-laptop");
	machine.memory_bytes *= 2;
	vrs_machine_update_fingerprint(&machine);
	assert_int_not_equal(machine.fingerprint, before);
	load("hybrid-laptop");
	machine.allowed_threads--;
	vrs_machine_update_fingerprint(&machine);
	assert_int_not_equal(machine.fingerprint, before);
	assert_int_equal(setenv("VRSEG_CPU", "ref", 1), 0);
	load("hybrid-laptop");
	assert_int_equal(unsetenv("VRSEG_CPU"), 0);
	assert_string_equal(machine.isa, "ref");
	assert_int_not_equal(machine.fingerprint, before);
	before = machine.device_fingerprint;
	(void)snprintf(machine.gpus[1].driver_version, sizeof machine.gpus[1].driver_version, "570.1");
	vrs_machine_update_fingerprint(&machine);
	assert_int_not_equal(machine.device_fingerprint, before);
}

/* Write one small file below root. */
static void put(const char *root, const char *path, const char *text)
{
	char full[1024];
	FILE *f;

	(void)snprintf(full, sizeof full, "%s%s", root, path);
	for (char *p = strchr(full + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		(void)mkdir(full, 0777);
		*p = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Rates need two readings: energy that wraps, and steal between readings. */
static void rates(void **state)
{
	const char *root = VRS_BUILD_DIR "/test_machine_root";
	const struct vrs_sensor *steal;

	(void)state;
	put(root, "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor\n");
	put(root, "/proc/stat", "cpu  1000 0 0 8000 0 0 0 1000 0 0\n");
	put(root, "/sys/class/powercap/intel-rapl:0/name", "package-0\n");
	put(root, "/sys/class/powercap/intel-rapl:0/energy_uj", "9000000\n");
	put(root, "/sys/class/powercap/intel-rapl:0/max_energy_range_uj", "10000000\n");
	assert_int_equal(setenv("VRSEG_ROOT", root, 1), 0);
	assert_int_equal(vrs_machine_detect(&machine, false), VRS_OK);
	steal = vrs_machine_sensor(&machine, VRS_SENSOR_STEAL, NULL);
	assert_non_null(steal);
	assert_true(steal->value == 10 && strcmp(steal->text, "since boot") == 0);
	assert_null(vrs_machine_sensor(&machine, VRS_SENSOR_POWER, NULL));
	put(root, "/proc/stat", "cpu  1060 0 0 8000 0 0 0 1040 0 0\n");
	put(root, "/sys/class/powercap/intel-rapl:0/energy_uj", "500000\n"); /* wrapped: 1.5 J later */
	assert_int_equal(usleep(20000), 0);
	vrs_machine_read_sensors(&machine);
	steal = vrs_machine_sensor(&machine, VRS_SENSOR_STEAL, NULL);
	assert_true(steal->value == 40);
	assert_true(sensor_value(VRS_SENSOR_ENERGY, "package-0", "J") == 10.5);
	assert_true(sensor_value(VRS_SENSOR_POWER, "package-0", "W") > 0);
	assert_true(sensor_value(VRS_SENSOR_POWER, "package-0", "W") <= 1.5 / 0.02);
	put(root, "/proc/stat", "cpu  1061 0 0 8000 0 0 0 1041 0 0\n"); /* two ticks: no share can be given for them */
	vrs_machine_read_sensors(&machine);
	steal = vrs_machine_sensor(&machine, VRS_SENSOR_STEAL, NULL);
	assert_string_equal(steal->text, "since boot");
	put(root, "/proc/stat", "cpu  1000 0 0 8000 0 0 0 0 0 0\n"); /* a host that reports no steal is not one that never steals */
	assert_int_equal(vrs_machine_detect(&machine, false), VRS_OK);
	assert_null(vrs_machine_sensor(&machine, VRS_SENSOR_STEAL, NULL));
	assert_non_null(vrs_machine_absent(&machine, "steal"));
	put(root, "/proc/stat", "cpu  garbage\n");
	put(root, "/sys/class/powercap/intel-rapl:0/energy_uj", "");
	vrs_machine_read_sensors(&machine);
	assert_non_null(strstr(vrs_machine_absent(&machine, "energy"), "root"));
	assert_int_equal(unsetenv("VRSEG_ROOT"), 0);
}

/* The report names every group; each absent value shows its reason and no number. */
static void report(void **state)
{
	static const char *const names[] = {"epyc-guest", "numa-server", "hybrid-laptop", "bare"};
	static const char *const groups[] = {"CPU\n", "\nMemory\n", "\nSystem\n", "\nDevices\n", "\nSensors\n", "\nWhat vrseg will use\n"};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		assert_non_null(out);
		load(names[i]);
		vrs_machine_print(&machine, out);
		assert_int_equal(fclose(out), 0);
		for (size_t k = 0; k < sizeof groups / sizeof groups[0]; k++)
			assert_non_null(strstr(text, groups[k]));
		for (int k = 0; k < machine.absent_count; k++) {
			if (strcmp(machine.absent[k].what, "swap") != 0 && strcmp(machine.absent[k].what, "memory limit") != 0)
				assert_non_null(strstr(text, machine.absent[k].reason));
		}
		assert_null(strstr(text, "temperature           0.0"));
		free(text);
	}
}

/* The report names the device that --device auto takes, not the first GPU. */
static void report_of_gpus(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	load("bare");
	machine.cl_count = 3;
	machine.cl[0] = (struct vrs_cl_device){.name = "in the CPU", .is_gpu = true, .unified_memory = true, .global_bytes = 4096};
	machine.cl[1] = (struct vrs_cl_device){.platform = 1, .name = "small", .is_gpu = true, .global_bytes = 1024};
	machine.cl[2] = (struct vrs_cl_device){.platform = 1, .device = 1, .name = "large", .is_gpu = true, .global_bytes = 2048};
	vrs_machine_print(&machine, out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "--backend opencl uses device 2,"));
	free(text);
}

static void json(void **state)
{
	cJSON *root, *cpu, *memory, *absent;
	char *text;
	double number;
	bool flag;

	(void)state;
	load("numa-server");
	assert_int_equal(vrs_machine_json(&machine, &root), VRS_OK);
	cpu = cJSON_GetObjectItem(root, "cpu");
	memory = cJSON_GetObjectItem(root, "memory");
	absent = cJSON_GetObjectItem(root, "not_observable");
	assert_true(vrs_json_number(cpu, "cgroup_quota_cpus", &number) && number == 3.5);
	assert_true(vrs_json_bool(cpu, "turbo", &flag) && !flag);
	assert_null(cJSON_GetObjectItem(cpu, "governor"));
	assert_non_null(vrs_json_string(absent, "governor"));
	assert_null(cJSON_GetObjectItem(root, "gpus")); /* not observable is not "none" */
	assert_true(vrs_json_number(memory, "cgroup_limit_bytes", &number) && number == 17179869184.0);
	assert_int_equal(strlen(vrs_json_string(root, "fingerprint")), 16);
	text = vrs_json_print(root, true);
	assert_non_null(text);
	vrs_json_free_text(text);
	cJSON_Delete(root);
	load("bare");
	assert_int_equal(vrs_machine_json(&machine, &root), VRS_OK);
	memory = cJSON_GetObjectItem(root, "memory");
	assert_null(cJSON_GetObjectItem(memory, "total_bytes"));
	assert_null(cJSON_GetObjectItem(memory, "available_bytes"));
	assert_null(cJSON_GetObjectItem(memory, "swap_bytes"));
	assert_null(cJSON_GetObjectItem(cJSON_GetObjectItem(root, "cpu"), "turbo"));
	cJSON_Delete(root);
}

/* Files of another kernel, another tool or a broken disk: any bytes give a record whose texts end and whose numbers are in range. */
static void garbage(void **state)
{
	static const char *const files[] = {
		"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/self/status", "/proc/self/cgroup", "/proc/self/mountinfo", "/etc/os-release",
		"/hwloc.xml", "/sys/class/hwmon/hwmon0/name", "/sys/class/hwmon/hwmon0/temp1_input", "/sys/class/hwmon/hwmon0/temp1_label",
		"/sys/class/powercap/intel-rapl:0/energy_uj", "/sys/class/drm/card0/device/uevent", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
		"/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "/sys/class/power_supply/x/type", "/sys/bus/pci/devices/0000:00:00.0/class",
	};
	static const char *const words[] = {"flags", "\t: ", "model name", "-1", "99999999999999999999", "\n", "MemTotal: ", " kB", "cpu ", "max", "0::/",
					     " - cgroup2 ", "\"", "\xff\xfe", "PRETTY_NAME=", "Cpus_allowed_list:\t0-99999", "nan", "0x", "hypervisor"};
	const char *root = VRS_BUILD_DIR "/test_machine_garbage";
	struct vrs_rng rng;

	(void)state;
	vrs_rng_init(&rng, 20);
	assert_int_equal(setenv("VRSEG_ROOT", root, 1), 0);
	for (int round = 0; round < 40; round++) {
		for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
			char text[2048] = "";

			for (int k = (int)vrs_rng_below(&rng, 60); k > 0; k--)
				(void)strcat(text, words[vrs_rng_below(&rng, sizeof words / sizeof words[0])]);
			put(root, files[i], text);
		}
		assert_int_equal(vrs_machine_detect(&machine, true), VRS_OK);
		assert_true(machine.allowed_threads >= 1 && machine.allowed_cores >= 1 && machine.threads >= 1);
		assert_true(memchr(machine.cpu_model, 0, sizeof machine.cpu_model) && memchr(machine.os, 0, sizeof machine.os));
		for (int i = 0; i < machine.sensor_count; i++)
			assert_true(machine.sensors[i].value > -1e18 && machine.sensors[i].value < 1e18);
	}
	assert_int_equal(unsetenv("VRSEG_ROOT"), 0);
}

/* Each allocation of ours fails once: detection goes on with absent lines, the JSON form gives VRS_ENOMEM and leaks nothing. */
static void out_of_memory(void **state)
{
	bool fired = true;

	(void)state;
	for (uint64_t n = 1; fired && n < 10000; n++) {
		vrs_mem_fail_after(n, false);
		load("hybrid-laptop");
		fired = vrs_mem_fault_fired();
		assert_true(machine.allowed_threads >= 1);
	}
	assert_false(fired);
	fired = true;
	for (uint64_t n = 1; fired && n < 10000; n++) {
		enum vrs_status status;
		cJSON *root = NULL;

		vrs_mem_fail_after(n, false);
		status = vrs_machine_json(&machine, &root);
		fired = vrs_mem_fault_fired();
		assert_int_equal(status, fired ? VRS_ENOMEM : VRS_OK);
		if (!fired)
			cJSON_Delete(root);
	}
	assert_false(fired);
	vrs_mem_fail_after(0, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(guest),        cmocka_unit_test(server),      cmocka_unit_test(laptop), cmocka_unit_test(bare),
		cmocka_unit_test(real_machine), cmocka_unit_test(fingerprint), cmocka_unit_test(rates),  cmocka_unit_test(report),
		cmocka_unit_test(json),         cmocka_unit_test(garbage),     cmocka_unit_test(out_of_memory),
		cmocka_unit_test(report_of_gpus),
	};

	(void)unsetenv("VRSEG_CPU"); /* the tests set what they need */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
