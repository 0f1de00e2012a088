/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_pocl.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"

bool vrs_ocl_is_pocl(const char *platform)
{
	return strcmp(platform, "Portable Computing Language") == 0;
}

void vrs_ocl_pocl_folder(char *buf, size_t size)
{
	static const char *const places[][2] = {{"POCL_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "/pocl"}, {"HOME", "/.cache/pocl"}};
	char folder[PATH_MAX] = P_tmpdir "/pocl"; /* libc: its name for the folder of temporary files */

	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		const char *value = getenv(places[i][0]);

		if (value) {
			(void)snprintf(folder, sizeof folder, "%s%s", value, places[i][1]);
			break;
		}
	}
	(void)vrs_printable(buf, size, folder);
}
