/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files in place of a finished Matroska one: no input harms, the size stays, a refusal is a sentence and leaves the file as it is, and
 * identifiers that were set once are set to the same again.  The end that the file states is one, or none.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "require.h"
#include "scratch.h"
#include "video/ebml.h"
#include "video/matroska_uids.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool holds(const char *path, const void *data, size_t size)
{
	struct vrs_buf file;

	require(vrs_file_read(path, SIZE_MAX, &file, NULL) == VRS_OK && file.len == size);
	bool same = size == 0 || memcmp(vrs_buf_str(&file), data, size) == 0;

	vrs_buf_fini(&file);
	return same;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t live = vrs_mem_stats().live_bytes;
	struct vrs_error err = {0};
	struct vrs_buf once;
	char path[256];

	scratch_write(scratch_path(path, sizeof path, "made.mkv"), data, size);
	require(vrs_matroska_stated_end(path) >= 0);
	if (vrs_matroska_uids_set(path, &err) != VRS_OK) {
		require(err.status == VRS_EFORMAT && err.text[0] != '\0' && holds(path, data, size));
	} else {
		require(vrs_file_read(path, SIZE_MAX, &once, NULL) == VRS_OK && once.len == size);
		require(vrs_matroska_uids_set(path, NULL) == VRS_OK && holds(path, vrs_buf_str(&once), size));
		vrs_buf_fini(&once);
	}
	require(vrs_mem_stats().live_bytes == live);
	return 0;
}
