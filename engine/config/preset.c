/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * YAML files by name, in folders of the data folders: option sets for profiles (configs/profiles) and machines (configs/hardware), recipes of vrtune
 * (configs/recipes). A name that looks like a path is a file.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "config/config_object.h"

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

static bool is_path(const char *name)
{
	size_t len = strlen(name);

	return strchr(name, '/') || (len > 5 && strcmp(name + len - 5, ".yaml") == 0) || (len > 4 && strcmp(name + len - 4, ".yml") == 0);
}

static enum vrs_status fail_unknown(const char *what, const char *name, const char *folder, struct vrs_error *err)
{
	char **names, list[300] = "";
	enum vrs_status status = vrs_data_names(folder, &names, err);

	if (status != VRS_OK)
		return status;
	for (char **each = names; *each; each++) {
		size_t len = strlen(list);

		(void)snprintf(list + len, sizeof list - len, "%s%s", len ? ", " : "", *each);
	}
	const char *closest = vrs_closest(name, (const char *const *)names);

	status = VRS_ECONFIG;
	if (!names[0])
		(void)vrs_fail(err, status, "there is no %s \"%.80s\": no folder %s was found; is the program installed completely?", what, name, folder);
	else if (closest)
		(void)vrs_fail(err, status, "there is no %s \"%.80s\"; did you mean \"%s\"?", what, name, closest);
	else
		(void)vrs_fail(err, status, "there is no %s \"%.80s\"; choose one of %s", what, name, list);
	vrs_data_names_free(names);
	return status;
}

enum vrs_status vrs_data_find(const char *what, const char *folder, const char *name, char *ret_path, size_t size, struct vrs_error *err)
{
	char file[256];

	if (!name || !*name)
		return vrs_fail(err, VRS_ECONFIG, "the name of the %s is missing", what);
	if (is_path(name))
		return vrs_strcpy(ret_path, size, name) ? VRS_OK : vrs_fail(err, VRS_ELIMIT, "the path %s is too long", name);
	if ((size_t)snprintf(file, sizeof file, "%s/%s.yaml", folder, name) >= sizeof file ||
	    vrs_data_file(file, ret_path, size, NULL) != VRS_OK)
		return fail_unknown(what, name, folder, err);
	return VRS_OK;
}

static enum vrs_status load(struct vrs_config *config, const char *what, const char *folder, const char *name, enum vrs_value_source source,
			    struct vrs_error *err)
{
	char path[VRS_PATH_MAX];
	enum vrs_status status = config ? vrs_data_find(what, folder, name, path, sizeof path, err) : VRS_EINVAL;

	return status == VRS_OK ? vrs_config_load_file(config, path, source, err) : status;
}

enum vrs_status vrs_config_load_profile(struct vrs_config *config, const char *profile, struct vrs_error *err)
{
	return load(config, "profile", "profiles", profile, VRS_SOURCE_PROFILE, err);
}

enum vrs_status vrs_config_load_hardware(struct vrs_config *config, const char *hardware, struct vrs_error *err)
{
	return load(config, "hardware profile", "hardware", hardware, VRS_SOURCE_HARDWARE, err);
}
