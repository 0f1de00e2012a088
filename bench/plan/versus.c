/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/plan/versus.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/plan/case.h"
#include "bench/record/result.h"

void vrs_versus_side_fini(struct vrs_versus_side *side)
{
	vrs_config_destroy(side->config);
	side->config = NULL;
}

static enum vrs_status copy_config(const struct vrs_config *from, struct vrs_versus_side *side, struct vrs_error *err)
{
	enum vrs_status status = from ? vrs_config_copy(&side->config, from) : vrs_config_create(&side->config);
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "cannot set up side A: %s", vrs_status_str(status));
}

/* One comma may belong to a value ("[256, 256]"), so a new part begins only where a KEY= follows. */
static char *next_part(char *text)
{
	for (char *comma = strchr(text, ','); comma; comma = strchr(comma + 1, ',')) {
		size_t key = strspn(comma + 1, "abcdefghijklmnopqrstuvwxyz0123456789_. ");
		if (key > 0 && comma[1 + key] == '=') {
			*comma = 0;
			return comma + 1 + strspn(comma + 1, " ");
		}
	}
	return NULL;
}

static enum vrs_status take_changes(const char *what, const struct vrs_config *current, struct vrs_versus_side *side, struct vrs_error *err)
{
	char text[480];
	const char *rate = NULL;
	if (!vrs_strcpy(text, sizeof text, what))
		return vrs_fail(err, VRS_ECONFIG, "--versus takes at most %zu characters of KEY=VALUE; put them into a file", sizeof text - 1);
	snprintf(side->label, sizeof side->label, "this command with %s", what);
	enum vrs_status status = copy_config(current, side, err);
	for (char *part = text, *next; part && status == VRS_OK; part = next) {
		next = next_part(part);
		char *equals = strchr(part, '=');
		*equals = 0; /* each part has one: the caller and next_part have seen it */
		status = vrs_config_set(side->config, part, equals + 1, VRS_SOURCE_FLAG, NULL, err);
		if (status == VRS_OK)
			status = vrs_config_outrank(side->config, part, &rate, err);
	}
	return status;
}

static const struct vrs_case_result *choose_case(const struct vrs_result *result, const char *case_id, const char *path, struct vrs_error *err)
{
	const char *id = case_id ? case_id : result->recommended_case[0] ? result->recommended_case : result->default_case;
	const struct vrs_case_result *c = id[0] ? vrs_result_find_case(result, id) : result->case_count > 0 ? &result->cases[0] : NULL;
	if (!c && case_id)
		(void)vrs_fail(err, VRS_ENOTFOUND, "%s has no case \"%s\"; the first of its %d is \"%s\"", path, case_id, result->case_count,
			       result->case_count ? result->cases[0].id : "");
	else if (!c)
		(void)vrs_fail(err, VRS_ENOTFOUND, "%s recommends no case that can be measured again: give --case ID", path);
	return c;
}

/* A record that names no network was made with what was the default then. */
static enum vrs_status keep_network(struct vrs_config *base, const char *measured, struct vrs_error *err)
{
	if (vrs_config_source(base, "engine.model") != VRS_SOURCE_DEFAULT || !measured[0])
		return VRS_OK;
	return vrs_config_set(base, "engine.model", measured, VRS_SOURCE_FILE, "the record", err);
}

enum vrs_status vrs_versus_base(const struct vrs_result *result, const struct vrs_case_result *c, const char *path, struct vrs_config **ret_base,
				struct vrs_error *err)
{
	const char *yaml = vrs_case_result_settings(result, c);
	struct vrs_config *base = NULL;
	enum vrs_status status = vrs_config_create(&base);
	if (status == VRS_OK && yaml[0])
		status = vrs_config_load_text(base, yaml, strlen(yaml), path, VRS_SOURCE_FILE, err);
	if (status == VRS_OK) {
		vrs_config_keep_recorded(base);
		status = keep_network(base, c->model, err);
	}
	if (status == VRS_OK)
		*ret_base = base;
	else
		vrs_config_destroy(base);
	return status;
}

/* The configuration of side A of an A/B is recorded apart; of any other case it is the base with the case's values. */
static enum vrs_status case_config(const struct vrs_result *result, const struct vrs_case_result *c, const char *path, struct vrs_versus_side *side,
				   struct vrs_error *err)
{
	struct vrs_case values;
	struct vrs_config *base = NULL;
	enum vrs_status status = vrs_case_parse(c->id, &values, err);
	if (status == VRS_OK)
		status = vrs_versus_base(result, c, path, &base, err);
	if (status == VRS_OK)
		status = vrs_case_config(&values, base, &side->config, err);
	vrs_config_destroy(base);
	side->width = values.width;
	side->height = values.height;
	return status;
}

