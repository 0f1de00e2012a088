/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/record/record_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"
#include "bench/record/matte_prefixes.h"
#include "bench/record/result.h"
#include "bench/record/words.h"

static void *member(void *record, const struct vrs_field *field)
{
	return (char *)record + field->offset;
}

void vrs_fields_clear(const struct vrs_field *fields, void *record)
{
	for (const struct vrs_field *f = fields; f->key; f++) {
		double *values = member(record, f);
		size_t count = f->kind == VRS_FIELD_DOUBLE ? 1 : f->kind == VRS_FIELD_STAGES ? VRS_STAGE_COUNT : 0;
		for (size_t i = 0; i < count; i++)
			values[i] = NAN;
		if (f->kind == VRS_FIELD_INT64)
			*(int64_t *)member(record, f) = -1;
		else if (f->kind == VRS_FIELD_ESTIMATE)
			*(struct vrs_estimate *)member(record, f) = (struct vrs_estimate){.median = NAN, .low = NAN, .high = NAN, .min = NAN, .max = NAN};
	}
}

static bool write_stages(cJSON *object, const char *key, const double *values)
{
	bool any = false;
	for (int i = 0; i < VRS_STAGE_COUNT; i++)
		any |= !isnan(values[i]);
	if (!any)
		return true;
	cJSON *stages = vrs_json_put_object(object, key);
	bool ok = stages != NULL;
	for (int i = 0; i < VRS_STAGE_COUNT && ok; i++)
		ok = vrs_json_put_number(stages, vrs_stage_name((enum vrs_stage)i), values[i]);
	return ok;
}

static bool write_estimate(cJSON *object, const char *key, const struct vrs_estimate *e)
{
	if (e->n == 0)
		return true;
	cJSON *to = vrs_json_put_object(object, key);
	bool ok = to && vrs_json_put_number(to, "median", e->median) && vrs_json_put_number(to, "min", e->min) &&
		  vrs_json_put_number(to, "max", e->max) && vrs_json_put_int(to, "n", e->n);
	if (ok && e->has_interval)
		ok = vrs_json_put_number(to, "low", e->low) && vrs_json_put_number(to, "high", e->high) &&
		     vrs_json_put_number(to, "confidence", e->confidence);
	return ok;
}

static bool write_name(cJSON *object, const char *key, const char *name)
{
	return !name[0] || vrs_json_put_string(object, key, name);
}

bool vrs_fields_write(cJSON *object, const struct vrs_field *fields, const void *record)
{
	char mode[24];
	bool ok = true;
	for (const struct vrs_field *f = fields; f->key && ok; f++) {
		const void *p = (const char *)record + f->offset;
		switch (f->kind) {
		case VRS_FIELD_DOUBLE:
			ok = vrs_json_put_number(object, f->key, *(const double *)p);
			break;
		case VRS_FIELD_INT:
			ok = vrs_json_put_int(object, f->key, *(const int *)p);
			break;
		case VRS_FIELD_INT64:
			ok = *(const int64_t *)p == -1 || vrs_json_put_int(object, f->key, *(const int64_t *)p);
			break;
		case VRS_FIELD_BOOL:
			ok = vrs_json_put_bool(object, f->key, *(const bool *)p);
			break;
		case VRS_FIELD_TEXT:
			ok = !*(const char *)p || vrs_json_put_string(object, f->key, p);
			break;
		case VRS_FIELD_HEX64:
			ok = vrs_json_put_hash(object, f->key, *(const uint64_t *)p);
			break;
		case VRS_FIELD_STAGES:
			ok = write_stages(object, f->key, p);
			break;
		case VRS_FIELD_ESTIMATE:
			ok = write_estimate(object, f->key, p);
			break;
		case VRS_FIELD_ENUM:
			ok = *(const int *)p < f->min || write_name(object, f->key, vrs_name_of(f->names, *(const int *)p));
			break;
		case VRS_FIELD_PREFIXES:
			ok = vrs_matte_prefixes_put(object, f->key, p);
			break;
		case VRS_FIELD_MODE:
			ok = vrs_json_put_string(object, f->key, vrs_mode_text(*(const double *)p, mode, sizeof mode));
			break;
		}
	}
	return ok;
}

