/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/sequence_gap.h"

#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libavformat/avformat.h>

#include "base/file.h"
#include "base/mem.h"

/* The number that makes this name of the pattern; -1: none does. */
static int number_of(const char *pattern, const char *name)
{
	char own[PATH_MAX];
	long number = strtol(name + strcspn(pattern, "%"), NULL, 10);

	if (number < 0 || number > INT_MAX || av_get_frame_filename(own, sizeof own, pattern, (int)number) < 0 || strcmp(own, name) != 0)
		return -1;
	return (int)number;
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static enum vrs_status tell_gap(const char *pattern, int before, int behind, struct vrs_error *err)
{
	char missing[PATH_MAX], next[PATH_MAX];

	if (av_get_frame_filename(missing, sizeof missing, pattern, before + 1) < 0 || av_get_frame_filename(next, sizeof next, pattern, behind) < 0)
		return VRS_OK;
	return vrs_fail(err, VRS_EFORMAT, "%s is missing, and %s comes behind it; a pattern like 'p*.png' takes the pictures that are there", missing, next);
}

static enum vrs_status check_numbers(const char *pattern, const glob_t *found, struct vrs_error *err)
{
	int *numbers = vrs_calloc(found->gl_pathc + 1, sizeof *numbers);
	enum vrs_status status = VRS_OK;
	size_t count = 0;

	if (!numbers)
		return vrs_fail(err, VRS_ENOMEM, "no memory for the names of %zu pictures", found->gl_pathc);
	for (size_t i = 0; i < found->gl_pathc; i++) {
		numbers[count] = number_of(pattern, found->gl_pathv[i]);
		count += numbers[count] >= 0;
	}
	qsort(numbers, count, sizeof *numbers, compare);
	for (size_t i = 1; i < count && status == VRS_OK; i++)
		if (numbers[i] != numbers[i - 1] + 1)
			status = tell_gap(pattern, numbers[i - 1], numbers[i], err);
	vrs_free(numbers);
	return status;
}

enum vrs_status vrs_sequence_check(const char *pattern, struct vrs_error *err)
{
	char wide[PATH_MAX];
	glob_t found = {0};
	enum vrs_status status = VRS_OK;

	if (strchr(pattern, '%') && vrs_sequence_pattern(pattern, wide, sizeof wide) && glob(wide, GLOB_NOSORT, NULL, &found) == 0)
		status = check_numbers(pattern, &found, err);
	globfree(&found);
	return status;
}
