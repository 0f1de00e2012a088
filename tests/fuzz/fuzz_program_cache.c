/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of compiled programs from anywhere: no input harms, and a binary that is taken lies inside the file, behind this key alone. */
#include "opencl/ocl_program_cache.h"
#include "seal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(const uint8_t *data, size_t size)
{
	static const char key[] = "platform\ndevice\n";
	const uint8_t *end = data + size;
	const void *binary = NULL;
	size_t bytes = 0;
	enum vrs_status status = vrs_ocl_program_cache_parse(data, size, key, &binary, &bytes);

	if (status != VRS_OK) {
		require(status == VRS_EFORMAT && binary == NULL && bytes == 0);
		return;
	}
	const uint8_t *first = binary;

	require(bytes > 0 && bytes < size && first > data + strlen(key) && first + bytes < end);
	require(memcmp(first - strlen(key), key, strlen(key)) == 0);
	require(vrs_ocl_program_cache_parse(data, size, "another\n", &binary, &bytes) == VRS_EFORMAT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	with_and_without_seal(data, size, parse);
	return 0;
}
