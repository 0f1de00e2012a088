/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The results that a command line names: files, result folders, and folders that hold such files and folders. */
#ifndef VRS_ANALYZER_RESULT_LIST_H
#define VRS_ANALYZER_RESULT_LIST_H

#include <stddef.h>

#include <vrseg/status.h>

struct vrs_result_list {
	char **paths;
	size_t room;
	int count;
};

/*
 * Add what a name stands for: a file, or a folder with results.json, as it is; of another folder every result below it, in order of names: result
 * folders, into which nothing looks further, and *.json files that begin as results do.  A folder without any stands for itself, and fails when it is
 * read.  Links to folders are not followed.  VRS_ENOMEM; VRS_ELIMIT: more than 10,000.
 */
enum vrs_status vrs_result_list_add(struct vrs_result_list *list, const char *name, struct vrs_error *err);
void vrs_result_list_fini(struct vrs_result_list *list);

#endif
