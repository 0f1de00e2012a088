/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/record/journal.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "bench/record/record_fields.h"

static const struct vrs_field plan_fields[] = {
	VRS_FIELD_ROW(vrs_run_plan, TEXT, input, 0, 0, false),
	VRS_FIELD_ENUM_ROW(vrs_run_plan, scope, &vrs_scope_names, false),
	VRS_FIELD_ROW_AS("mode", vrs_run_plan, MODE, live_hz, 0, 0, false),
	VRS_FIELD_ROW(vrs_run_plan, TEXT, command, 0, 0, false),
	VRS_FIELD_ROW(vrs_run_plan, TEXT, started_utc, 0, 0, false),
	VRS_FIELD_ROW(vrs_run_plan, HEX64, input_hash, 0, 0, true),
	VRS_FIELD_ROW(vrs_run_plan, HEX64, seed, 0, 0, true),
	VRS_FIELD_ROW(vrs_run_plan, HEX64, fingerprint, 0, 0, true),
	VRS_FIELD_ROW(vrs_run_plan, HEX64, device_fingerprint, 0, 0, false),
	VRS_FIELD_ROW(vrs_run_plan, INT, rounds, 0, VRS_RESULT_MAX_RUNS, true),
	VRS_FIELD_ROW(vrs_run_plan, DOUBLE, timeout_seconds, 0, 1e7, true),
	VRS_FIELD_ROW(vrs_run_plan, INT64, memory_limit_bytes, 0, 9e14, true),
	VRS_FIELD_ROW(vrs_run_plan, INT, quality_frames, 0, 100000, true),
	VRS_FIELD_ROW(vrs_run_plan, BOOL, soak, 0, 0, false),
	VRS_FIELD_ROW(vrs_run_plan, BOOL, quick, 0, 0, true),
	VRS_FIELD_ROW(vrs_run_plan, DOUBLE, goal, 0, 1, false),
	VRS_FIELD_ROW(vrs_run_plan, INT, gates, 0, 2, false),
	VRS_FIELD_ROW(vrs_run_plan, TEXT, versus, 0, 0, false),
	VRS_FIELD_ROW(vrs_run_plan, TEXT, versus_program, 0, 0, false),
	VRS_FIELD_ROW(vrs_run_plan, TEXT, versus_hash, 0, 0, false),
	VRS_FIELD_ROW(vrs_run_plan, TEXT, versus_config, 0, 0, false),
	VRS_FIELD_ROW(vrs_run_plan, BOOL, calibrate, 0, 0, false),
	VRS_FIELD_ROW(vrs_run_plan, DOUBLE, calibrate_seconds, 0, 1e7, false),
	VRS_FIELD_ROW(vrs_run_plan, DOUBLE, margin, 0, 0.9, false),
	VRS_FIELD_ROW(vrs_run_plan, INT, decide_by, 0, 2, false),
	VRS_FIELD_ROW_AS("techniques", vrs_run_plan, TEXT, techniques.file, 0, 0, false),
	VRS_FIELD_ROW_AS("techniques_filter", vrs_run_plan, TEXT, techniques.filter, 0, 0, false),
	VRS_FIELD_ROW_AS("techniques_skip", vrs_run_plan, TEXT, techniques.skip, 0, 0, false),
	VRS_FIELD_ROW(vrs_run_plan, DOUBLE, slowdown, 0, 10, false),
	VRS_FIELD_ROW(vrs_run_plan, TEXT, search, 0, 0, false),
	{0},
};

static const struct vrs_field reading_fields[] = {
	VRS_FIELD_ROW(vrs_noise_reading, INT, cpus, 0, 1e6, false),
	VRS_FIELD_ROW(vrs_noise_reading, DOUBLE, busy_seconds, 0, 1e15, false),
	VRS_FIELD_ROW(vrs_noise_reading, DOUBLE, steal_seconds, 0, 1e15, false),
	VRS_FIELD_ROW(vrs_noise_reading, DOUBLE, clock_mhz, 0, 1e6, false),
	VRS_FIELD_ROW(vrs_noise_reading, INT64, swapped_in_pages, 0, 9e15, false),
	VRS_FIELD_ROW(vrs_noise_reading, INT64, oom_kills, 0, 9e15, false),
	VRS_FIELD_ROW(vrs_noise_reading, INT64, throttle_events, 0, 9e15, false),
	VRS_FIELD_ROW(vrs_noise_reading, TEXT, governor, 0, 0, false),
	VRS_FIELD_ROW(vrs_noise_reading, INT, turbo, -1, 1, false),
	VRS_FIELD_ROW(vrs_noise_reading, INT, battery, -1, 1, false),
	{0},
};

