/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer's own changes, and one time in eight another number in a text. */
#include "text_number.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size); /* of libFuzzer */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	struct vrs_rng rng;

	vrs_rng_init(&rng, seed);
	if (size > 0 && vrs_rng_below(&rng, 8) == 0)
		return change_text_number(&rng, data, size, max_size);
	return LLVMFuzzerMutate(data, size, max_size);
}
