/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes a folder of a test with all that is in it; links are not followed. */
#ifndef VRS_TESTS_REMOVE_TREE_H
#define VRS_TESTS_REMOVE_TREE_H

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>

static inline int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static inline int remove_tree(const char *path)
{
	return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
