/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What packing a frame took on a device and on the CPU, kept from job to job in the folder `plans` of the cache folder (backend/plan_cache.h).  Times
 * hold for this build and CPU, and for a device with its driver, by its hash (backend/frame_device.h).  The key is what is packed.
 */
#ifndef VRS_COMPOSE_PACK_TIMES_H
#define VRS_COMPOSE_PACK_TIMES_H

#include <stdbool.h>
#include <stdint.h>

struct vrs_pack_times {
	double device_ms, cpu_ms;
};

/* False: nothing is known, or what there is makes no sense. Thread-safe, as all here. */
bool vrs_pack_times_find(struct vrs_pack_times *ret_times, uint64_t device, uint64_t key);
/* Both above 0.  Without a place to keep them they are measured again next time. */
void vrs_pack_times_keep(const struct vrs_pack_times *times, uint64_t device, uint64_t key);

#endif
