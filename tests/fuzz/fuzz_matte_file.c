/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of cached mattes that nobody trusts: no input harms, and a file that is taken gives every frame or says that it cannot. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "matte/matte_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vrs_matte_reader *reader;
	char path[64];
	int fd = memfd_create("mattes", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (vrs_matte_reader_open(&reader, path, NULL) == VRS_OK) {
		struct vrs_matte_shape shape = vrs_matte_reader_shape(reader);
		size_t pixels = (size_t)shape.width * (size_t)shape.height;
		uint8_t *bytes = malloc(2 * pixels); /* libc: the fuzzer's own room */
		struct vrs_matte mattes[2] = {{shape.width, shape.height, shape.width, bytes}, {shape.width, shape.height, shape.width, bytes + pixels}};
		struct vrs_rect covers[2];

		for (uint64_t i = 0; bytes && i < vrs_matte_reader_frames(reader) && i < 100; i++)
			if (vrs_matte_reader_get(reader, i, mattes, covers) == VRS_EINVAL)
				abort();
		free(bytes);
		vrs_matte_reader_close(reader);
	}
	close(fd);
	return 0;
}
