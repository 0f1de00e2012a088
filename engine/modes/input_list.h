/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inputs of a run over several files: operands, and the videos in folders among them. */
#ifndef VRS_MODES_INPUT_LIST_H
#define VRS_MODES_INPUT_LIST_H

#include <stdbool.h>

#include <vrseg/status.h>

struct vrs_input {
	char *path;   /* to open */
	char *folder; /* below the operand: "2024/trip" for IN_DIR/2024/trip/clip.mp4; "" for files named directly */
};

struct vrs_input_list {
	struct vrs_input *items;
	int count, capacity;
	bool any_folder;
};

/*
 * Files stay as they are named; a folder gives its videos (by extension) in the order of their names, with those of its sub-folders when recursive.
 * Outputs of an earlier run (NAME_SUFFIX.* beside NAME.*) are left out.  skip_folder: a folder that is not looked into (the outputs'), or NULL.
 * VRS_ENOTFOUND, or VRS_ECONFIG where it is not the first one and may have been meant as the output; VRS_EIO, VRS_ENOMEM.  Release with
 * vrs_input_list_fini, also after a failure.
 */
enum vrs_status vrs_input_list_collect(struct vrs_input_list *list, const char *const *operands, int operand_count, bool recursive,
				       const char *suffix, const char *skip_folder, struct vrs_error *err) VRS_MUST_CHECK;
void vrs_input_list_fini(struct vrs_input_list *list);

#endif
