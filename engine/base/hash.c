/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FNV-1a, 64 bits (Fowler, Noll, Vo). */
#include "base/hash.h"

#include <string.h>

#define FNV_PRIME UINT64_C(0x100000001b3)

uint64_t vrs_hash(uint64_t seed, const void *data, size_t len)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < len; i++)
		seed = (seed ^ bytes[i]) * FNV_PRIME;
	return seed;
}

uint64_t vrs_hash_str(uint64_t seed, const char *s)
{
	return vrs_hash(seed, s, strlen(s));
}
