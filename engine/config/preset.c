/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Named option sets: profiles (configs/profiles) and machines (configs/hardware). A name that looks like a path is a file. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/str_parse.h"
#include "config/config_object.h"

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
