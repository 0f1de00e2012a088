/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that end with a hash of all before it: what stands behind the check of that is reached by no fuzzer that has to guess 64 bits. */
#ifndef TESTS_FUZZ_SEAL_H
#define TESTS_FUZZ_SEAL_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/little_endian.h"
#include "require.h"

/* The target for the input as it is, and, where that has room for a hash, with the right one. */
static inline void with_and_without_seal(const uint8_t *data, size_t size, void (*target)(const uint8_t *data, size_t size))
{
	target(data, size);
	if (size < 8)
		return;
	uint8_t *copy = malloc(size); /* libc: an exact block for the sanitizer */

	require(copy != NULL);
	memcpy(copy, data, size);
	vrs_store_le64(copy + size - 8, vrs_hash_block(VRS_HASH_INIT, copy, size - 8));
	target(copy, size);
	free(copy); /* libc: see above */
}

#endif
