/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of a run that nobody trusts: no input harms, and what is taken is a time that is not negative and values that are finite or absent. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "bench/run/run_samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vrs_sample *rows = NULL;
	char path[64];
	int count = 0, fd = memfd_create("samples", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (vrs_samples_read(path, &rows, &count, NULL) == VRS_OK) {
		if (count < 0 || count > VRS_SAMPLES_MAX)
			abort();
		for (int i = 0; i < count; i++)
			if (!(rows[i].seconds >= 0) || isinf(rows[i].clock_mhz) || isinf(rows[i].power_watts) || rows[i].rss_bytes < -1000)
				abort();
		vrs_free(rows);
	}
	close(fd);
	return 0;
}
