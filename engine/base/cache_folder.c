/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/cache_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define MAX_FILES 100000

struct cached_file {
	char name[NAME_MAX + 1];
	int64_t bytes;
	struct timespec used;
};

struct file_list {
	struct cached_file *files;
	size_t count, capacity;
	double bytes;
};

void vrs_cache_touch(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe in its place is not waited for */

	if (fd < 0)
		return;
	(void)futimens(fd, NULL);
	(void)close(fd);
}

static int by_use(const void *a, const void *b)
{
	const struct cached_file *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

static bool is_named(const char *name, size_t digits, const char *extension)
{
	return strspn(name, "0123456789abcdef") == digits && strcmp(name + digits, extension) == 0;
}

static void list_files(DIR *dir, size_t digits, const char *extension, struct file_list *list)
{
	struct stat st;

	for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
		if (!is_named(entry->d_name, digits, extension) || fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
			continue;
		if (vrs_array_grow(&list->files, &list->capacity, list->count + 1, sizeof *list->files, MAX_FILES) != VRS_OK)
			return; /* those that are listed are trimmed all the same */
		struct cached_file *file = &list->files[list->count++];

		memcpy(file->name, entry->d_name, strlen(entry->d_name) + 1);
		file->bytes = st.st_size;
		file->used = st.st_mtim;
		list->bytes += (double)st.st_size;
	}
}

void vrs_cache_trim(const char *folder, size_t digits, const char *extension, double max_bytes)
{
	struct file_list list = {0};
	DIR *dir = opendir(folder);

	if (!dir)
		return;
	vrs_temp_files_clean(folder, NULL); /* of keys that may never come again */
	list_files(dir, digits, extension, &list);
	if (list.count > 1)
		qsort(list.files, list.count, sizeof *list.files, by_use);
	for (size_t i = 0; i < list.count && list.bytes > max_bytes; i++)
		if (unlinkat(dirfd(dir), list.files[i].name, 0) == 0)
			list.bytes -= (double)list.files[i].bytes;
	vrs_free(list.files);
	(void)closedir(dir);
}
