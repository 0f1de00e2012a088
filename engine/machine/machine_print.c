/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `vrseg --hardware`: groups of "name  value" lines; what is not observable says why. */
#include <vrseg/machine.h>

#include <inttypes.h>
#include <stdarg.h>

#include "base/printable.h"

#define KIB 1024.0
#define MIB (KIB * 1024)
#define GIB (MIB * 1024)

static void group(FILE *out, const char *title)
{
	(void)fprintf(out, "%s\n", title); /* the caller checks the stream at the end */
}

/* Names come from drivers and firmware. */
static void put_line(FILE *out, const char *name, const char *fmt, va_list args)
{
	char text[2048];

	(void)vsnprintf(text, sizeof text, fmt, args); /* a cut line is still one */
	(void)fprintf(out, "  %-22s", name);
	vrs_print_text(out, text);
	(void)fputc('\n', out);
}

static void VRS_PRINTF(3, 4) line(FILE *out, const char *name, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	put_line(out, name, fmt, args);
	va_end(args);
}

/* "not observable: REASON", for a value that is empty. */
static void absent_line(FILE *out, const struct vrs_machine *machine, const char *name, const char *what)
{
	const char *reason = vrs_machine_absent(machine, what);

	line(out, name, "not observable: %s", reason ? reason : "the system does not say");
}

/* A value, or why it is not known. */
static void VRS_PRINTF(6, 7) value_line(FILE *out, const struct vrs_machine *machine, const char *name, const char *what, bool known,
					const char *fmt, ...)
{
	va_list args;

	if (!known) {
		absent_line(out, machine, name, what);
		return;
	}
	va_start(args, fmt);
	put_line(out, name, fmt, args);
	va_end(args);
}

static void text_line(FILE *out, const struct vrs_machine *machine, const char *name, const char *what, const char *value)
{
	value_line(out, machine, name, what, value[0], "%s", value);
}

/* For what a machine may do without: "none", or why it is not known. */
static void none_line(FILE *out, const struct vrs_machine *machine, const char *name, const char *what)
{
	value_line(out, machine, name, what, !vrs_machine_absent(machine, what), "none");
}

/* "32 KiB", "1.5 MiB", "23.5 GiB" */
static const char *bytes_text(uint64_t bytes, char buf[32])
{
	double v = (double)bytes;

	if (v >= GIB)
		(void)snprintf(buf, 32, "%.4g GiB", v / GIB);
	else if (v >= MIB)
		(void)snprintf(buf, 32, "%.4g MiB", v / MIB);
	else
		(void)snprintf(buf, 32, "%.4g KiB", v / KIB);
	return buf;
}

static const char *plural(int n)
{
	return n == 1 ? "" : "s";
}

static void print_topology(const struct vrs_machine *machine, FILE *out)
{
	value_line(out, machine, "topology", "topology", machine->packages > 0 && machine->cores > 0,
		   "%d package%s, %d core%s, %d hardware thread%s, %d NUMA node%s", machine->packages, plural(machine->packages), machine->cores,
		   plural(machine->cores), machine->threads, plural(machine->threads), machine->numa_nodes, plural(machine->numa_nodes));
	for (int i = 0; machine->core_kinds > 1 && i < machine->core_kinds; i++) {
		const struct vrs_core_kind *kind = &machine->core_kind[i];

		if (kind->max_mhz > 0)
			line(out, "kind of core", "%s, %d threads, up to %d MHz", kind->name[0] ? kind->name : "unnamed", kind->threads, kind->max_mhz);
		else
			line(out, "kind of core", "%s, %d threads", kind->name[0] ? kind->name : "unnamed", kind->threads);
	}
	for (int i = 0; machine->numa_nodes > 1 && i < machine->numa_nodes && i < VRS_MACHINE_MAX_NUMA; i++) {
		char buf[32], name[32];

		(void)snprintf(name, sizeof name, "NUMA node %d", machine->numa[i].index);
		if (machine->numa[i].memory_bytes > 0)
			line(out, name, "%d threads, %s", machine->numa[i].threads, bytes_text(machine->numa[i].memory_bytes, buf));
		else
			line(out, name, "%d threads, memory size not observable", machine->numa[i].threads);
	}
}

