/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files for targets whose code reads by name: a folder of this process in memory (/dev/shm) or below $TMPDIR, removed at its end. */
#ifndef TESTS_FUZZ_SCRATCH_H
#define TESTS_FUZZ_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../remove_tree.h"

static char scratch_folder[200];

static inline void scratch_remove(void)
{
	(void)remove_tree(scratch_folder);
}

/* FOLDER/name in buf. */
static inline const char *scratch_path(char *buf, size_t size, const char *name)
{
	const char *parent = getenv("TMPDIR");

	parent = parent != NULL ? parent : access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"; /* a disk takes 10 ms a file */

	if (scratch_folder[0] == '\0') {
		(void)snprintf(scratch_folder, sizeof scratch_folder, "%s/vrs-fuzz-XXXXXX", parent);
		if (mkdtemp(scratch_folder) == NULL || atexit(scratch_remove) != 0)
			abort();
	}
	if ((size_t)snprintf(buf, size, "%s/%s", scratch_folder, name) >= size)
		abort();
	return buf;
}

/* The file holds the bytes and nothing else; plain writes, since nobody has to find it after a power failure. */
static inline void scratch_write(const char *path, const void *data, size_t size)
{
	FILE *out = fopen(path, "wb");

	if (out == NULL || (size > 0 && fwrite(data, size, 1, out) != 1) || fclose(out) != 0)
		abort();
}

#endif
