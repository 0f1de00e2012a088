/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NVIDIA GPUs through NVML, loaded with dlopen: no NVIDIA file is needed to build or to run.  The table of functions is open so that tests
 * put their own in.  Signatures and values: NVML API reference (NVIDIA); the ABI of versioned names (_v2, _v3) is fixed.
 */
#ifndef VRS_MACHINE_NVML_H
#define VRS_MACHINE_NVML_H

#include <vrseg/machine.h>

typedef struct vrs_nvml_device *vrs_nvml_handle; /* nvmlDevice_t */

struct vrs_nvml_pci {          /* nvmlPciInfo_t of nvmlDeviceGetPciInfo_v3 */
	char bus_id_legacy[16];
	unsigned domain, bus, device, device_id, subsystem_id;
	char bus_id[32];
};
struct vrs_nvml_utilisation {  /* %, over the driver's last sample period */
	unsigned gpu, memory;
};
struct vrs_nvml_memory {       /* bytes */
	unsigned long long total, free, used;
};

/* Every function returns 0 on success. Those marked (optional) may be NULL. */
struct vrs_nvml_api {
	int (*init)(void);
	const char *(*error_string)(int result);
	int (*driver_version)(char *version, unsigned length);
	int (*count)(unsigned *count);
	int (*handle)(unsigned index, vrs_nvml_handle *device);
	int (*name)(vrs_nvml_handle device, char *name, unsigned length);
	int (*pci)(vrs_nvml_handle device, struct vrs_nvml_pci *pci);
	int (*utilisation)(vrs_nvml_handle device, struct vrs_nvml_utilisation *utilisation); /* (optional) as all below */
	int (*memory)(vrs_nvml_handle device, struct vrs_nvml_memory *memory);
	int (*temperature)(vrs_nvml_handle device, int sensor, unsigned *celsius);
	int (*power)(vrs_nvml_handle device, unsigned *milliwatts);
	int (*energy)(vrs_nvml_handle device, unsigned long long *millijoules);
	int (*clock)(vrs_nvml_handle device, int type, unsigned *mhz);
	int (*fan)(vrs_nvml_handle device, unsigned *percent);
	int (*throttle_reasons)(vrs_nvml_handle device, unsigned long long *reasons);
};

/* The loaded and initialised library, once per process; NULL with a reason (at least 160 bytes) when there is none. Thread-safe. */
const struct vrs_nvml_api *vrs_nvml_load(char *reason, size_t size);
/* Complete machine->gpus: names, driver version, memory; GPUs that the PCI list lacks are added. */
void vrs_nvml_describe(const struct vrs_nvml_api *api, struct vrs_machine *machine);
/* Sensors of all NVIDIA GPUs of an api. */
void vrs_nvml_sensors(const struct vrs_nvml_api *api, struct vrs_machine *machine);

#endif
