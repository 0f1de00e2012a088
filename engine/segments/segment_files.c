/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "segments/segment_files.h"

#include <stdio.h>

bool vrs_segment_file(const struct vrs_work_folder *folder, int number, char *ret_path, size_t size)
{
	int n = snprintf(ret_path, size, "%s/segment-%06d.part", folder->path, number);
	return n > 0 && (size_t)n < size;
}

void vrs_segment_files_clear(const struct vrs_work_folder *folder)
{
	/* the checkpoint first: without it nothing says that the segments belong together */
	static const char *const patterns[] = {VRS_CHECKPOINT_NAME, "." VRS_CHECKPOINT_NAME ".*", "segment-?*", ".segment-?*",
		"lock", "piece-?*", /* of earlier versions */
		"." VRS_WORK_OUTPUT ".*"}; /* last: by this the next run knows that the output is made of them */
	for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
		vrs_work_folder_remove(folder, patterns[i]);
}
