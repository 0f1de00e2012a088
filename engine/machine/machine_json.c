/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine as JSON. A value that is not known has no key: readers tell "absent" from "zero" by the key's presence. */
#include <vrseg/machine.h>

#include "base/json.h"

/* Each helper returns false only when memory runs out. */
static bool put_text(cJSON *object, const char *key, const char *text)
{
	return text[0] == '\0' || vrs_json_put_string(object, key, text);
}

static bool put_positive(cJSON *object, const char *key, uint64_t value)
{
	return value == 0 || value > INT64_MAX || vrs_json_put_int(object, key, (int64_t)value);
}

/* A new object at the end of an array; NULL: out of memory. */
static cJSON *append_object(cJSON *array)
{
	cJSON *item = cJSON_CreateObject();

	if (item && !cJSON_AddItemToArray(array, item)) {
		cJSON_Delete(item);
		return NULL;
	}
	return item;
}

static bool put_kinds(const struct vrs_machine *machine, cJSON *cpu)
{
	cJSON *array = machine->core_kinds > 1 ? vrs_json_put_array(cpu, "core_kinds") : NULL;
	bool ok = machine->core_kinds <= 1 || array;

	for (int i = 0; ok && array && i < machine->core_kinds; i++) {
		cJSON *item = append_object(array);

		ok = item && put_text(item, "name", machine->core_kind[i].name) && vrs_json_put_int(item, "threads", machine->core_kind[i].threads) &&
		     put_positive(item, "max_mhz", (uint64_t)machine->core_kind[i].max_mhz);
	}
	return ok;
}

static bool put_cpu(const struct vrs_machine *machine, cJSON *root)
{
	cJSON *cpu = vrs_json_put_object(root, "cpu");

	return cpu && put_text(cpu, "model", machine->cpu_model) && put_text(cpu, "vendor", machine->cpu_vendor) &&
	       put_text(cpu, "microcode", machine->microcode) && vrs_json_put_string(cpu, "features", machine->cpu_features) &&
	       vrs_json_put_string(cpu, "isa", machine->isa) && put_positive(cpu, "packages", (uint64_t)machine->packages) &&
	       put_positive(cpu, "cores", (uint64_t)machine->cores) && put_positive(cpu, "threads", (uint64_t)machine->threads) &&
	       vrs_json_put_int(cpu, "allowed_threads", machine->allowed_threads) && vrs_json_put_int(cpu, "allowed_cores", machine->allowed_cores) &&
	       (machine->cgroup_cpu_quota <= 0 || vrs_json_put_number(cpu, "cgroup_quota_cpus", machine->cgroup_cpu_quota)) &&
	       put_positive(cpu, "numa_nodes", (uint64_t)machine->numa_nodes) && put_positive(cpu, "max_mhz", (uint64_t)machine->max_mhz) &&
	       put_positive(cpu, "l1d_bytes", machine->l1d_bytes) && put_positive(cpu, "l2_bytes", machine->l2_bytes) &&
	       put_positive(cpu, "l2_instances", (uint64_t)machine->l2_instances) && put_positive(cpu, "l3_bytes", machine->l3_bytes) &&
	       put_positive(cpu, "l3_instances", (uint64_t)machine->l3_instances) && put_text(cpu, "governor", machine->governor) &&
	       put_text(cpu, "cpufreq_driver", machine->cpufreq_driver) && put_text(cpu, "energy_preference", machine->energy_preference) &&
	       (!machine->turbo_known || vrs_json_put_bool(cpu, "turbo", machine->turbo)) && put_kinds(machine, cpu);
}

static bool put_memory(const struct vrs_machine *machine, cJSON *root)
{
	cJSON *memory = vrs_json_put_object(root, "memory");
	bool available_known = !vrs_machine_absent(machine, "memory available") && !vrs_machine_absent(machine, "memory");
	bool swap_known = !vrs_machine_absent(machine, "swap");

	return memory && put_positive(memory, "total_bytes", machine->memory_bytes) &&
	       (!available_known || vrs_json_put_int(memory, "available_bytes", (int64_t)machine->memory_available_bytes)) &&
	       put_positive(memory, "cgroup_limit_bytes", machine->memory_limit_bytes) &&
	       (!swap_known || (vrs_json_put_int(memory, "swap_bytes", (int64_t)machine->swap_bytes) &&
				vrs_json_put_int(memory, "swap_used_bytes", (int64_t)machine->swap_used_bytes))) &&
	       put_text(memory, "huge_pages", machine->huge_pages);
}

static bool put_system(const struct vrs_machine *machine, cJSON *root)
{
	cJSON *system = vrs_json_put_object(root, "system");

	return system && put_text(system, "os", machine->os) && put_text(system, "kernel", machine->kernel) &&
	       put_text(system, "hypervisor", machine->hypervisor) && put_text(system, "power_source", machine->power_source);
}

