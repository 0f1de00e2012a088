/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The target called with an exactly sized block, so that AddressSanitizer sees a read of one byte too many. */
#ifndef TESTS_FUZZ_EXACT_H
#define TESTS_FUZZ_EXACT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The byte at `changed` is XORed with mask; SIZE_MAX: none. */
static inline void run_exact(const void *data, size_t size, size_t changed, uint8_t mask)
{
	uint8_t *copy = malloc(size ? size : 1); /* libc: the sanitizer guards its end */

	if (!copy)
		abort();
	if (size)
		memcpy(copy, data, size);
	if (changed < size)
		copy[changed] ^= mask;
	LLVMFuzzerTestOneInput(copy, size);
	free(copy); /* libc: see above */
}

#endif
