/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compose/pack_times.h"

#include "backend/plan_cache.h"
#include "base/hash.h"

/* A value holds both times in us, that of the device above; 0 is none. */
static uint64_t to_us(double ms)
{
	double us = ms * 1e3;

	return us < 1 ? 1 : us < UINT32_MAX ? (uint64_t)us : UINT32_MAX;
}

static uint64_t environment_of(uint64_t device)
{
	return vrs_hash(vrs_hash_str(vrs_plan_cache_host(), "pack times"), &device, sizeof device);
}

bool vrs_pack_times_find(struct vrs_pack_times *ret_times, uint64_t device, uint64_t key)
{
	struct vrs_plan_cache cache;
	uint64_t value = 0;

	vrs_plan_cache_load(&cache, environment_of(device));
	bool known = vrs_plan_cache_find(&cache, key, &value) && (value >> 32) > 0 && (value & UINT32_MAX) > 0;

	vrs_plan_cache_fini(&cache);
	if (known)
		*ret_times = (struct vrs_pack_times){.device_ms = (double)(value >> 32) / 1e3, .cpu_ms = (double)(value & UINT32_MAX) / 1e3};
	return known;
}

void vrs_pack_times_keep(const struct vrs_pack_times *times, uint64_t device, uint64_t key)
{
	struct vrs_plan_cache cache;

	vrs_plan_cache_load(&cache, environment_of(device));
	if (vrs_plan_cache_put(&cache, key, to_us(times->device_ms) << 32 | to_us(times->cpu_ms)) == VRS_OK)
		vrs_plan_cache_save(&cache);
	vrs_plan_cache_fini(&cache);
}
