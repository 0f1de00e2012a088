/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Named option sets: profiles (configs/profiles) and machines (configs/hardware). A name that looks like a path is a file. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/str_parse.h"
#include "config/config_object.h"

#define MAX_NAMES 64

static bool is_path(const char *name)
{
	size_t len = strlen(name);

	return strchr(name, '/') || (len > 5 && strcmp(name + len - 5, ".yaml") == 0) || (len > 4 && strcmp(name + len - 4, ".yml") == 0);
}

/* Names of the YAML files in a folder of the data folders; returns their number. */
static int collect_names(const char *folder, char names[MAX_NAMES][64])
{
	char dir[VRS_PATH_MAX], path[VRS_PATH_MAX];
	int count = 0;

	for (int i = 0; vrs_data_dir(i, dir, sizeof dir); i++) {
		struct dirent *entry;
		DIR *handle = vrs_path_join(path, sizeof path, dir, folder) == VRS_OK ? opendir(path) : NULL;

		while (handle && count < MAX_NAMES && (entry = readdir(handle))) {
			size_t len = strlen(entry->d_name);

			if (len < 6 || len - 5 >= 64 || strcmp(entry->d_name + len - 5, ".yaml") != 0)
				continue;
			memcpy(names[count], entry->d_name, len - 5);
			names[count++][len - 5] = '\0';
		}
		if (handle)
			closedir(handle);
	}
	return count;
}

static enum vrs_status fail_unknown(const char *what, const char *name, const char *folder, struct vrs_error *err)
{
	char names[MAX_NAMES][64], list[300] = "";
	const char *candidates[MAX_NAMES + 1], *closest;
	int count = collect_names(folder, names);

	for (int i = 0; i < count; i++) {
		size_t len = strlen(list);

		candidates[i] = names[i];
		(void)snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : "", names[i]);
	}
	candidates[count] = NULL;
	closest = vrs_closest(name, candidates);
	if (!count)
		return vrs_fail(err, VRS_ECONFIG, "there is no %s \"%.80s\": no folder %s was found; is the program installed completely?", what,
				name, folder);
	if (closest)
		return vrs_fail(err, VRS_ECONFIG, "there is no %s \"%.80s\"; did you mean \"%s\"?", what, name, closest);
	return vrs_fail(err, VRS_ECONFIG, "there is no %s \"%.80s\"; choose one of %s", what, name, list);
}

static enum vrs_status load(struct vrs_config *config, const char *what, const char *folder, const char *name, enum vrs_value_source source,
			    struct vrs_error *err)
{
	char file[256], path[VRS_PATH_MAX];

	if (!config || !name || !*name)
		return vrs_fail(err, VRS_ECONFIG, "the name of the %s is missing", what);
	if (is_path(name))
		return vrs_config_load_file(config, name, source, err);
	if ((size_t)snprintf(file, sizeof file, "%s/%s.yaml", folder, name) >= sizeof file ||
	    vrs_data_file(file, path, sizeof path, NULL) != VRS_OK)
		return fail_unknown(what, name, folder, err);
	return vrs_config_load_file(config, path, source, err);
}

enum vrs_status vrs_config_load_profile(struct vrs_config *config, const char *profile, struct vrs_error *err)
{
	return load(config, "profile", "profiles", profile, VRS_SOURCE_PROFILE, err);
}

enum vrs_status vrs_config_load_hardware(struct vrs_config *config, const char *hardware, struct vrs_error *err)
{
	return load(config, "hardware profile", "hardware", hardware, VRS_SOURCE_HARDWARE, err);
}