enum vrs_status vrs_config_to_json(const struct vrs_config *config, cJSON *object)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	for (int i = 0; i < count; i++) {
		char value[VRS_PATH_MAX];
		if (rows[i].state != VRS_OPT_READY || vrs_config_source(config, rows[i].key) == VRS_SOURCE_DEFAULT)
			continue;
		enum vrs_status status = vrs_config_get(config, rows[i].key, value, sizeof value);
		if (status != VRS_OK)
			return status;
		if (!vrs_json_put_string(object, rows[i].key, value))
			return VRS_ENOMEM;
	}
	return VRS_OK;
}

enum vrs_status vrs_config_from_json(const cJSON *object, struct vrs_config *config, enum vrs_value_source source, const char *name,
				     struct vrs_error *err)
{
	const cJSON *item;
	if (!cJSON_IsObject(object))
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "settings must be an object");
	cJSON_ArrayForEach(item, object) {
		if (!cJSON_IsString(item))
			return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "settings.%s must be a text", item->string);
		struct vrs_error why = {.status = VRS_OK};
		/* An empty text is a value too, but only of text options. */
		enum vrs_status status = vrs_config_set(config, item->string, item->valuestring, source, NULL, &why);
		if (status != VRS_OK)
			return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "settings.%s: %s", item->string, why.text);
	}
	return VRS_OK;
}

/* Print, append, delete. */
static enum vrs_status append_line(const char *path, cJSON *object, bool ok, struct vrs_error *err)
{
	char *text = ok ? vrs_json_print(object, false) : NULL;
	cJSON_Delete(object);
	if (!text)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory for a line of %s", path);
	enum vrs_status status = vrs_journal_append(path, text, err);
	vrs_json_free_text(text);
	return status;
}

static bool put_cases(cJSON *object, const struct vrs_case_result *cases, int count)
{
	cJSON *array = vrs_json_put_array(object, "cases");
	bool ok = array != NULL;
	for (int i = 0; i < count && ok; i++) {
		cJSON *c = cJSON_CreateObject();
		ok = c && cJSON_AddItemToArray(array, c) && vrs_json_put_string(c, "id", cases[i].id) &&
		     vrs_json_put_string(c, "axis", cases[i].axis);
	}
	return ok;
}

enum vrs_status vrs_journal_write_plan(const char *path, const struct vrs_run_plan *plan, const struct vrs_config *base,
				       const struct vrs_case_result *cases, int count, struct vrs_error *err)
{
	cJSON *object = cJSON_CreateObject(), *settings = NULL;
	bool ok = object && vrs_json_put_string(object, "schema", VRS_JOURNAL_SCHEMA) && vrs_fields_write(object, plan_fields, plan) &&
		  vrs_fields_write(object, vrs_rules_fields, &plan->rules) &&
		  (settings = vrs_json_put_object(object, "settings")) && vrs_config_to_json(base, settings) == VRS_OK &&
		  put_cases(object, cases, count);
	return append_line(path, object, ok, err);
}

static bool put_reading(cJSON *object, const char *key, const struct vrs_noise_reading *reading)
{
	cJSON *part = vrs_json_put_object(object, key);
	return part && vrs_fields_write(part, reading_fields, reading);
}

static enum vrs_status read_reading(const cJSON *span, const char *key, const char *where, struct vrs_noise_reading *ret, struct vrs_error *err)
{
	const cJSON *part = cJSON_GetObjectItemCaseSensitive(span, key);
	*ret = (struct vrs_noise_reading){.turbo = -1, .battery = -1};
	vrs_fields_clear(reading_fields, ret);
	if (!cJSON_IsObject(part))
		return vrs_fail_at(err, VRS_EFORMAT, where, 0, 0, "machine.%s is not an object", key);
	return vrs_fields_read(part, reading_fields, ret, where, "machine.", err);
}

enum vrs_status vrs_journal_write_run(const char *path, const struct vrs_case_result *c, const struct vrs_run *run, const struct vrs_noise_span *span,
				      struct vrs_error *err)
{
	cJSON *object = cJSON_CreateObject(), *part = NULL;
	bool ok = object && (part = vrs_json_put_object(object, "case")) && vrs_fields_write(part, vrs_case_fields, c);
	if (ok && run)
		ok = (part = vrs_json_put_object(object, "run")) && vrs_fields_write(part, vrs_run_fields, run);
	if (ok && run && span)
		ok = (part = vrs_json_put_object(object, "machine")) && put_reading(part, "before", &span->before) &&
		     put_reading(part, "after", &span->after);
	return append_line(path, object, ok, err);
}