/* Where a value is wrong, for messages. */
struct place {
	const char *file, *prefix, *key, *sub;
	struct vrs_error *err;
};

static enum vrs_status wrong(const struct place *at, const char *expected)
{
	return vrs_fail_at(at->err, VRS_EFORMAT, at->file, 0, 0, "%s%s%s%s must be %s", at->prefix, at->key, at->sub ? "." : "", at->sub ? at->sub : "",
			   expected);
}

/* item NULL: it is absent, and *ret stays. */
static enum vrs_status read_number(const cJSON *item, double min, double max, const struct place *at, double *ret)
{
	if (!item)
		return VRS_OK;
	if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) || item->valuedouble < min || item->valuedouble > max) {
		char expected[80];
		snprintf(expected, sizeof expected, "a number from %g to %g", min, max);
		return wrong(at, expected);
	}
	*ret = item->valuedouble;
	return VRS_OK;
}

static enum vrs_status read_stages(const cJSON *item, const struct vrs_field *f, double *values, struct place *at)
{
	if (!cJSON_IsObject(item))
		return wrong(at, "an object of stage times");
	for (int i = 0; i < VRS_STAGE_COUNT; i++) {
		at->sub = vrs_stage_name((enum vrs_stage)i);
		enum vrs_status status = read_number(cJSON_GetObjectItemCaseSensitive(item, at->sub), f->min, f->max, at, &values[i]);
		if (status != VRS_OK)
			return status;
	}
	return VRS_OK;
}

static enum vrs_status read_estimate(const cJSON *item, const struct vrs_field *f, struct vrs_estimate *e, struct place *at)
{
	struct {
		const char *key;
		double *to;
	} parts[] = {{"median", &e->median}, {"min", &e->min}, {"max", &e->max}, {"low", &e->low}, {"high", &e->high}, {"confidence", &e->confidence}};
	if (!cJSON_IsObject(item))
		return wrong(at, "an object");
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		at->sub = parts[i].key;
		enum vrs_status status = read_number(cJSON_GetObjectItemCaseSensitive(item, at->sub), f->min, f->max, at, parts[i].to);
		if (status != VRS_OK)
			return status;
	}
	double n = 0;
	at->sub = "n";
	enum vrs_status status = read_number(cJSON_GetObjectItemCaseSensitive(item, "n"), 1, VRS_RESULT_MAX_RUNS, at, &n);
	if (status != VRS_OK)
		return status;
	e->n = (int)n;
	if (e->n < 1 || isnan(e->median) || isnan(e->min) || isnan(e->max)) {
		at->sub = NULL;
		return wrong(at, "an object with median, min, max and n");
	}
	e->has_interval = !isnan(e->low) && !isnan(e->high);
	return VRS_OK;
}

static enum vrs_status read_text(const cJSON *item, const struct vrs_field *f, char *to, const struct place *at)
{
	char expected[64];
	snprintf(expected, sizeof expected, "a text of %s%zu bytes", f->required ? "1 to " : "at most ", f->size - 1);
	if (!cJSON_IsString(item) || strlen(item->valuestring) >= f->size || (f->required && !item->valuestring[0]))
		return wrong(at, expected);
	vrs_strcpy(to, f->size, item->valuestring);
	return VRS_OK;
}

static enum vrs_status read_hex(const cJSON *item, uint64_t *to, const struct place *at)
{
	const char *text = cJSON_IsString(item) ? item->valuestring : "";
	return vrs_parse_hash(text, to) ? VRS_OK : wrong(at, "a text of 16 hexadecimal digits");
}

