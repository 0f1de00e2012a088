/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/dataset.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str_parse.h"
#include "bench/judge/comparison.h"

enum vrs_status vrs_dataset_load(struct vrs_result **ret_result, const char *path, char *ret_folder, size_t size, struct vrs_error *err)
{
	char file[VRS_PATH_MAX], folder[VRS_PATH_MAX];
	bool fits;
	if (vrs_path_is_dir(path)) {
		fits = vrs_strcpy(folder, sizeof folder, path) && vrs_path_join(file, sizeof file, path, "results.json") == VRS_OK;
	} else {
		fits = vrs_strcpy(file, sizeof file, path) && vrs_strcpy(folder, sizeof folder, path);
		size_t base = (size_t)(vrs_path_base(path) - path);
		if (fits)
			(void)vrs_strcpy(folder + base, sizeof folder - base, base ? "" : ".");
	}
	if (!fits || strlen(folder) >= size)
		return vrs_fail(err, VRS_ELIMIT, "the path %s is too long", path);
	struct vrs_result *result = NULL;
	enum vrs_status status = vrs_result_read(&result, file, err);
	if (status == VRS_OK)
		status = vrs_compare_check(result, file, err);
	if (status == VRS_OK) {
		*ret_result = result;
		(void)vrs_strcpy(ret_folder, size, folder);
	} else {
		vrs_result_destroy(result);
	}
	return status;
}

const char *vrs_axis_name(enum vrs_axis axis)
{
	static const char *const names[VRS_AXIS_COUNT] = {"resolution", "batch", "precision", "threads"};
	return names[axis];
}

void vrs_axis_value(const struct vrs_case_result *c, enum vrs_axis axis, char *buf, size_t size)
{
	switch (axis) {
	case VRS_AXIS_RESOLUTION: snprintf(buf, size, "%dx%d", c->width, c->height); break;
	case VRS_AXIS_BATCH: snprintf(buf, size, "%d", c->batch); break;
	case VRS_AXIS_PRECISION: snprintf(buf, size, "%s", vrs_name_of(&vrs_precision_names, (int)c->precision)); break;
	case VRS_AXIS_THREADS: snprintf(buf, size, "%d", c->threads); break;
	case VRS_AXIS_COUNT: snprintf(buf, size, "%s", ""); break;
	}
}

const struct vrs_case_result *vrs_default_case(const struct vrs_result *result)
{
	return result->default_case[0] ? vrs_result_find_case(result, result->default_case) : NULL;
}

/* Do two cases agree in everything but one axis? */
static bool same_but(const struct vrs_case_result *a, const struct vrs_case_result *b, enum vrs_axis axis)
{
	for (int i = 0; i < VRS_AXIS_COUNT; i++) {
		char x[32], y[32];
		vrs_axis_value(a, i, x, sizeof x);
		vrs_axis_value(b, i, y, sizeof y);
		if (i != (int)axis && strcmp(x, y) != 0)
			return false;
	}
	return vrs_case_result_same_kind(a, b) && a->streams == b->streams && a->net_width == b->net_width && a->net_height == b->net_height &&
	       strcmp(a->model, b->model) == 0;
}

static int64_t axis_order(const struct vrs_case_result *c, enum vrs_axis axis)
{
	switch (axis) {
	case VRS_AXIS_RESOLUTION: return (int64_t)c->width * c->height;
	case VRS_AXIS_BATCH: return c->batch;
	case VRS_AXIS_THREADS: return c->threads;
	default: break;
	}
	return c->precision == VRS_PRECISION_NOT_KNOWN ? vrs_precision_names.count : (int)c->precision;
}

int vrs_axis_cases(const struct vrs_result *result, enum vrs_axis axis, const struct vrs_case_result **ret_cases, int max)
{
	const struct vrs_case_result *base = vrs_default_case(result);
	int n = 0;
	for (int i = 0; base && i < result->case_count && n < max; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		if (vrs_case_result_ok_runs(c) == 0 || !same_but(c, base, axis))
			continue;
		int at = n++;
		for (; at > 0 && axis_order(ret_cases[at - 1], axis) > axis_order(c, axis); at--)
			ret_cases[at] = ret_cases[at - 1];
		ret_cases[at] = c;
	}
	return n;
}

void vrs_dataset_cpu(const struct vrs_result *result, char *ret_model, size_t size, int *ret_allowed)
{
	cJSON *machine = NULL;
	int64_t allowed = 0;
	const char *model = NULL;
	if (vrs_json_parse(result->machine_json, strlen(result->machine_json), sizeof result->machine_json, "environment", &machine, NULL) == VRS_OK) {
		const cJSON *cpu = cJSON_GetObjectItemCaseSensitive(machine, "cpu");
		model = cpu ? vrs_json_string(cpu, "model") : NULL;
		if (cpu)
			(void)vrs_json_int(cpu, "allowed_threads", &allowed);
	}
	(void)vrs_strcpy(ret_model, size, model ? model : "");
	*ret_allowed = allowed > 0 && allowed < 4096 ? (int)allowed : 0;
	cJSON_Delete(machine);
}
