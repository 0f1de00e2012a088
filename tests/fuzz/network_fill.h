/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs of networks in fuzz targets: numbers of -1 to 1, among them strange ones where that is wanted. */
#ifndef TESTS_FUZZ_NETWORK_FILL_H
#define TESTS_FUZZ_NETWORK_FILL_H

#include <math.h>
#include <string.h>

#include "graph/ir.h"

#define NETWORK_SEED 7u /* of input 0, one more for each further one */

static inline void network_fill(void *data, enum vrs_dtype dtype, size_t elements, unsigned seed, bool wild)
{
	static const float strange[] = {NAN, INFINITY, -3e38f, 1e-42f};
	size_t each = vrs_dtype_size(dtype);

	for (size_t i = 0; i < elements; i++) {
		seed = seed * 1664525u + 1013904223u;
		if (dtype == VRS_F32)
			((float *)data)[i] = wild && seed >> 26 == 5 ? strange[i % 4] : (float)(seed >> 24) / 128 - 1;
		else
			memset((char *)data + i * each, seed >> 31 ? 0 : (int)(dtype != VRS_F16 && dtype != VRS_F64), 1);
	}
}

#endif
