/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <cpuid.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "machine/cpu_features.h"

#define BRAND_LEAVES 3 /* of 16 characters, from leaf 0x80000002 on */

uint64_t vrs_cpu_key(void)
{
	static const int sizes[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
	unsigned words[4 * BRAND_LEAVES + 4];
	uint64_t hash = VRS_HASH_INIT;

	memset(words, 0, sizeof words);
	for (unsigned i = 0; i < BRAND_LEAVES; i++)
		(void)__get_cpuid(0x80000002u + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2], &words[4 * i + 3]); /* absent: zeros */
	/* Leaf 1: family, model and stepping; its other words name the core that is asked. */
	if (__get_cpuid(1, &words[12], &words[13], &words[14], &words[15]))
		words[13] = words[14] = words[15] = 0;
	hash = vrs_hash(hash, words, sizeof words);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		long bytes = sysconf(sizes[i]);

		hash = vrs_hash(hash, &bytes, sizeof bytes);
	}
	return hash ? hash : 1;
}
