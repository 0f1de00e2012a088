/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/memory_use.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

uint64_t vrs_rss_bytes(void)
{
	uint64_t pages = 0;
	FILE *in = fopen("/proc/self/statm", "re");

	if (in && fscanf(in, "%*s %" SCNu64, &pages) != 1)
		pages = 0;
	if (in)
		fclose(in);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t vrs_peak_rss_bytes(void)
{
	uint64_t kib = 0;
	char line[256];
	FILE *in = fopen("/proc/self/status", "re");

	while (in && fgets(line, sizeof line, in))
		if (sscanf(line, "VmHWM: %" SCNu64 " kB", &kib) == 1)
			break;
	if (in)
		fclose(in);
	return kib * 1024;
}
