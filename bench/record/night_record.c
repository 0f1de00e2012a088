/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/record/night_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/str_parse.h"
#include "bench/record/record_fields.h"

static const char *const outcomes[] = {
	[VRS_NIGHT_RECORDED] = "recorded", [VRS_NIGHT_PASSED] = "passed", [VRS_NIGHT_REGRESSION] = "regression",
	[VRS_NIGHT_INCONCLUSIVE] = "inconclusive", [VRS_NIGHT_INVALID] = "invalid",
};
static const char *const decision_kinds[] = {[VRS_DECISION_ACCEPT] = "accept", [VRS_DECISION_NOTE] = "note"};
const struct vrs_names vrs_night_outcome_names = VRS_NAMES(outcomes);
const struct vrs_names vrs_decision_kind_names = VRS_NAMES(decision_kinds);

enum { MOST_ROUNDS = VRS_RESULT_MAX_RUNS };
#define LATEST 1e11 /* seconds since 1970: the year 5138 */
#define MOST_NIGHTS 1e9

static const struct vrs_field night_fields[] = {
	VRS_FIELD_ROW(vrs_night_record, INT64, number, 1, MOST_NIGHTS, true),
	VRS_FIELD_ROW(vrs_night_record, INT64, time, 0, LATEST, true),
	VRS_FIELD_ROW(vrs_night_record, TEXT, date_utc, 0, 0, true),
	VRS_FIELD_ROW(vrs_night_record, TEXT, version, 0, 0, false),
	VRS_FIELD_ROW(vrs_night_record, TEXT, commit, 0, 0, false),
	VRS_FIELD_ROW(vrs_night_record, TEXT, sha256, 0, 0, true),
	VRS_FIELD_ROW(vrs_night_record, TEXT, baseline_sha256, 0, 0, false),
	VRS_FIELD_ROW(vrs_night_record, HEX64, fingerprint, 0, 0, true),
	VRS_FIELD_ROW(vrs_night_record, DOUBLE, injected_slowdown, 0, 10, false),
	VRS_FIELD_ROW(vrs_night_record, BOOL, confirmed, 0, 0, false),
	VRS_FIELD_ROW(vrs_night_record, BOOL, complete, 0, 0, false),
	VRS_FIELD_ROW(vrs_night_record, INT, rounds, 0, MOST_ROUNDS, false),
	VRS_FIELD_ROW(vrs_night_record, TEXT, command, 0, 0, false),
	VRS_FIELD_ENUM_ROW(vrs_night_record, gate, &vrs_night_outcome_names, true),
	VRS_FIELD_ROW(vrs_night_record, TEXT, gate_reason, 0, 0, false),
	VRS_FIELD_ENUM_ROW(vrs_night_record, outcome, &vrs_night_outcome_names, true),
	VRS_FIELD_ROW(vrs_night_record, TEXT, reason, 0, 0, false),
	{0},
};

static const struct vrs_field case_fields[] = {
	VRS_FIELD_ROW(vrs_night_figures, TEXT, input, 0, 0, true),
	VRS_FIELD_ROW(vrs_night_figures, HEX64, input_hash, 0, 0, true),
	VRS_FIELD_ROW(vrs_night_figures, TEXT, id, 0, 0, true),
	VRS_FIELD_ROW(vrs_night_figures, TEXT, device, 0, 0, false),
	VRS_FIELD_ROW(vrs_night_figures, TEXT, driver, 0, 0, false),
	VRS_FIELD_ROW(vrs_night_figures, TEXT, note, 0, 0, false),
	VRS_FIELD_ROW(vrs_night_figures, INT64, mattes, 0, INT32_MAX, false),
	{0},
};

static const struct vrs_field decision_fields[] = {
	VRS_FIELD_ENUM_ROW(vrs_decision, kind, &vrs_decision_kind_names, true),
	VRS_FIELD_ROW(vrs_decision, INT64, night, 0, MOST_NIGHTS, true),
	VRS_FIELD_ROW(vrs_decision, INT64, time, 0, LATEST, true),
	VRS_FIELD_ROW(vrs_decision, TEXT, date_utc, 0, 0, true),
	VRS_FIELD_ROW(vrs_decision, TEXT, version, 0, 0, false),
	VRS_FIELD_ROW(vrs_decision, TEXT, commit, 0, 0, false),
	VRS_FIELD_ROW(vrs_decision, TEXT, sha256, 0, 0, false),
	VRS_FIELD_ROW(vrs_decision, TEXT, reason, 0, 0, true),
	{0},
};

void vrs_night_record_init(struct vrs_night_record *night)
{
	*night = (struct vrs_night_record){.complete = true};
	vrs_fields_clear(night_fields, night);
	night->number = night->time = 0;
}

