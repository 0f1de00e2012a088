/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plan caches from untrusted files: no input harms, a file is taken whole or not at all, and never more entries than the limit. */
#include "backend/plan_cache.h"
#include "base/mem.h"
#include "seal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(const uint8_t *data, size_t size)
{
	struct vrs_plan_cache cache = {.environment = UINT64_C(0x1234)};
	uint64_t value = 0;
	enum vrs_status status = vrs_plan_cache_parse(&cache, data, size);

	require(status == VRS_OK || (status == VRS_EFORMAT && cache.count == 0));
	require(cache.count <= VRS_PLAN_CACHE_MAX && cache.count * 16 <= size);
	for (size_t i = 0; i < cache.count; i++)
		require(vrs_plan_cache_find(&cache, cache.entries[i].key, &value) && value == cache.entries[i].value);
	vrs_plan_cache_fini(&cache);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t live = vrs_mem_stats().live_bytes;

	with_and_without_seal(data, size, parse);
	require(vrs_mem_stats().live_bytes == live);
	return 0;
}
