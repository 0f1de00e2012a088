/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "segments/segment_files.h"

#include <inttypes.h>
#include <stdio.h>

static bool name_file(const struct vrs_work_folder *folder, int number, const char *extension, char *ret_path, size_t size)
{
	int n = snprintf(ret_path, size, "%s/segment-%06d.%s", folder->path, number, extension);
	return n > 0 && (size_t)n < size;
}

bool vrs_segment_file(const struct vrs_work_folder *folder, int number, char *ret_path, size_t size)
{
	return name_file(folder, number, "part", ret_path, size);
}

static bool name_worker_file(const struct vrs_work_folder *folder, int number, uint64_t mark, const char *extension, char *ret_path, size_t size)
{
	char rest[64];
	snprintf(rest, sizeof rest, "part.%016" PRIx64 "%s", mark, extension);
	return name_file(folder, number, rest, ret_path, size);
}

bool vrs_segment_worker_file(const struct vrs_work_folder *folder, int number, uint64_t mark, char *ret_path, size_t size)
{
	return name_worker_file(folder, number, mark, "", ret_path, size);
}

bool vrs_segment_worker_trace(const struct vrs_work_folder *folder, int number, uint64_t mark, char *ret_path, size_t size)
{
	return name_worker_file(folder, number, mark, ".trace", ret_path, size);
}

bool vrs_segment_past_file(const struct vrs_work_folder *folder, int number, char *ret_path, size_t size)
{
	return name_file(folder, number, "past", ret_path, size);
}

void vrs_segment_files_clean(const struct vrs_work_folder *folder)
{
	(void)vrs_work_folder_remove(folder, "segment-??????.part.?*");
}

bool vrs_segment_files_clear(const struct vrs_work_folder *folder)
{
	/* the checkpoint first: without it nothing says that the segments belong together */
	static const char *const patterns[] = {VRS_CHECKPOINT_NAME, ("." VRS_CHECKPOINT_NAME ".*"), "segment-?*", ".segment-?*",
		"lock", "piece-?*"}; /* of earlier versions */
	bool good = true;
	for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
		good &= vrs_work_folder_remove(folder, patterns[i]);
	return good;
}
