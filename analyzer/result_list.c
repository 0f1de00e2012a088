/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/result_list.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <vrseg/options.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

enum { RESULTS_MAX = 10000, DEPTH_MAX = 8, HEAD = 512 };

static enum vrs_status add_path(struct vrs_result_list *list, const char *path, struct vrs_error *err)
{
	enum vrs_status status = vrs_array_grow(&list->paths, &list->room, (size_t)list->count + 1, sizeof *list->paths, RESULTS_MAX);
	if (status == VRS_ELIMIT)
		return vrs_fail(err, status, "more than %d results at a time", RESULTS_MAX);
	char *copy = status == VRS_OK ? vrs_strdup(path) : NULL;
	if (!copy)
		return vrs_fail_nomem(err);
	list->paths[list->count++] = copy;
	return VRS_OK;
}

static bool holds_result(const char *folder)
{
	char path[VRS_PATH_MAX];
	return vrs_path_join(path, sizeof path, folder, "results.json") == VRS_OK && vrs_path_exists(path);
}

/* Does a file begin as vrs_result_write begins?  Whether it is whole is seen when it is read. */
static bool looks_like_result(const char *path, const struct stat *info)
{
	char head[HEAD + 1] = "";
	size_t length = strlen(path);
	if (!S_ISREG(info->st_mode) || length < 5 || strcmp(path + length - 5, ".json") != 0)
		return false;
	FILE *in = fopen(path, "re");
	size_t got = in ? fread(head, 1, HEAD, in) : 0;
	if (in)
		(void)fclose(in);
	head[got] = 0;
	return strstr(head, "\"schema\"") && strstr(head, "\"vrbench/");
}

static enum vrs_status add_below(struct vrs_result_list *list, const char *folder, int depth, struct vrs_error *err)
{
	struct dirent **names = NULL;
	enum vrs_status status = VRS_OK;
	int count = scandir(folder, &names, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		char path[VRS_PATH_MAX];
		struct stat info;
		if (status == VRS_OK && names[i]->d_name[0] != '.' && vrs_path_join(path, sizeof path, folder, names[i]->d_name) == VRS_OK &&
		    lstat(path, &info) == 0) {
			if (S_ISDIR(info.st_mode) && holds_result(path))
				status = add_path(list, path, err);
			else if (S_ISDIR(info.st_mode) && depth < DEPTH_MAX)
				status = add_below(list, path, depth + 1, err);
			else if (looks_like_result(path, &info))
				status = add_path(list, path, err);
		}
		free(names[i]); /* libc: of scandir */
	}
	free(names); /* libc: of scandir */
	return status;
}

enum vrs_status vrs_result_list_add(struct vrs_result_list *list, const char *name, struct vrs_error *err)
{
	int before = list->count;
	enum vrs_status status = VRS_OK;
	if (vrs_path_is_dir(name) && !holds_result(name))
		status = add_below(list, name, 0, err);
	return status == VRS_OK && list->count == before ? add_path(list, name, err) : status;
}

void vrs_result_list_fini(struct vrs_result_list *list)
{
	for (int i = 0; i < list->count; i++)
		vrs_free(list->paths[i]);
	vrs_free(list->paths);
}
