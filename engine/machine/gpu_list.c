/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/system_info.h"

#include <setjmp.h>
#include <string.h>

#include <pci/pci.h>

#include "base/str_parse.h"
#include "machine/nvml.h"
#include "machine/sysfs.h"

#define CLASS_DISPLAY 0x03
#define CLASS_ACCELERATOR 0x12

/* libpci ends the process on errors unless its error function does not return: jump back instead. One scan at a time per thread. */
static _Thread_local jmp_buf on_error;

static void __attribute__((noreturn, format(printf, 1, 2))) leave_libpci(char *msg, ...)
{
	(void)msg; /* the caller says what was not possible */
	longjmp(on_error, 1);
}

static void __attribute__((format(printf, 1, 2))) ignore_message(char *msg, ...)
{
	(void)msg;
}

static void add_device(struct vrs_machine *machine, struct pci_access *access, struct pci_dev *dev)
{
	const int fields = PCI_FILL_IDENT | PCI_FILL_CLASS | PCI_FILL_NUMA_NODE | PCI_FILL_DRIVER;
	int known = pci_fill_info(dev, fields);
	unsigned base_class = dev->device_class >> 8;
	const char *driver;
	struct vrs_gpu *gpu;

	if ((base_class != CLASS_DISPLAY && base_class != CLASS_ACCELERATOR) || machine->gpu_count >= VRS_MACHINE_MAX_GPUS)
		return;
	gpu = &machine->gpus[machine->gpu_count++];
	*gpu = (struct vrs_gpu){.numa_node = known & PCI_FILL_NUMA_NODE ? dev->numa_node : -1};
	(void)snprintf(gpu->address, sizeof gpu->address, "%04x:%02x:%02x.%u", dev->domain & 0xffff, dev->bus, dev->dev, dev->func & 7u);
	/* Unknown devices come back as "Vendor 1234" and "Device 5678". */
	(void)pci_lookup_name(access, gpu->vendor, sizeof gpu->vendor, PCI_LOOKUP_VENDOR, dev->vendor_id);
	(void)pci_lookup_name(access, gpu->device, sizeof gpu->device, PCI_LOOKUP_DEVICE, dev->vendor_id, dev->device_id);
	driver = pci_get_string_property(dev, PCI_FILL_DRIVER);
	if (driver)
		(void)vrs_strcpy(gpu->driver, sizeof gpu->driver, driver);
}

/* False when libpci gave up; what was listed until then stays. */
static bool scan(struct vrs_machine *machine, char *bus_folder)
{
	static char path_parameter[] = "sysfs.path";
	struct pci_access *access = pci_alloc();
	volatile bool complete = false;

	access->method = PCI_ACCESS_SYS_BUS_PCI;
	access->error = leave_libpci;
	access->warning = ignore_message;
	access->debug = ignore_message;
	if (setjmp(on_error) == 0) {
		(void)pci_set_param(access, path_parameter, bus_folder);
		pci_init(access);
		pci_scan_bus(access);
		for (struct pci_dev *dev = access->devices; dev; dev = dev->next)
			add_device(machine, access, dev);
		complete = true;
	}
	if (setjmp(on_error) == 0)
		pci_cleanup(access);
	return complete;
}

/* libpci lists the last device first; the order of addresses is what people expect. */
static void sort_by_address(struct vrs_machine *machine)
{
	for (int i = 1; i < machine->gpu_count; i++) {
		struct vrs_gpu gpu = machine->gpus[i];
		int k = i;

		for (; k > 0 && strcmp(machine->gpus[k - 1].address, gpu.address) > 0; k--)
			machine->gpus[k] = machine->gpus[k - 1];
		machine->gpus[k] = gpu;
	}
}

const char *vrs_machine_gpu_maker(void)
{
	/* what a driver for computing makes, also inside of a container that was given the GPU */
	static const struct {
		const char *device, *maker;
	} drivers[] = {{"/dev/nvidiactl", "NVIDIA"}, {"/dev/kfd", "AMD"}};

	for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++)
		if (vrs_sysfs_exists(drivers[i].device))
			return drivers[i].maker;
	return NULL;
}

void vrs_gpu_list_read(struct vrs_machine *machine)
{
	char folder[VRS_SYSFS_PATH], reason[160];
	const struct vrs_nvml_api *api;

	/* libpci would end in its error function for a folder that is not there. */
	if (!vrs_sysfs_exists("/sys/bus/pci/devices") || !vrs_sysfs_path(folder, sizeof folder, "/sys/bus/pci"))
		vrs_absent_set(machine, "gpus", "no PCI bus in /sys/bus/pci");
	else if (!scan(machine, folder))
		vrs_absent_set(machine, "gpus", "the PCI bus could not be read to its end");
	sort_by_address(machine);
	if (vrs_sysfs_replay())
		return;
	api = vrs_nvml_load(reason, sizeof reason);
	if (api)
		vrs_nvml_describe(api, machine);
}
