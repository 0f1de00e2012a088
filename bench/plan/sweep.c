/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Axes: from lists, files and defaults. The cases that they make are in sweep_cases.c. */
#include "bench/plan/sweep.h"

#include <stdio.h>
#include <string.h>

#include <vrseg/yaml.h>

#include "base/file.h"
#include "base/str_parse.h"

static const struct {
	const char *name;
	int width, height;
} size_names[] = {{"1080p", 1920, 1080}, {"1440p", 2560, 1440}, {"4k", 3840, 2160}, {"6k", 5760, 3240}, {"8k", 7680, 4320}, {"vr4k", 3840, 1920},
		  {"vr8k", 7680, 3840}};

const struct vrs_axis *vrs_sweep_axis(const struct vrs_sweep *sweep, const char *key)
{
	for (int i = 0; i < sweep->axis_count; i++)
		if (strcmp(sweep->axes[i].key, key) == 0)
			return &sweep->axes[i];
	return NULL;
}

void vrs_sweep_drop(struct vrs_sweep *sweep, const char *key)
{
	for (int i = 0; i < sweep->axis_count; i++)
		if (strcmp(sweep->axes[i].key, key) == 0) {
			memmove(&sweep->axes[i], &sweep->axes[i + 1], (size_t)(sweep->axis_count - i - 1) * sizeof *sweep->axes);
			sweep->axis_count--;
			return;
		}
}

/* Add a value once. */
static bool axis_add(struct vrs_axis *axis, const char *value)
{
	for (int i = 0; i < axis->count; i++)
		if (strcmp(axis->values[i], value) == 0)
			return true;
	if (axis->count == VRS_SWEEP_MAX_VALUES || !vrs_strcpy(axis->values[axis->count], sizeof axis->values[0], value))
		return false;
	axis->count++;
	return true;
}

static bool resolution_value(const char *word, char *value, size_t size)
{
	int pair[2];
	for (size_t i = 0; i < sizeof size_names / sizeof *size_names; i++)
		if (strcmp(size_names[i].name, word) == 0) {
			snprintf(value, size, "%dx%d", size_names[i].width, size_names[i].height);
			return true;
		}
	if (strcmp(word, "own") != 0 && (!vrs_parse_size2(word, 16, 16384, pair) || pair[0] % 2 || pair[1] % 2))
		return false;
	return vrs_strcpy(value, size, word);
}

static bool is_option(const char *key)
{
	return strcmp(key, VRS_SWEEP_RESOLUTION) != 0 && strcmp(key, VRS_SWEEP_SCOPE) != 0 && strcmp(key, VRS_SWEEP_MODE) != 0;
}

/* A word of a list that is no resolution must be one that a case takes. */
static enum vrs_status check_word(const struct vrs_axis *axis, const char *word, struct vrs_error *err)
{
	struct vrs_case c = {.value_count = 0};
	if (strcmp(axis->key, VRS_SWEEP_SCOPE) == 0)
		return vrs_case_set_scope(&c, word, err);
	return strcmp(axis->key, VRS_SWEEP_MODE) == 0 ? vrs_case_set_mode(&c, word, err) : VRS_OK;
}

static enum vrs_status add_words(struct vrs_axis *axis, const char *list, struct vrs_error *err)
{
	char text[1024], value[64];
	if (!vrs_strcpy(text, sizeof text, list))
		return vrs_fail(err, VRS_ECONFIG, "the list of %s is too long", axis->name);
	bool sizes = strcmp(axis->key, VRS_SWEEP_RESOLUTION) == 0;
	char *rest = text;
	for (char *word; (word = strsep(&rest, ","));) {
		word += strspn(word, " ");
		word[strcspn(word, " ")] = 0;
		if (!word[0])
			return vrs_fail(err, VRS_ECONFIG, "the list of %s, \"%s\", has an empty value", axis->name, list);
		if (sizes && !resolution_value(word, value, sizeof value))
			return vrs_fail(err, VRS_ECONFIG,
					"\"%s\" is not a resolution: WIDTHxHEIGHT with even sides, " VRS_SWEEP_SIZES, word);
		enum vrs_status status = sizes ? VRS_OK : check_word(axis, word, err);
		if (status != VRS_OK)
			return status;
		if (!axis_add(axis, sizes ? value : word))
			return vrs_fail(err, VRS_ECONFIG, "the list of %s has more than %d values, or one that is too long", axis->name,
					VRS_SWEEP_MAX_VALUES);
	}
	return VRS_OK;
}