static enum vrs_status take_result(const char *path, const char *case_id, struct vrs_versus_side *side, struct vrs_error *err)
{
	struct vrs_result *result;
	enum vrs_status status = vrs_result_read(&result, path, err);
	if (status != VRS_OK)
		return status;
	const struct vrs_case_result *c = choose_case(result, case_id, path, err);
	status = c ? case_config(result, c, path, side, err) : VRS_ENOTFOUND;
	if (status == VRS_OK) {
		(void)snprintf(side->label, sizeof side->label, "%.200s, case %.255s, measured again", path, c->id);
		side->scope = c->scope;
		if (strcmp(result->input, "synthetic") != 0)
			vrs_strcpy(side->input, sizeof side->input, result->input);
	}
	vrs_result_destroy(result);
	return status;
}

/* A program that answers --run-case is vrbench; beside every vrseg of a build there is one. */
static enum vrs_status take_build(const char *path, const struct vrs_config *current, struct vrs_versus_side *side, struct vrs_error *err)
{
	char *real = realpath(path, NULL);
	bool fits = real && vrs_strcpy(side->program, sizeof side->program, real);
	free(real); /* libc: of realpath */
	if (!fits)
		return vrs_fail(err, VRS_ENOTFOUND, "cannot find the program %s", path);
	char *name = side->program + (vrs_path_base(side->program) - side->program);
	if (strcmp(name, "vrseg") == 0 && (size_t)(name - side->program) + sizeof "vrbench" <= sizeof side->program)
		memcpy(name, "vrbench", sizeof "vrbench");
	if (access(side->program, X_OK) != 0)
		return vrs_fail(err, VRS_ENOTFOUND, "there is no program %s to measure that build with", side->program);
	(void)snprintf(side->label, sizeof side->label, "the build %.400s with this configuration", side->program);
	return copy_config(current, side, err);
}

static bool inside(const char *folder, const char *name, char path[VRS_PATH_MAX])
{
	return vrs_path_join(path, VRS_PATH_MAX, folder, name) == VRS_OK && vrs_path_exists(path);
}

static enum vrs_status take_folder(const char *folder, const char *case_id, const struct vrs_config *current, struct vrs_versus_side *side,
				   struct vrs_error *err)
{
	char path[VRS_PATH_MAX];
	if (inside(folder, "results.json", path))
		return take_result(path, case_id, side, err);
	if (inside(folder, "bin/vrbench", path) || inside(folder, "vrbench", path))
		return take_build(path, current, side, err);
	return vrs_fail(err, VRS_ENOTFOUND, "the folder %s holds neither results.json nor bin/vrbench", folder);
}

static enum vrs_status take_file(const char *path, const char *case_id, const struct vrs_config *current, struct vrs_versus_side *side,
				 struct vrs_error *err)
{
	size_t length = strlen(path);
	if (length > 5 && strcmp(path + length - 5, ".json") == 0)
		return take_result(path, case_id, side, err);
	bool settings = length > 5 && (strcmp(path + length - 5, ".yaml") == 0 || strcmp(path + length - 4, ".yml") == 0);
	if (!settings && access(path, X_OK) == 0) /* some file systems call every file a program, and so may a stranger */
		return take_build(path, current, side, err);
	(void)snprintf(side->label, sizeof side->label, "the configuration %.400s", path);
	enum vrs_status status = copy_config(NULL, side, err);
	return status == VRS_OK ? vrs_config_load_file(side->config, path, VRS_SOURCE_FILE, err) : status;
}

static enum vrs_status take_name(const char *what, struct vrs_versus_side *side, struct vrs_error *err)
{
	bool profile = strcmp(what, "fast") == 0 || strcmp(what, "balanced") == 0 || strcmp(what, "quality") == 0;
	if (!profile && strcmp(what, "default") != 0)
		return vrs_fail(err, VRS_ENOTFOUND,
				"--versus %s: no such file or folder, and not a profile (fast, balanced, quality), \"default\" or KEY=VALUE", what);
	(void)snprintf(side->label, sizeof side->label, profile ? "the profile %.400s" : "the built-in %.400s configuration", what);
	enum vrs_status status = copy_config(NULL, side, err);
	return status == VRS_OK && profile ? vrs_config_load_profile(side->config, what, err) : status;
}

enum vrs_status vrs_versus_resolve(const char *what, const char *case_id, const struct vrs_config *current, struct vrs_versus_side *ret_side,
				   struct vrs_error *err)
{
	struct vrs_versus_side side = {.config = NULL};
	enum vrs_status status;
	if (vrs_path_is_dir(what))
		status = take_folder(what, case_id, current, &side, err);
	else if (vrs_path_exists(what))
		status = take_file(what, case_id, current, &side, err);
	else if (strchr(what, '=') && what[0] != '=')
		status = take_changes(what, current, &side, err);
	else
		status = take_name(what, &side, err);
	if (status == VRS_OK && case_id && !side.width)
		status = vrs_fail(err, VRS_ECONFIG, "--case names a case of a results.json, which --versus %s is not", what);
	if (status == VRS_OK)
		*ret_side = side;
	else
		vrs_versus_side_fini(&side);
	return status;
}
