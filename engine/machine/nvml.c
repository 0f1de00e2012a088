/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/nvml.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/str_parse.h"
#include "machine/sensors.h"
#include "machine/sysfs.h"

#define CLOCK_SM 1
#define CLOCK_MEMORY 2
#define TEMPERATURE_GPU 0

/* nvmlClocksThrottleReasons; `slow` marks those that hold clocks below what the work could use. */
static const struct {
	unsigned long long bit;
	bool slow;
	const char *name;
} throttle_table[] = {
	{0x001, false, "idle"},
	{0x002, false, "application clocks"},
	{0x004, true, "power cap"},
	{0x008, true, "hardware slowdown"},
	{0x010, true, "sync boost"},
	{0x020, true, "software thermal slowdown"},
	{0x040, true, "hardware thermal slowdown"},
	{0x080, true, "power brake"},
	{0x100, false, "display clocks"},
};

static struct vrs_nvml_api loaded;
static char load_reason[160];
static bool is_loaded;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static const struct {
	const char *symbol;
	size_t offset;
	bool optional;
} symbols[] = {
	{"nvmlInit_v2", offsetof(struct vrs_nvml_api, init), false},
	{"nvmlErrorString", offsetof(struct vrs_nvml_api, error_string), false},
	{"nvmlSystemGetDriverVersion", offsetof(struct vrs_nvml_api, driver_version), false},
	{"nvmlDeviceGetCount_v2", offsetof(struct vrs_nvml_api, count), false},
	{"nvmlDeviceGetHandleByIndex_v2", offsetof(struct vrs_nvml_api, handle), false},
	{"nvmlDeviceGetName", offsetof(struct vrs_nvml_api, name), false},
	{"nvmlDeviceGetPciInfo_v3", offsetof(struct vrs_nvml_api, pci), false},
	{"nvmlDeviceGetUtilizationRates", offsetof(struct vrs_nvml_api, utilisation), true},
	{"nvmlDeviceGetMemoryInfo", offsetof(struct vrs_nvml_api, memory), true},
	{"nvmlDeviceGetTemperature", offsetof(struct vrs_nvml_api, temperature), true},
	{"nvmlDeviceGetPowerUsage", offsetof(struct vrs_nvml_api, power), true},
	{"nvmlDeviceGetTotalEnergyConsumption", offsetof(struct vrs_nvml_api, energy), true},
	{"nvmlDeviceGetClockInfo", offsetof(struct vrs_nvml_api, clock), true},
	{"nvmlDeviceGetFanSpeed", offsetof(struct vrs_nvml_api, fan), true},
	{"nvmlDeviceGetCurrentClocksThrottleReasons", offsetof(struct vrs_nvml_api, throttle_reasons), true},
};

/* The library stays open: closing it would end the driver's session, and every reading would pay for a new one. */
static void load(void)
{
	void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	int result;

	if (!library) {
		(void)vrs_strcpy(load_reason, sizeof load_reason, "libnvidia-ml.so.1 is not installed (it comes with the NVIDIA driver)");
		return;
	}
	for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
		void *function = dlsym(library, symbols[i].symbol);

		/* dlsym gives object pointers; copying the bytes is what POSIX intends. */
		memcpy((char *)&loaded + symbols[i].offset, &function, sizeof function);
		if (!function && !symbols[i].optional) {
			(void)snprintf(load_reason, sizeof load_reason, "libnvidia-ml.so.1 has no %s: the driver is too old", symbols[i].symbol);
			return;
		}
	}
	result = loaded.init();
	is_loaded = result == 0;
	if (!is_loaded)
		(void)snprintf(load_reason, sizeof load_reason, "NVML does not start: %s", loaded.error_string(result));
}

const struct vrs_nvml_api *vrs_nvml_load(char *reason, size_t size)
{
	(void)pthread_once(&load_once, load); /* cannot fail with a valid once object */
	(void)vrs_strcpy(reason, size, load_reason);
	return is_loaded ? &loaded : NULL;
}

/* GPU of the list at a PCI address, appended when it is new; NULL when the list is full. */
static struct vrs_gpu *gpu_at(struct vrs_machine *machine, const struct vrs_nvml_pci *pci)
{
	struct vrs_gpu *gpu;
	char address[16];

	(void)snprintf(address, sizeof address, "%04x:%02x:%02x.0", pci->domain & 0xffff, pci->bus & 0xff, pci->device & 0x1f);
	for (int i = 0; i < machine->gpu_count; i++) {
		if (strcmp(machine->gpus[i].address, address) == 0)
			return &machine->gpus[i];
	}
	if (machine->gpu_count >= VRS_MACHINE_MAX_GPUS)
		return NULL;
	gpu = &machine->gpus[machine->gpu_count++];
	*gpu = (struct vrs_gpu){.numa_node = -1, .vendor = "NVIDIA Corporation", .driver = "nvidia"};
	(void)vrs_strcpy(gpu->address, sizeof gpu->address, address);
	return gpu;
}

static unsigned device_count(const struct vrs_nvml_api *api)
{
	unsigned count = 0;

	if (api->count(&count) != 0)
		return 0;
	return count < VRS_MACHINE_MAX_GPUS ? count : VRS_MACHINE_MAX_GPUS;
}