static void print_caches(const struct vrs_machine *machine, FILE *out)
{
	char l1[32], l2[32], l3[32];

	if (machine->l1d_bytes == 0 && machine->l2_bytes == 0)
		absent_line(out, machine, "caches", "caches");
	else if (machine->l3_bytes > 0)
		line(out, "caches", "L1d %s, L2 %s x %d, L3 %s x %d", bytes_text(machine->l1d_bytes, l1), bytes_text(machine->l2_bytes, l2),
		     machine->l2_instances, bytes_text(machine->l3_bytes, l3), machine->l3_instances);
	else
		line(out, "caches", "L1d %s, L2 %s x %d, no L3 listed", bytes_text(machine->l1d_bytes, l1), bytes_text(machine->l2_bytes, l2),
		     machine->l2_instances);
}

static void print_cpu(const struct vrs_machine *machine, FILE *out)
{
	group(out, "CPU");
	text_line(out, machine, "model", "cpu model", machine->cpu_model);
	if (machine->cpu_vendor[0])
		line(out, "vendor", "%s", machine->cpu_vendor);
	text_line(out, machine, "microcode", "microcode", machine->microcode);
	print_topology(machine, out);
	print_caches(machine, out);
	line(out, "vector features", "%s", machine->cpu_features[0] ? machine->cpu_features : "none that vrseg uses");
	if (machine->max_mhz > 0)
		line(out, "highest clock", "%d MHz", machine->max_mhz);
	value_line(out, machine, "governor", "governor", machine->governor[0], "%s%s%s%s%s", machine->governor,
		   machine->cpufreq_driver[0] ? ", driver " : "", machine->cpufreq_driver, machine->energy_preference[0] ? ", preference " : "",
		   machine->energy_preference);
	value_line(out, machine, "turbo", "turbo", machine->turbo_known, "%s", machine->turbo ? "on" : "off");
	text_line(out, machine, "power source", "power source", machine->power_source);
}

static void print_memory(const struct vrs_machine *machine, FILE *out)
{
	const char *available = vrs_machine_absent(machine, "memory") ? "memory" : "memory available";
	char a[32], b[32];

	group(out, "Memory");
	value_line(out, machine, "installed", "memory", machine->memory_bytes > 0, "%s", bytes_text(machine->memory_bytes, a));
	if (machine->memory_limit_bytes > 0)
		line(out, "control group limit", "%s", bytes_text(machine->memory_limit_bytes, a));
	else
		none_line(out, machine, "control group limit", "memory limit");
	value_line(out, machine, "available", available, !vrs_machine_absent(machine, available), "%s", bytes_text(machine->memory_available_bytes, a));
	if (machine->swap_bytes > 0)
		line(out, "swap", "%s of %s used", bytes_text(machine->swap_used_bytes, a), bytes_text(machine->swap_bytes, b));
	else
		none_line(out, machine, "swap", "swap");
	text_line(out, machine, "huge pages", "huge pages", machine->huge_pages);
}

static void print_system(const struct vrs_machine *machine, FILE *out)
{
	group(out, "System");
	text_line(out, machine, "system", "system", machine->os);
	text_line(out, machine, "kernel", "kernel", machine->kernel);
	text_line(out, machine, "hypervisor", "hypervisor", machine->hypervisor);
}

static void print_gpus(const struct vrs_machine *machine, FILE *out)
{
	for (int i = 0; i < machine->gpu_count; i++) {
		const struct vrs_gpu *gpu = &machine->gpus[i];
		char memory[48] = "", node[32] = "", buf[32];

		if (gpu->memory_bytes > 0)
			(void)snprintf(memory, sizeof memory, ", %s", bytes_text(gpu->memory_bytes, buf));
		if (gpu->numa_node >= 0)
			(void)snprintf(node, sizeof node, ", NUMA node %d", gpu->numa_node);
		line(out, "PCI display device", "%s %s %s, driver %s%s%s%s%s", gpu->address, gpu->vendor, gpu->device,
		     gpu->driver[0] ? gpu->driver : "none bound", gpu->driver_version[0] ? " " : "", gpu->driver_version, memory, node);
	}
	if (machine->gpu_count == 0 || vrs_machine_absent(machine, "gpus"))
		none_line(out, machine, "PCI display devices", "gpus");
}

