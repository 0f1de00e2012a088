/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The folder in which a unit test writes files by plain names: BUILD/tests/scratch/TEST, the current one between enter and leave.  What a killed run
 * has left there goes when the next one enters.
 */
#ifndef VRS_TESTS_SCRATCH_FOLDER_H
#define VRS_TESTS_SCRATCH_FOLDER_H

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "remove_tree.h"

#define SCRATCH_PARENT VRS_BUILD_DIR "/tests/scratch"

/* Setup of cmocka: 0, or -1 with errno set. */
static inline int scratch_folder_enter(const char *test)
{
	if ((mkdir(SCRATCH_PARENT, 0700) != 0 && errno != EEXIST) || chdir(SCRATCH_PARENT) != 0)
		return -1;
	if (remove_tree(test) != 0 && errno != ENOENT)
		return -1;
	return mkdir(test, 0700) != 0 || chdir(test) != 0 ? -1 : 0;
}

/* Teardown: -1 where the test has not removed what it wrote. */
static inline int scratch_folder_leave(const char *test)
{
	return chdir(SCRATCH_PARENT) != 0 ? -1 : rmdir(test);
}

/* Teardown of a test whose files stay until its end: they go with the folder. */
static inline int scratch_folder_remove(const char *test)
{
	return chdir(SCRATCH_PARENT) != 0 ? -1 : remove_tree(test);
}

#endif
