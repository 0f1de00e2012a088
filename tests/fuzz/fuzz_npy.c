/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NumPy arrays of strangers: no bytes harm, an array that is accepted is as large as the file, and its header written anew reads the same. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <vrseg/npy.h>

#include "base/mem.h"
#include "graph/npy_header.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_round_trip(const struct vrs_npy *array)
{
	struct vrs_npy_header header = {.dtype = array->dtype, .rank = array->rank}, again;
	char text[512];
	size_t len;

	memcpy(header.dims, array->dims, sizeof header.dims);
	len = vrs_npy_header_format(&header, text, sizeof text);
	require(len > 0 && vrs_npy_header_parse(&again, text, len, "again", NULL) == VRS_OK);
	require(again.dtype == header.dtype && again.rank == header.rank && memcmp(again.dims, header.dims, sizeof header.dims) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t live = vrs_mem_stats().live_bytes;
	struct vrs_error err = {0};
	struct vrs_npy array;

	if (vrs_npy_parse(&array, data, size, "fuzz", &err) != VRS_OK) {
		require(err.text[0] != '\0' && array.data == NULL);
	} else {
		require(array.bytes < size && array.bytes == array.elements * vrs_dtype_size(array.dtype));
		check_round_trip(&array);
		vrs_npy_fini(&array);
	}
	require(vrs_mem_stats().live_bytes == live);
	return 0;
}