static enum vrs_status read_plan(const cJSON *object, const char *where, struct vrs_journal_entry *entry, struct vrs_config *base,
				 enum vrs_status (*on_case)(void *cookie, const char *id, const char *axis), void *cookie, struct vrs_error *err)
{
	const cJSON *cases = cJSON_GetObjectItemCaseSensitive(object, "cases"), *c;
	const char *schema = vrs_json_string(object, "schema");
	entry->is_plan = true;
	if (strcmp(schema, VRS_JOURNAL_SCHEMA) != 0)
		return vrs_fail_at(err, VRS_EUNSUPPORTED, where, 0, 0, "the journal has schema %.40s, this program continues " VRS_JOURNAL_SCHEMA, schema);
	enum vrs_status status = vrs_fields_read(object, plan_fields, &entry->plan, where, "", err);
	if (status == VRS_OK)
		status = vrs_fields_read(object, vrs_rules_fields, &entry->plan.rules, where, "", err);
	if (status == VRS_OK && base)
		status = vrs_config_from_json(cJSON_GetObjectItemCaseSensitive(object, "settings"), base, VRS_SOURCE_FILE, where, err);
	if (status == VRS_OK && base)
		vrs_config_keep_recorded(base);
	if (status == VRS_OK && !cJSON_IsArray(cases))
		status = vrs_fail_at(err, VRS_EFORMAT, where, 0, 0, "cases must be an array");
	if (status != VRS_OK || !on_case)
		return status;
	cJSON_ArrayForEach(c, cases) {
		const char *id = vrs_json_string(c, "id"), *axis = vrs_json_string(c, "axis");
		if (!id || !axis)
			return vrs_fail_at(err, VRS_EFORMAT, where, 0, 0, "a case of the plan has no id or axis");
		status = on_case(cookie, id, axis);
		if (status != VRS_OK)
			return vrs_fail_at(err, status, where, 0, 0, "the case \"%.200s\" cannot be used: %s", id, vrs_status_str(status));
	}
	return VRS_OK;
}

static enum vrs_status read_run(const cJSON *object, const char *where, struct vrs_journal_entry *entry, struct vrs_error *err)
{
	const cJSON *c = cJSON_GetObjectItemCaseSensitive(object, "case"), *run = cJSON_GetObjectItemCaseSensitive(object, "run");
	if (!cJSON_IsObject(c) || (run && !cJSON_IsObject(run)))
		return vrs_fail_at(err, VRS_EFORMAT, where, 0, 0, "the line has no case, or a run that is not an object");
	enum vrs_status status = vrs_fields_read(c, vrs_case_fields, &entry->case_result, where, "case.", err);
	if (status == VRS_OK && run) {
		entry->has_run = true;
		status = vrs_fields_read(run, vrs_run_fields, &entry->run, where, "run.", err);
		if (status == VRS_OK && entry->run.status == VRS_RUN_OK && !(entry->run.fps >= 0))
			status = vrs_fail_at(err, VRS_EFORMAT, where, 0, 0, "run.fps is missing, but the run says ok");
	}
	const cJSON *span = cJSON_GetObjectItemCaseSensitive(object, "machine"); /* journals of older versions have none */
	entry->has_span = run && span;
	if (status == VRS_OK && entry->has_span)
		status = read_reading(span, "before", where, &entry->span.before, err);
	if (status == VRS_OK && entry->has_span)
		status = read_reading(span, "after", where, &entry->span.after, err);
	return status;
}

enum vrs_status vrs_journal_parse(const char *line, size_t length, const char *name, long number, struct vrs_journal_entry *ret_entry,
				  struct vrs_config *base, enum vrs_status (*on_case)(void *cookie, const char *id, const char *axis), void *cookie,
				  struct vrs_error *err)
{
	char where[240];
	cJSON *object;
	snprintf(where, sizeof where, "%s:%ld", name, number);
	enum vrs_status status = vrs_json_parse(line, length, VRS_JOURNAL_LINE_MAX, where, &object, err);
	if (status != VRS_OK)
		return status;
	memset(ret_entry, 0, sizeof *ret_entry);
	vrs_case_result_init(&ret_entry->case_result);
	vrs_run_init(&ret_entry->run);
	if (vrs_json_string(object, "schema"))
		status = read_plan(object, where, ret_entry, base, on_case, cookie, err);
	else
		status = read_run(object, where, ret_entry, err);
	cJSON_Delete(object);
	return status;
}
