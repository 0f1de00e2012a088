/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder with files as the bytes of an input say: a line "@PATH" begins a file, what follows it is its content. */
#ifndef TESTS_FUZZ_SCRATCH_TREE_H
#define TESTS_FUZZ_SCRATCH_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "require.h"
#include "scratch.h"

#define SCRATCH_ROOT "root"
#define SCRATCH_MAX_FILES 300

/* Where names go that begin so; all others go below SCRATCH_ROOT. */
struct scratch_alias {
	const char *begin, *place;
};

/* Below the root whatever the name says: no part of it is empty or begins with a dot. */
static inline bool scratch_is_plain(const char *path, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		char c = path[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("_-.:/", c) != NULL))
			return false;
		if ((c == '.' || c == '/') && (i == 0 || path[i - 1] == '/'))
			return false;
	}
	return length > 0 && length < 150 && path[length - 1] != '/';
}

static inline void scratch_put_file(const struct scratch_alias *alias, const char *name, size_t length, const char *text, size_t size)
{
	char path[600], relative[300], folder[PATH_MAX];
	size_t begin = alias != NULL ? strlen(alias->begin) : 0;
	bool elsewhere = begin > 0 && length >= begin && memcmp(name, alias->begin, begin) == 0;

	if (!scratch_is_plain(name, length))
		return;
	begin = elsewhere ? begin : 0;
	(void)snprintf(relative, sizeof relative, "%s%.*s", elsewhere ? alias->place : SCRATCH_ROOT "/", (int)(length - begin), name + begin);
	vrs_path_folder(folder, scratch_path(path, sizeof path, relative));
	if (vrs_mkdirs(folder, NULL) == VRS_OK && !vrs_path_is_dir(path) && strlen(vrs_path_base(path)) < 200)
		scratch_write(path, text, size);
}

static inline void scratch_put_files(const struct scratch_alias *alias, const char *text, size_t size)
{
	const char *end = text + size;

	for (int i = 0; i < SCRATCH_MAX_FILES && text < end && *text == '@'; i++) {
		const char *line = memchr(text, '\n', (size_t)(end - text)), *next;

		if (line == NULL)
			return;
		next = memmem(line, (size_t)(end - line), "\n@", 2);
		scratch_put_file(alias, text + 1, (size_t)(line - text - 1), line + 1,
				 next == NULL ? (size_t)(end - line - 1) : next < line + 1 ? 0 : (size_t)(next - line));
		text = next == NULL ? end : next + 1;
	}
}

/* An empty root, and beside it a file that nobody may touch. */
static inline void scratch_tree_begin(void)
{
	char path[256];

	scratch_path(path, sizeof path, SCRATCH_ROOT);
	scratch_remove();
	require(mkdir(scratch_folder, 0700) == 0 && mkdir(path, 0700) == 0);
	scratch_write(scratch_path(path, sizeof path, "canary"), "c", 1);
}

static inline void scratch_tree_check(void)
{
	char path[256];
	FILE *canary = fopen(scratch_path(path, sizeof path, "canary"), "rb");

	require(canary != NULL && fgetc(canary) == 'c' && fgetc(canary) == EOF);
	fclose(canary);
}

#endif