static enum vrs_status add_numbers(struct vrs_axis *axis, const struct vrs_option *row, const char *list, struct vrs_error *err)
{
	int64_t numbers[VRS_SWEEP_MAX_VALUES];
	bool open;
	double least = vrs_option_least(row, &open); /* whole numbers have no open end */
	int count = vrs_parse_int_list(list, (int64_t)least, (int64_t)row->max, numbers, VRS_SWEEP_MAX_VALUES);
	if (count < 1)
		return vrs_fail(err, VRS_ECONFIG, "\"%s\" is not a list of %s: a,b,c or FIRST-LAST*FACTOR or FIRST:LAST:STEP, from %.0f to %.0f", list,
				axis->name, least, row->max);
	for (int i = 0; i < count; i++) {
		char value[32];
		snprintf(value, sizeof value, "%lld", (long long)numbers[i]);
		if (!axis_add(axis, value))
			return vrs_fail(err, VRS_ECONFIG, "the list of %s has more than %d values", axis->name, VRS_SWEEP_MAX_VALUES);
	}
	return VRS_OK;
}

enum vrs_status vrs_sweep_set(struct vrs_sweep *sweep, const char *key, const char *list, struct vrs_error *err)
{
	struct vrs_axis axis = {.count = 0};
	const struct vrs_option *row = NULL;
	if (is_option(key) && !(row = vrs_option_find(key)))
		return vrs_fail(err, VRS_ECONFIG, "there is no option \"%s\" to sweep over (--list-options shows all)", key);
	if (row && row->state != VRS_OPT_READY)
		return vrs_fail(err, VRS_ECONFIG, "%s has no effect yet, so there is nothing to measure%s%s", row->key, row->note ? ": " : "",
				row->note ? row->note : "");
	if (row && (row->traits & VRS_OPTION_UNMEASURED))
		return vrs_fail(err, VRS_ECONFIG, "%s cannot be measured: runs set it themselves, or have no use for it", row->key);
	vrs_strcpy(axis.key, sizeof axis.key, row ? row->key : key);
	vrs_strcpy(axis.name, sizeof axis.name, !row ? key : row->axis ? row->axis : row->key);
	bool words = !row || row->type != VRS_OPT_INT || (row->min_name && strstr(list, row->min_name));
	enum vrs_status status = words ? add_words(&axis, list, err) : add_numbers(&axis, row, list, err);
	if (status != VRS_OK)
		return status;
	for (int i = 0; i < sweep->axis_count; i++)
		if (strcmp(sweep->axes[i].key, axis.key) == 0) {
			sweep->axes[i] = axis;
			return VRS_OK;
		}
	if (sweep->axis_count == VRS_SWEEP_MAX_AXES)
		return vrs_fail(err, VRS_ECONFIG, "a sweep has at most %d axes", VRS_SWEEP_MAX_AXES);
	sweep->axes[sweep->axis_count++] = axis;
	return VRS_OK;
}

/* 1..n, or powers of two and n where that would be many. */
static void thread_list(int cpus, char *list, size_t size)
{
	int used = 0;
	for (int t = 1; t <= cpus && used < (int)size - 16; t = cpus <= 8 ? t + 1 : t * 2)
		used += snprintf(list + used, size - (size_t)used, "%s%d", used ? "," : "", t);
	if (cpus > 8 && (cpus & (cpus - 1)) != 0)
		snprintf(list + used, size - (size_t)used, ",%d", cpus);
}

static enum vrs_status set_missing(struct vrs_sweep *sweep, const char *key, const char *list, struct vrs_error *err)
{
	if (vrs_sweep_axis(sweep, key))
		return VRS_OK;
	enum vrs_status status = vrs_sweep_set(sweep, key, list, err);
	if (status == VRS_OK)
		sweep->axes[sweep->axis_count - 1].with_own = true;
	return status;
}

static enum vrs_status set_axes(struct vrs_sweep *sweep, const struct vrs_bench_input *input, const char *sizes, const char *batches,
				const char *precisions, struct vrs_error *err)
{
	char threads[256];
	thread_list(input->cpus < 1 ? 1 : input->cpus, threads, sizeof threads);
	enum vrs_status status = set_missing(sweep, VRS_SWEEP_RESOLUTION, sizes, err);
	if (status == VRS_OK)
		status = set_missing(sweep, "engine.batch_size", batches, err);
	if (status == VRS_OK)
		status = set_missing(sweep, "engine.precision", precisions, err);
	return status == VRS_OK ? set_missing(sweep, "engine.threads", threads, err) : status;
}