static bool put_gpus(const struct vrs_machine *machine, cJSON *root)
{
	cJSON *array;

	if (machine->gpu_count == 0 && vrs_machine_absent(machine, "gpus"))
		return true; /* an empty array would claim that there is none */
	array = vrs_json_put_array(root, "gpus");
	for (int i = 0; array && i < machine->gpu_count; i++) {
		const struct vrs_gpu *gpu = &machine->gpus[i];
		cJSON *item = append_object(array);

		if (!item || !put_text(item, "address", gpu->address) || !put_text(item, "vendor", gpu->vendor) ||
		    !put_text(item, "device", gpu->device) || !put_text(item, "driver", gpu->driver) ||
		    !put_text(item, "driver_version", gpu->driver_version) || !put_positive(item, "memory_bytes", gpu->memory_bytes) ||
		    (gpu->numa_node >= 0 && !vrs_json_put_int(item, "numa_node", gpu->numa_node)))
			return false;
	}
	return array != NULL;
}

static bool put_cl_device(const struct vrs_cl_device *cl, cJSON *array)
{
	cJSON *item = append_object(array);

	return item && vrs_json_put_int(item, "platform", cl->platform) && vrs_json_put_int(item, "device", cl->device) &&
	       put_text(item, "platform_name", cl->platform_name) && put_text(item, "name", cl->name) && put_text(item, "vendor", cl->vendor) &&
	       put_text(item, "version", cl->version) && put_text(item, "driver", cl->driver) &&
	       put_text(item, "extensions", cl->extensions) && vrs_json_put_string(item, "type", cl->is_gpu ? "gpu" : cl->is_cpu ? "cpu" : "accelerator") &&
	       vrs_json_put_bool(item, "fp16", cl->has_fp16) && vrs_json_put_bool(item, "int8_dot", cl->has_int8_dot) &&
	       vrs_json_put_bool(item, "command_buffer", cl->has_command_buffer) && vrs_json_put_bool(item, "unified_memory", cl->unified_memory) &&
	       vrs_json_put_int(item, "compute_units", cl->compute_units) && put_positive(item, "max_clock_mhz", (uint64_t)cl->max_clock_mhz) &&
	       put_positive(item, "global_bytes", cl->global_bytes) && put_positive(item, "max_alloc_bytes", cl->max_alloc_bytes) &&
	       put_positive(item, "local_bytes", cl->local_bytes) && put_text(item, "address", cl->address) &&
	       (cl->numa_node < 0 || vrs_json_put_int(item, "numa_node", cl->numa_node));
}

static bool put_devices(const struct vrs_machine *machine, cJSON *root)
{
	cJSON *array;

	if (machine->devices_listed && !put_gpus(machine, root))
		return false;
	if ((machine->cl_count == 0 || machine->cl_reason[0]) && !vrs_json_put_string(root, "opencl_reason", machine->cl_reason))
		return false;
	if (machine->cl_count == 0)
		return true;
	array = vrs_json_put_array(root, "opencl");
	for (int i = 0; array && i < machine->cl_count; i++) {
		if (!put_cl_device(&machine->cl[i], array))
			return false;
	}
	return array != NULL;
}

static bool put_sensors(const struct vrs_machine *machine, cJSON *root)
{
	cJSON *array = vrs_json_put_array(root, "sensors");

	for (int i = 0; array && i < machine->sensor_count; i++) {
		const struct vrs_sensor *sensor = &machine->sensors[i];
		cJSON *item = append_object(array);

		if (!item || !vrs_json_put_string(item, "kind", vrs_sensor_kind_name(sensor->kind)) ||
		    !vrs_json_put_string(item, "name", sensor->name) || !vrs_json_put_number(item, "value", sensor->value) ||
		    !vrs_json_put_string(item, "unit", sensor->unit) || !put_text(item, "text", sensor->text))
			return false;
	}
	return array != NULL;
}

static bool put_absent(const struct vrs_machine *machine, cJSON *root)
{
	cJSON *object = vrs_json_put_object(root, "not_observable");

	for (int i = 0; object && i < machine->absent_count; i++) {
		if (!vrs_json_put_string(object, machine->absent[i].what, machine->absent[i].reason))
			return false;
	}
	return object != NULL;
}

enum vrs_status vrs_machine_json(const struct vrs_machine *machine, struct cJSON **ret_json)
{
	cJSON *root = cJSON_CreateObject();

	if (!root)
		return VRS_ENOMEM;
	if (!vrs_json_put_hash(root, "fingerprint", machine->fingerprint) ||
	    (machine->device_fingerprint != 0 && !vrs_json_put_hash(root, "device_fingerprint", machine->device_fingerprint)) || !put_cpu(machine, root) ||
	    !put_memory(machine, root) || !put_system(machine, root) || !put_devices(machine, root) || !put_sensors(machine, root) ||
	    !put_absent(machine, root)) {
		cJSON_Delete(root);
		return VRS_ENOMEM;
	}
	*ret_json = root;
	return VRS_OK;
}