const char *vrs_night_name(const struct vrs_night_record *night, char buf[VRS_NIGHT_NAME_MAX])
{
	if (night->number > 0)
		(void)snprintf(buf, VRS_NIGHT_NAME_MAX, "night %lld", (long long)night->number);
	else
		vrs_strcpy(buf, VRS_NIGHT_NAME_MAX, "this result");
	return buf;
}

void vrs_decision_init(struct vrs_decision *decision)
{
	*decision = (struct vrs_decision){.night = 0};
	vrs_fields_clear(decision_fields, decision);
	decision->night = decision->time = 0;
}

struct vrs_night_figures *vrs_night_record_make_cases(struct vrs_arena *arena, int count)
{
	struct vrs_night_figures *cases = NULL;
	if (count >= 0 && count <= VRS_NIGHT_MAX_CASES)
		cases = vrs_arena_calloc(arena, (size_t)count + 1, sizeof *cases);
	for (int i = 0; cases && i < count; i++)
		vrs_fields_clear(case_fields, &cases[i]);
	return cases;
}

struct vrs_comparison *vrs_night_record_make_metrics(struct vrs_arena *arena, int count)
{
	struct vrs_comparison *metrics = NULL;
	if (count >= 0 && count <= VRS_NIGHT_MAX_METRICS)
		metrics = vrs_arena_calloc(arena, (size_t)count + 1, sizeof *metrics);
	for (int i = 0; metrics && i < count; i++)
		vrs_comparison_init(&metrics[i]);
	return metrics;
}

const struct vrs_comparison *vrs_night_figures_find(const struct vrs_night_figures *c, const char *metric)
{
	for (int i = 0; i < c->metric_count; i++)
		if (strcmp(c->metrics[i].metric, metric) == 0)
			return &c->metrics[i];
	return NULL;
}

int vrs_night_record_count(const struct vrs_night_record *night, enum vrs_verdict verdict)
{
	int count = 0;
	for (int i = 0; i < night->case_count; i++)
		for (int k = 0; k < night->cases[i].metric_count; k++) {
			const struct vrs_comparison *m = &night->cases[i].metrics[k];
			count += m->verdict == verdict && (m->pairs > 0 || verdict == VRS_VERDICT_INVALID);
		}
	return count;
}

static bool put_case(cJSON *array, const struct vrs_night_figures *c)
{
	cJSON *object = cJSON_CreateObject(), *metrics = NULL;
	bool ok = object && cJSON_AddItemToArray(array, object);
	if (!ok)
		cJSON_Delete(object);
	ok = ok && vrs_fields_write(object, case_fields, c) && (metrics = vrs_json_put_array(object, "metrics"));
	for (int i = 0; i < c->metric_count && ok; i++) {
		cJSON *metric = cJSON_CreateObject();
		ok = metric && cJSON_AddItemToArray(metrics, metric);
		if (!ok)
			cJSON_Delete(metric);
		ok = ok && vrs_fields_write(metric, vrs_comparison_fields, &c->metrics[i]);
	}
	return ok;
}

/* Print and delete the object. */
static enum vrs_status finish(cJSON *object, bool whole, char **ret_text, struct vrs_error *err)
{
	char *text = whole ? vrs_json_print(object, false) : NULL;
	cJSON_Delete(object);
	if (!text)
		return vrs_fail_nomem(err);
	size_t length = strlen(text);
	if (length > VRS_NIGHT_LINE_MAX) {
		vrs_json_free_text(text);
		return vrs_fail(err, VRS_ELIMIT, "the night takes %zu bytes, more than the %u of a line: measure fewer cases", length, VRS_NIGHT_LINE_MAX);
	}
	*ret_text = text;
	return VRS_OK;
}

enum vrs_status vrs_night_record_print(const struct vrs_night_record *night, char **ret_text, struct vrs_error *err)
{
	cJSON *object = cJSON_CreateObject(), *cases = NULL;
	bool ok = object && vrs_json_put_string(object, "schema", VRS_NIGHT_SCHEMA) && vrs_fields_write(object, night_fields, night) &&
		  (cases = vrs_json_put_array(object, "cases"));
	for (int i = 0; i < night->case_count && ok; i++)
		ok = put_case(cases, &night->cases[i]);
	return finish(object, ok, ret_text, err);
}

enum vrs_status vrs_decision_print(const struct vrs_decision *decision, char **ret_text, struct vrs_error *err)
{
	cJSON *object = cJSON_CreateObject();
	bool ok = object && vrs_json_put_string(object, "schema", VRS_NIGHT_SCHEMA) && vrs_fields_write(object, decision_fields, decision);
	return finish(object, ok, ret_text, err);
}