void vrs_nvml_describe(const struct vrs_nvml_api *api, struct vrs_machine *machine)
{
	char version[81] = "";
	unsigned count = device_count(api);

	if (api->driver_version(version, sizeof version - 1) != 0)
		version[0] = '\0';
	for (unsigned i = 0; i < count; i++) {
		struct vrs_nvml_memory memory;
		struct vrs_nvml_pci pci = {0};
		struct vrs_gpu *gpu;
		vrs_nvml_handle device;
		char name[97] = "";

		if (api->handle(i, &device) != 0 || api->pci(device, &pci) != 0 || !(gpu = gpu_at(machine, &pci)))
			continue;
		/* The driver's name is the one on the box; the PCI database often says only the chip's. */
		if (api->name(device, name, sizeof name - 1) == 0 && name[0] != '\0')
			(void)vrs_strcpy(gpu->device, sizeof gpu->device, name);
		(void)vrs_strcpy(gpu->driver_version, sizeof gpu->driver_version, version);
		if (api->memory && api->memory(device, &memory) == 0)
			gpu->memory_bytes = memory.total;
	}
}

static void add_throttle(const struct vrs_nvml_api *api, struct vrs_machine *machine, unsigned i, vrs_nvml_handle device)
{
	unsigned long long reasons;
	struct vrs_sensor *sensor;
	bool slow = false;
	size_t used = 0;
	char text[96] = "";

	if (!api->throttle_reasons || api->throttle_reasons(device, &reasons) != 0)
		return;
	for (size_t k = 0; k < sizeof throttle_table / sizeof throttle_table[0]; k++) {
		if (!(reasons & throttle_table[k].bit))
			continue;
		slow = slow || throttle_table[k].slow;
		if (used + strlen(throttle_table[k].name) + 3 < sizeof text)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "", throttle_table[k].name);
	}
	sensor = vrs_sensor_add(machine, VRS_SENSOR_THROTTLE, slow ? 1 : 0, "nvidia%u throttling", i);
	if (!sensor)
		return;
	(void)vrs_strcpy(sensor->unit, sizeof sensor->unit, "active");
	(void)vrs_strcpy(sensor->text, sizeof sensor->text, reasons == 0 ? "clocks are free" : text);
}

static void add_clocks(const struct vrs_nvml_api *api, struct vrs_machine *machine, unsigned i, vrs_nvml_handle device)
{
	unsigned mhz;

	if (!api->clock)
		return;
	if (api->clock(device, CLOCK_SM, &mhz) == 0)
		(void)vrs_sensor_add(machine, VRS_SENSOR_FREQUENCY, mhz, "nvidia%u clock", i);
	if (api->clock(device, CLOCK_MEMORY, &mhz) == 0)
		(void)vrs_sensor_add(machine, VRS_SENSOR_FREQUENCY, mhz, "nvidia%u memory clock", i);
}

static void add_power(const struct vrs_nvml_api *api, struct vrs_machine *machine, unsigned i, vrs_nvml_handle device)
{
	unsigned long long millijoules;
	struct vrs_sensor *sensor;
	unsigned value;

	if (api->power && api->power(device, &value) == 0)
		(void)vrs_sensor_add(machine, VRS_SENSOR_POWER, value * 1e-3, "nvidia%u power", i);
	if (api->energy && api->energy(device, &millijoules) == 0)
		(void)vrs_sensor_add(machine, VRS_SENSOR_ENERGY, (double)millijoules * 1e-3, "nvidia%u energy", i);
	if (api->fan && api->fan(device, &value) == 0) {
		sensor = vrs_sensor_add(machine, VRS_SENSOR_FAN, value, "nvidia%u fan", i);
		if (sensor)
			(void)vrs_strcpy(sensor->unit, sizeof sensor->unit, "%");
	}
}

void vrs_nvml_sensors(const struct vrs_nvml_api *api, struct vrs_machine *machine)
{
	unsigned count = device_count(api);

	for (unsigned i = 0; i < count; i++) {
		struct vrs_nvml_utilisation utilisation;
		struct vrs_nvml_memory memory;
		vrs_nvml_handle device;
		unsigned celsius;

		if (api->handle(i, &device) != 0)
			continue;
		if (api->utilisation && api->utilisation(device, &utilisation) == 0)
			(void)vrs_sensor_add(machine, VRS_SENSOR_UTILISATION, utilisation.gpu, "nvidia%u busy", i);
		if (api->memory && api->memory(device, &memory) == 0)
			(void)vrs_sensor_add(machine, VRS_SENSOR_MEMORY, (double)memory.used / (1024 * 1024), "nvidia%u memory used", i);
		if (api->temperature && api->temperature(device, TEMPERATURE_GPU, &celsius) == 0)
			(void)vrs_sensor_add(machine, VRS_SENSOR_TEMPERATURE, celsius, "nvidia%u", i);
		add_power(api, machine, i, device);
		add_clocks(api, machine, i, device);
		add_throttle(api, machine, i, device);
	}
}

void vrs_nvml_read(struct vrs_machine *machine)
{
	const struct vrs_nvml_api *api = NULL;
	char reason[160] = "devices were not asked for";

	if (vrs_sysfs_replay())
		(void)vrs_strcpy(reason, sizeof reason, "a recorded machine is replayed");
	else if (machine->devices_listed)
		api = vrs_nvml_load(reason, sizeof reason);
	if (api)
		vrs_nvml_sensors(api, machine);
	else
		vrs_absent_set(machine, "nvidia sensors", "%s", reason);
}