/* What follows a colon is the sentence of an older version (result_json.c reads that). */
static enum vrs_status read_name(const cJSON *item, const struct vrs_field *f, int *to, const struct place *at)
{
	char word[64] = "", known[160], expected[176];
	if (cJSON_IsString(item))
		(void)snprintf(word, sizeof word, "%.*s", (int)strcspn(item->valuestring, ":"), item->valuestring);
	if (word[0] && vrs_name_find(f->names, word, to))
		return VRS_OK;
	if (f->open && cJSON_IsString(item))
		return VRS_OK;
	vrs_names_join(f->names, known, sizeof known);
	snprintf(expected, sizeof expected, "one of %s", known);
	return wrong(at, expected);
}

static enum vrs_status read_mode(const cJSON *item, double *to, const struct place *at)
{
	return cJSON_IsString(item) && vrs_mode_parse(item->valuestring, to) ? VRS_OK : wrong(at, "offline or live@HZ");
}

static enum vrs_status read_whole(const cJSON *item, const struct vrs_field *f, double *value, const struct place *at)
{
	enum vrs_status status = read_number(item, f->min, f->max, at, value);
	return status != VRS_OK ? status : floor(*value) < *value ? wrong(at, "a whole number") : VRS_OK;
}

static enum vrs_status read_field(const cJSON *item, const struct vrs_field *f, void *to, struct place *at)
{
	double number = 0;
	enum vrs_status status;
	switch (f->kind) {
	case VRS_FIELD_DOUBLE:
		return read_number(item, f->min, f->max, at, to);
	case VRS_FIELD_INT:
	case VRS_FIELD_INT64: /* sizes stay below 2^53 (the range of each row), so a double holds them exactly */
		status = read_whole(item, f, &number, at);
		if (status == VRS_OK && f->kind == VRS_FIELD_INT)
			*(int *)to = (int)number;
		else if (status == VRS_OK)
			*(int64_t *)to = (int64_t)number;
		return status;
	case VRS_FIELD_BOOL:
		*(bool *)to = cJSON_IsTrue(item);
		return cJSON_IsBool(item) ? VRS_OK : wrong(at, "true or false");
	case VRS_FIELD_TEXT:
		return read_text(item, f, to, at);
	case VRS_FIELD_HEX64:
		return read_hex(item, to, at);
	case VRS_FIELD_STAGES:
		return read_stages(item, f, to, at);
	case VRS_FIELD_ESTIMATE:
		return read_estimate(item, f, to, at);
	case VRS_FIELD_ENUM:
		return read_name(item, f, to, at);
	case VRS_FIELD_MODE:
		return read_mode(item, to, at);
	case VRS_FIELD_PREFIXES:
		return vrs_matte_prefixes_get(item, to) ? VRS_OK : wrong(at, "an object of arrays, as long as mattes");
	}
	return VRS_EINTERNAL;
}

/* Keys mostly stand in the order of the rows, so that the search begins behind the one that was found last. */
static const cJSON *find_item(const cJSON *object, const char *key, const cJSON **last)
{
	const cJSON *first = object && cJSON_IsObject(object) ? object->child : NULL, *from = *last ? (*last)->next : first;
	for (const cJSON *item = from; item; item = item->next)
		if (strcmp(item->string, key) == 0)
			return *last = item;
	for (const cJSON *item = first; item && item != from; item = item->next)
		if (strcmp(item->string, key) == 0)
			return *last = item;
	return NULL;
}

enum vrs_status vrs_fields_read(const cJSON *object, const struct vrs_field *fields, void *record, const char *name, const char *place,
				struct vrs_error *err)
{
	const cJSON *last = NULL;
	for (const struct vrs_field *f = fields; f->key; f++) {
		struct place at = {name, place, f->key, NULL, err};
		const cJSON *item = find_item(object, f->key, &last);
		if (!item && f->required)
			return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "%s%s is missing", place, f->key);
		if (!item)
			continue;
		enum vrs_status status = read_field(item, f, member(record, f), &at);
		if (status != VRS_OK)
			return status;
	}
	return VRS_OK;
}