static enum vrs_status check_schema(const cJSON *object, const char *name, struct vrs_error *err)
{
	const char *schema = vrs_json_string(object, "schema");
	size_t length = strlen(VRS_NIGHT_SCHEMA);
	if (!schema)
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "schema is missing: this is no line of a history of vrbench nightly");
	if (strncmp(schema, VRS_NIGHT_SCHEMA, length) == 0 && (schema[length] == 0 || schema[length] == '.'))
		return VRS_OK;
	return vrs_fail_at(err, VRS_EUNSUPPORTED, name, 0, 0, "the line has schema \"%.40s\", this program reads " VRS_NIGHT_SCHEMA
			   ": use the version of vrseg that wrote it, or a newer one", schema);
}

/* The list of that key, within the limit. */
static enum vrs_status find_list(const cJSON *object, const char *key, int most, const char *name, const cJSON **ret_array, struct vrs_error *err)
{
	*ret_array = cJSON_GetObjectItemCaseSensitive(object, key);
	if (!cJSON_IsArray(*ret_array))
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "%s must be an array", key);
	int count = cJSON_GetArraySize(*ret_array);
	if (count > most)
		return vrs_fail_at(err, VRS_ELIMIT, name, 0, 0, "%s has %d items, at most %d are read", key, count, most);
	return VRS_OK;
}

static enum vrs_status read_metrics(const cJSON *object, int number, const char *name, struct vrs_arena *arena, struct vrs_night_figures *c,
				    struct vrs_error *err)
{
	const cJSON *array, *item;
	char place[64];
	enum vrs_status status = find_list(object, "metrics", VRS_NIGHT_MAX_METRICS, name, &array, err);
	if (status != VRS_OK)
		return status;
	c->metrics = vrs_night_record_make_metrics(arena, cJSON_GetArraySize(array));
	if (!c->metrics)
		return vrs_fail_nomem(err);
	cJSON_ArrayForEach(item, array) {
		snprintf(place, sizeof place, "cases[%d].metrics[%d].", number, c->metric_count);
		if (!cJSON_IsObject(item))
			return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "%.*s must be an object", (int)strlen(place) - 1, place);
		status = vrs_fields_read(item, vrs_comparison_fields, &c->metrics[c->metric_count++], name, place, err);
		if (status != VRS_OK)
			return status;
	}
	return VRS_OK;
}

static enum vrs_status read_cases(const cJSON *object, const char *name, struct vrs_arena *arena, struct vrs_night_record *night,
				  struct vrs_error *err)
{
	const cJSON *array, *item;
	char place[32];
	enum vrs_status status = find_list(object, "cases", VRS_NIGHT_MAX_CASES, name, &array, err);
	if (status != VRS_OK)
		return status;
	night->cases = vrs_night_record_make_cases(arena, cJSON_GetArraySize(array));
	if (!night->cases)
		return vrs_fail_nomem(err);
	cJSON_ArrayForEach(item, array) {
		struct vrs_night_figures *c = &night->cases[night->case_count];
		snprintf(place, sizeof place, "cases[%d].", night->case_count);
		if (!cJSON_IsObject(item))
			return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "cases[%d] must be an object", night->case_count);
		status = vrs_fields_read(item, case_fields, c, name, place, err);
		if (status == VRS_OK)
			status = read_metrics(item, night->case_count, name, arena, c, err);
		if (status != VRS_OK)
			return status;
		night->case_count++;
	}
	return VRS_OK;
}

enum vrs_status vrs_night_record_parse(const char *line, size_t length, const char *name, struct vrs_arena *arena, struct vrs_night_record *ret_night,
				struct vrs_error *err)
{
	cJSON *object;
	vrs_night_record_init(ret_night);
	enum vrs_status status = vrs_json_parse(line, length, VRS_NIGHT_LINE_MAX, name, &object, err);
	if (status != VRS_OK)
		return status;
	status = check_schema(object, name, err);
	if (status == VRS_OK)
		status = vrs_fields_read(object, night_fields, ret_night, name, "", err);
	if (status == VRS_OK)
		status = read_cases(object, name, arena, ret_night, err);
	cJSON_Delete(object);
	return status;
}

enum vrs_status vrs_decision_parse(const char *line, size_t length, const char *name, struct vrs_decision *ret_decision, struct vrs_error *err)
{
	cJSON *object;
	vrs_decision_init(ret_decision);
	enum vrs_status status = vrs_json_parse(line, length, VRS_NIGHT_LINE_MAX, name, &object, err);
	if (status != VRS_OK)
		return status;
	status = check_schema(object, name, err);
	if (status == VRS_OK)
		status = vrs_fields_read(object, decision_fields, ret_decision, name, "", err);
	cJSON_Delete(object);
	return status;
}