const char *vrs_cl_device_kind(const struct vrs_cl_device *cl)
{
	return cl->is_gpu ? "GPU" : cl->is_cpu ? "CPU" : "accelerator";
}

/* The number is what --device takes. */
static void print_opencl(const struct vrs_cl_device *cl, int index, FILE *out)
{
	char name[32], memory[32], node[32] = "";

	(void)snprintf(name, sizeof name, "OpenCL device %d", index);
	if (cl->numa_node >= 0)
		(void)snprintf(node, sizeof node, ", NUMA node %d", cl->numa_node);
	line(out, name, "%s (%s%s%s), %s, %d compute units%s", cl->name, vrs_cl_device_kind(cl), cl->address[0] ? ", " : "", cl->address, cl->version,
	     cl->compute_units, node);
	line(out, "", "platform %s (%d:%d), driver %s, %s memory%s, half precision %s", cl->platform_name, cl->platform, cl->device, cl->driver,
	     bytes_text(cl->global_bytes, memory), cl->unified_memory ? " shared with the CPU" : "", cl->has_fp16 ? "yes" : "no");
}

static void print_devices(const struct vrs_machine *machine, FILE *out)
{
	group(out, "Devices");
	if (!machine->devices_listed && machine->cl_count == 0) {
		line(out, "not listed", "detection ran without devices");
		return;
	}
	print_gpus(machine, out);
	for (int i = 0; i < machine->cl_count; i++)
		print_opencl(&machine->cl[i], i, out);
	if (machine->cl_count == 0)
		line(out, "OpenCL", "no device: %s", machine->cl_reason);
	else if (machine->cl_reason[0])
		line(out, "OpenCL", "no GPU: %s", machine->cl_reason);
}

static void print_sensors(const struct vrs_machine *machine, FILE *out)
{
	static const char *const others[] = {"cpu throttling", "nvidia sensors", "further sensors"};

	group(out, "Sensors");
	for (int kind = 0; kind < VRS_SENSOR_KIND_COUNT; kind++) {
		const char *name = vrs_sensor_kind_name((enum vrs_sensor_kind)kind);

		for (int i = 0; i < machine->sensor_count; i++) {
			const struct vrs_sensor *sensor = &machine->sensors[i];

			if ((int)sensor->kind == kind)
				line(out, name, "%.1f %s  %s%s%s%s", sensor->value, sensor->unit, sensor->name, sensor->text[0] ? " (" : "", sensor->text,
				     sensor->text[0] ? ")" : "");
		}
		if (vrs_machine_absent(machine, name))
			absent_line(out, machine, name, name);
	}
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		if (vrs_machine_absent(machine, others[i]))
			absent_line(out, machine, others[i], others[i]);
	}
}

static void print_network(const struct vrs_machine *machine, FILE *out)
{
	int order[VRS_MACHINE_MAX_CL];

	if (vrs_cl_devices_rank(machine->cl, machine->cl_count, order) > 0 && machine->cl[order[0]].is_gpu) {
		line(out, "network", "on the CPU; --backend opencl uses device %d, --auto-tune finds out whether that is faster", order[0]);
		return;
	}
	line(out, "network", "on the CPU; there is no GPU for --backend opencl");
}

static void print_use(const struct vrs_machine *machine, FILE *out)
{
	group(out, "What vrseg will use");
	line(out, "kernels", "%s", machine->isa);
	print_network(machine, out);
	line(out, "threads", "%d of %d", machine->allowed_threads, machine->threads);
	if (machine->cgroup_cpu_quota > 0)
		line(out, "CPU quota", "%.2f CPUs (control group)", machine->cgroup_cpu_quota);
	else
		none_line(out, machine, "CPU quota", "cpu quota");
	line(out, "fingerprint", "%016" PRIx64, machine->fingerprint);
	if (machine->device_fingerprint != 0)
		line(out, "device fingerprint", "%016" PRIx64, machine->device_fingerprint);
}

void vrs_machine_print(const struct vrs_machine *machine, FILE *out)
{
	print_cpu(machine, out);
	print_memory(machine, out);
	print_system(machine, out);
	print_devices(machine, out);
	print_sensors(machine, out);
	print_use(machine, out);
}
