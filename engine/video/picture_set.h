/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pictures that appear together: all lie in the work folder of their pattern until the last one is there.  Then the old ones move into the work
 * folder and the new ones out of it, and a file "moving" says so meanwhile: whoever opens the set after a kill puts the old ones back.
 */
#ifndef VRS_VIDEO_PICTURE_SET_H
#define VRS_VIDEO_PICTURE_SET_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/work_folder.h"

struct vrs_picture_set {
	char pattern[PATH_MAX];        /* "p%04d.png" */
	struct vrs_work_folder folder;
	uint64_t *sizes;               /* bytes of the pictures that are there, from number 0: by them a moved one is known again */
	size_t capacity;
	int count;
	uint32_t run;                  /* in the names of this run's files */
};

/* The name of picture `number`. VRS_ELIMIT. */
enum vrs_status vrs_picture_name(const char *pattern, int number, char path[PATH_MAX], struct vrs_error *err);
/*
 * Take the work folder, and undo what a killed run has begun.  As vrs_work_folder_open; VRS_EEXIST: also where that is not possible; VRS_EFORMAT:
 * what that run has noted is damaged, and nothing was moved or removed.
 */
enum vrs_status vrs_picture_set_open(struct vrs_picture_set *set, const char *pattern, struct vrs_error *err);
/* The next picture. VRS_EEXIST: its place is taken and overwrite is false; VRS_ECONFIG, VRS_EIO, VRS_ENOSPC, VRS_ENOMEM. */
enum vrs_status vrs_picture_set_add(struct vrs_picture_set *set, const void *data, size_t size, bool overwrite, struct vrs_error *err);
/* A pattern of the pictures that are there, before they get their names. VRS_ELIMIT. */
enum vrs_status vrs_picture_set_pattern(const struct vrs_picture_set *set, char ret_pattern[PATH_MAX], struct vrs_error *err);
/* All get their names, or none does. As vrs_picture_set_add. */
enum vrs_status vrs_picture_set_finish(struct vrs_picture_set *set, bool overwrite, struct vrs_error *err);
/* Without a finish before it: forget the pictures. Fine on zeroed memory. */
void vrs_picture_set_close(struct vrs_picture_set *set);

#endif
