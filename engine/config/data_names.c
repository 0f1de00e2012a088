/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be named: the YAML files in a folder of the data folders. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vrseg/config.h>

#include "base/file.h"
#include "base/mem.h"

#define EXTENSION ".yaml"
#define MAX_NAMES 256

struct name_list {
	char **names;
	int count;
};

static bool has_name(const struct name_list *list, const char *name)
{
	for (int i = 0; i < list->count; i++)
		if (strcmp(list->names[i], name) == 0)
			return true;
	return false;
}

static enum vrs_status collect(struct name_list *list, const char *folder)
{
	struct dirent *entry;
	DIR *dir = opendir(folder);
	enum vrs_status status = VRS_OK;

	while (dir && status == VRS_OK && list->count < MAX_NAMES && (entry = readdir(dir))) {
		char name[256];
		size_t length = strlen(entry->d_name);

		if (length < sizeof EXTENSION || strcmp(entry->d_name + length + 1 - sizeof EXTENSION, EXTENSION) != 0)
			continue;
		(void)snprintf(name, sizeof name, "%.*s", (int)(length + 1 - sizeof EXTENSION), entry->d_name);
		if (has_name(list, name))
			continue; /* the first data folder wins, as in vrs_data_file */
		list->names[list->count] = vrs_strdup(name);
		if (!list->names[list->count])
			status = VRS_ENOMEM;
		else
			list->count++;
	}
	if (dir)
		closedir(dir);
	return status;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

enum vrs_status vrs_data_names(const char *folder, char ***ret_names, struct vrs_error *err)
{
	struct name_list list = {.names = vrs_calloc(MAX_NAMES + 1, sizeof *list.names)};
	char dir[VRS_PATH_MAX], path[VRS_PATH_MAX];
	enum vrs_status status = list.names ? VRS_OK : VRS_ENOMEM;

	for (int i = 0; status == VRS_OK && vrs_data_dir(i, dir, sizeof dir); i++)
		if (vrs_path_join(path, sizeof path, dir, folder) == VRS_OK)
			status = collect(&list, path);
	if (status != VRS_OK) {
		vrs_data_names_free(list.names);
		return vrs_fail(err, status, "out of memory while listing the %s", folder);
	}
	qsort(list.names, (size_t)list.count, sizeof *list.names, compare_names);
	*ret_names = list.names;
	return VRS_OK;
}

void vrs_data_names_free(char **names)
{
	for (char **name = names; name && *name; name++)
		vrs_free(*name);
	vrs_free(names);
}
