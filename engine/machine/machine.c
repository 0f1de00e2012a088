/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detection in order (each part may look at the ones before it), look-ups, and the fingerprints. */
#include <vrseg/machine.h>

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "machine/system_info.h"
#include "machine/topology.h"

const char *vrs_machine_absent(const struct vrs_machine *machine, const char *what)
{
	for (int i = 0; i < machine->absent_count; i++) {
		if (strcmp(machine->absent[i].what, what) == 0)
			return machine->absent[i].reason;
	}
	return NULL;
}

const struct vrs_sensor *vrs_machine_sensor(const struct vrs_machine *machine, enum vrs_sensor_kind kind, const char *prefix)
{
	for (int i = 0; i < machine->sensor_count; i++) {
		const struct vrs_sensor *sensor = &machine->sensors[i];

		if (sensor->kind == kind && (!prefix || strncmp(sensor->name, prefix, strlen(prefix)) == 0))
			return sensor;
	}
	return NULL;
}

/* Fields are hashed with their end, so that "ab" "c" and "a" "bc" differ. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	return vrs_hash(hash, text, strlen(text) + 1);
}

static uint64_t hash_number(uint64_t hash, double value)
{
	char text[40];

	(void)snprintf(text, sizeof text, "%.6g", value);
	return hash_text(hash, text);
}

/* "Linux 6.18.44-fc-v595" -> "Linux 6.18": point releases rarely change speed. */
static uint64_t hash_kernel(uint64_t hash, const char *kernel)
{
	const char *dot = strchr(kernel, '.');
	size_t len = dot ? (size_t)(dot - kernel) + 1 : strlen(kernel);

	len += dot ? strspn(dot + 1, "0123456789") : 0;
	return vrs_hash(hash, kernel, len);
}

/* Half octaves of GiB: firmware and kernel take a few MiB more or less from boot to boot, which must not change the class. */
static double memory_class(uint64_t bytes)
{
	return bytes > 0 ? round(2 * log2((double)bytes / (1024.0 * 1024 * 1024))) : -100;
}

void vrs_machine_update_fingerprint(struct vrs_machine *machine)
{
	uint64_t hash = VRS_HASH_INIT;
	const char *const texts[] = {machine->cpu_vendor, machine->cpu_model, machine->microcode, machine->cpu_features, machine->hypervisor};
	const double numbers[] = {
		machine->packages, machine->cores, machine->threads, machine->allowed_threads, machine->allowed_cores, machine->cgroup_cpu_quota,
		machine->numa_nodes, machine->max_mhz, (double)machine->l1d_bytes, (double)machine->l2_bytes, (double)machine->l3_bytes,
		machine->l2_instances, machine->l3_instances, memory_class(machine->memory_bytes),
	};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		hash = hash_text(hash, texts[i]);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		hash = hash_number(hash, numbers[i]);
	machine->fingerprint = hash_kernel(hash, machine->kernel);
	machine->device_fingerprint = 0;
	if (machine->gpu_count == 0 && machine->cl_count == 0)
		return;
	hash = VRS_HASH_INIT;
	for (int i = 0; i < machine->gpu_count; i++) {
		const struct vrs_gpu *gpu = &machine->gpus[i];

		hash = hash_text(hash_text(hash_text(hash_text(hash, gpu->vendor), gpu->device), gpu->driver), gpu->driver_version);
	}
	for (int i = 0; i < machine->cl_count; i++) {
		const struct vrs_cl_device *cl = &machine->cl[i];

		hash = hash_text(hash_text(hash_text(hash, cl->name), cl->version), cl->driver);
		hash = hash_number(hash, cl->compute_units);
	}
	machine->device_fingerprint = hash;
}

int vrs_machine_allowed_threads(void)
{
	int threads = vrs_topology_affinity();

	return threads > 0 ? vrs_quota_threads(threads) : 0;
}

enum vrs_status vrs_machine_detect(struct vrs_machine *ret_machine, bool with_devices)
{
	if (!ret_machine)
		return VRS_EINVAL;
	memset(ret_machine, 0, sizeof *ret_machine);
	vrs_cpu_info_read(ret_machine);
	vrs_clock_policy_read(ret_machine);
	vrs_topology_read(ret_machine);
	vrs_system_info_read(ret_machine);
	ret_machine->devices_listed = with_devices;
	(void)snprintf(ret_machine->cl_reason, sizeof ret_machine->cl_reason, "OpenCL was not asked");
	if (with_devices)
		vrs_gpu_list_read(ret_machine);
	vrs_machine_read_sensors(ret_machine);
	vrs_machine_update_fingerprint(ret_machine);
	return VRS_OK;
}
