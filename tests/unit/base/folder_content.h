/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a test finds and leaves in a folder of its own. */
#ifndef TESTS_UNIT_BASE_FOLDER_CONTENT_H
#define TESTS_UNIT_BASE_FOLDER_CONTENT_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

/* The folder and the files in it. */
static inline int remove_with_files(const char *folder)
{
	char path[512];
	DIR *dir = opendir(folder);

	for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.' || strlen(entry->d_name) > 2)
			unlink(path);
	}
	if (dir)
		closedir(dir);
	return rmdir(folder);
}

/* Hidden ones too. */
static inline int count_files(const char *folder)
{
	DIR *dir = opendir(folder);
	int n = 0;

	assert_non_null(dir);
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(dir);
	return n;
}

static inline void assert_content(const char *path, const char *expected)
{
	struct vrs_buf buf;

	assert_int_equal(vrs_file_read(path, 1 << 20, &buf, NULL), VRS_OK);
	assert_string_equal(vrs_buf_str(&buf), expected);
	vrs_buf_fini(&buf);
}

#endif