enum vrs_status vrs_sweep_defaults(struct vrs_sweep *sweep, const struct vrs_bench_input *input, struct vrs_error *err)
{
	return set_axes(sweep, input, "own,1080p,4k,6k,8k,vr4k,vr8k", "1,2,4,8,16,32", "fp32,fp16,bf16,int8,mixed", err);
}

enum vrs_status vrs_sweep_quick(struct vrs_sweep *sweep, const struct vrs_bench_input *input, struct vrs_error *err)
{
	return set_axes(sweep, input, input->width > 3000 ? "own,1920x960" : "own,vr4k", "1,2,4", "fp32,fp16", err);
}

enum vrs_status vrs_sweep_find(const char *name, char path[VRS_PATH_MAX], struct vrs_error *err)
{
	char relative[256];
	if (strchr(name, '/') || vrs_path_exists(name))
		return vrs_strcpy(path, VRS_PATH_MAX, name) ? VRS_OK : vrs_fail(err, VRS_ECONFIG, "the name of the sweep file is too long");
	int n = snprintf(relative, sizeof relative, "sweeps/%s.yaml", name);
	if (n >= (int)sizeof relative || vrs_data_file(relative, path, VRS_PATH_MAX, NULL) != VRS_OK)
		return vrs_fail(err, VRS_ECONFIG, "there is no sweep \"%s\": it is neither a file nor one of configs/sweeps", name);
	return VRS_OK;
}

/* "[a, b]" or one value, as a comma-separated list. */
static enum vrs_status join_items(const struct vrs_yaml_entry *entry, char *list, size_t size)
{
	size_t used = 0;
	list[0] = 0;
	if (entry->kind != VRS_YAML_LIST)
		return vrs_strcpy(list, size, entry->value) ? VRS_OK : VRS_ELIMIT;
	for (int i = 0; i < entry->item_count; i++) {
		int n = snprintf(list + used, size - used, "%s%s", i ? "," : "", entry->items[i]);
		if (n < 0 || (size_t)n >= size - used)
			return VRS_ELIMIT;
		used += (size_t)n;
	}
	return VRS_OK;
}

static enum vrs_status load_entry(struct vrs_sweep *sweep, const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, struct vrs_error *err)
{
	char list[1024];
	struct vrs_error why = {.status = VRS_OK};
	if (strcmp(entry->key, "mode") == 0) {
		bool product = strcmp(entry->value, "product") == 0;
		if (!product && strcmp(entry->value, "one-at-a-time") != 0)
			return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "mode must be one-at-a-time or product, not \"%s\"", entry->value);
		sweep->mode = product ? VRS_SWEEP_PRODUCT : VRS_SWEEP_ONE_AT_A_TIME;
		return VRS_OK;
	}
	if (strncmp(entry->key, "techniques.", 11) == 0)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "this is a file of techniques, not of axes: it goes with --techniques");
	if (strncmp(entry->key, "axes.", 5) != 0)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "a sweep file has the keys mode and axes, not \"%s\"", entry->key);
	if (join_items(entry, list, sizeof list) != VRS_OK)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "the list of %s is too long", entry->key + 5);
	enum vrs_status status = vrs_sweep_set(sweep, entry->key + 5, list, &why);
	return status == VRS_OK ? VRS_OK : vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s", why.text);
}

enum vrs_status vrs_sweep_load(struct vrs_sweep *sweep, const char *name_or_path, struct vrs_error *err)
{
	char path[VRS_PATH_MAX];
	struct vrs_yaml yaml;
	enum vrs_status status = vrs_sweep_find(name_or_path, path, err);
	if (status != VRS_OK)
		return status;
	status = vrs_yaml_read(&yaml, path, err);
	for (int i = 0; status == VRS_OK && i < yaml.count; i++)
		status = load_entry(sweep, &yaml, &yaml.entries[i], err);
	if (status == VRS_OK && sweep->axis_count == 0)
		status = vrs_fail_at(err, VRS_ECONFIG, path, 0, 0, "the sweep has no axes");
	vrs_yaml_fini(&yaml);
	return status == VRS_EFORMAT || status == VRS_ENOTFOUND ? vrs_fail(err, VRS_ECONFIG, "%s", err ? err->text : "") : status;
}
