/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Building blocks of vrs_machine_read_sensors: one function per source, each adds what it finds to machine->sensors. */
#ifndef VRS_MACHINE_SENSORS_H
#define VRS_MACHINE_SENSORS_H

#include <vrseg/machine.h>

/* Append a sensor; its unit follows from the kind. NULL when value is not finite or the list is full (then an absent line counts them). */
struct vrs_sensor *vrs_sensor_add(struct vrs_machine *machine, enum vrs_sensor_kind kind, double value, const char *name_fmt, ...) VRS_PRINTF(4, 5);
/* Clocks of all processors in MHz; count 0: not observable. */
struct vrs_clocks {
	double min, max, sum;
	int count;
	const char *source;
};
void vrs_clocks_read(struct vrs_clocks *ret_clocks);
/* Throttle events of all cores and of the package that had most, since boot; -1: not observable. */
int64_t vrs_throttle_events(void);
/* Chips of /sys/class/hwmon; thermal zones where no chip gives a temperature. */
void vrs_hwmon_read(struct vrs_machine *machine);
/* Energy counters of /sys/class/powercap, and power since the last reading. */
void vrs_rapl_read(struct vrs_machine *machine);
/* NVIDIA GPUs: loads NVML if the machine lists devices and is no replay; else an absent line "nvidia sensors". */
void vrs_nvml_read(struct vrs_machine *machine);
/* GPUs whose driver shows its state in /sys/class/drm: amdgpu, i915, xe. */
void vrs_drm_read(struct vrs_machine *machine);

#endif
