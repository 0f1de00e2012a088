/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON over cJSON, the only file that parses and prints it. */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/json_escape.h"
#include "base/mem.h"
#include "base/str_parse.h"

#define EXACT_INT INT64_C(9007199254740992)  /* 2^53: above, a double loses digits */
#define PRINTED_INT INT64_C(999999999999999) /* cJSON prints 15 digits when they come within one unit in the last place */

/* cJSON answers NULL for damage and for lack of memory alike; this tells them apart. */
static _Thread_local bool out_of_memory;

static void *json_alloc(size_t size)
{
	void *p = vrs_calloc(1, size); /* MemorySanitizer does not see what libraries write */

	if (!p)
		out_of_memory = true;
	return p;
}

/* Before main, so that no tree is made with one allocator and freed with another. */
__attribute__((constructor)) static void install_hooks(void)
{
	cJSON_Hooks hooks = {.malloc_fn = json_alloc, .free_fn = vrs_free};

	cJSON_InitHooks(&hooks);
}

static enum vrs_status fail_at_offset(struct vrs_error *err, const char *text, size_t offset, const char *name, const char *what)
{
	int line = 1, column = 1;

	for (size_t i = 0; i < offset; i++) {
		column++;
		if (text[i] == '\n') {
			line++;
			column = 1;
		}
	}
	return vrs_fail_at(err, VRS_EFORMAT, name, line, column, "%s", what);
}

static bool all_finite(const cJSON *item)
{
	for (; item; item = item->next) {
		if (cJSON_IsNumber(item) && !isfinite(item->valuedouble))
			return false;
		if (item->child && !all_finite(item->child)) /* depth is limited by cJSON (CJSON_NESTING_LIMIT) */
			return false;
	}
	return true;
}

static size_t skip_space(const char *text, size_t from, size_t len)
{
	while (from < len && (text[from] == ' ' || text[from] == '\t' || text[from] == '\n' || text[from] == '\r'))
		from++;
	return from;
}

/* Behind the string whose quote is at `at`; len: it does not end. */
static size_t skip_string(const char *text, size_t at, size_t len)
{
	for (at++; at < len && text[at] != '"'; at++)
		at += text[at] == '\\';
	return at < len ? at + 1 : len;
}

/*
 * The first control character of [from, to) that is outside of strings and no space by RFC 8259; to: there is none.  cJSON takes each for a space.
 */
static size_t find_control(const char *text, size_t from, size_t to)
{
	while (from < to) {
		if (text[from] == '"')
			from = skip_string(text, from, to);
		else if ((unsigned char)text[from] < ' ' && skip_space(text, from, to) == from)
			break;
		else
			from++;
	}
	return from;
}

/* Behind the array or object that begins at `at`, by its brackets alone; len: it does not end. */
static size_t skip_brackets(const char *text, size_t at, size_t len)
{
	int depth = 0;

	while (at < len) {
		char c = text[at];

		if (c == '"') {
			at = skip_string(text, at, len);
			continue;
		}
		depth += (c == '[' || c == '{') - (c == ']' || c == '}');
		at++;
		if (depth <= 0)
			return at;
	}
	return len;
}

/* Behind the string, object or array that begins at `from`, by its quotes or brackets alone; len: it does not end.  Of all else: where it begins. */
static size_t skip_value(const char *text, size_t from, size_t len)
{
	bool marked = len - from >= 3 && memcmp(text + from, "\xef\xbb\xbf", 3) == 0; /* as cJSON passes it */
	size_t at = skip_space(text, from + (marked ? 3 : 0), len);

	if (at < len && (text[at] == '[' || text[at] == '{'))
		return skip_brackets(text, at, len);
	return at < len && text[at] == '"' ? skip_string(text, at, len) : at;
}

/* cJSON's parser; *ret_end: behind the value, or where it is wrong. NULL: it is wrong, or there is no memory. */
static cJSON *parse_by_cjson(const char *text, size_t from, size_t len, size_t *ret_end)
{
	size_t to = skip_value(text, from, len), copied = 0;
	bool raw = vrs_json_find_raw_byte(text, from, to) < to;
	char *copy = raw ? vrs_json_raw_bytes(text, from, to, &copied) : NULL;
	const char *begin = raw ? copy : text + from, *end = NULL;

	out_of_memory = raw && !copy;
	if (out_of_memory)
		return NULL;
	size_t size = raw ? copied : len - from;
	cJSON *json = cJSON_ParseWithLengthOpts(begin, size, &end, false);
	size_t offset = end && end >= begin && end <= begin + size ? (size_t)(end - begin) : 0;

	*ret_end = raw ? vrs_json_raw_place(text, from, to, offset) : from + offset;
	vrs_free(copy);
	return json;
}

/* The value that begins at `from`; *ret_end: behind it. */
static enum vrs_status parse_value(const char *text, size_t from, size_t len, const char *name, cJSON **ret_json, size_t *ret_end,
				   struct vrs_error *err)
{
	size_t offset = from;
	cJSON *json = parse_by_cjson(text, from, len, &offset);

	if (!json && out_of_memory)
		return vrs_fail_nomem(err);
	if (!json)
		return fail_at_offset(err, text, offset, name, offset + 1 >= len ? "the JSON text ends too early" : "this is not valid JSON");
	size_t control = find_control(text, from, offset);

	if (control < offset) {
		cJSON_Delete(json);
		return fail_at_offset(err, text, control, name, "a control character outside of a string is not valid JSON");
	}
	if (!all_finite(json)) {
		cJSON_Delete(json);
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "the JSON text holds a number that is too large");
	}
	*ret_json = json;
	*ret_end = offset;
	return VRS_OK;
}

enum vrs_status vrs_json_parse(const char *text, size_t len, size_t max, const char *name, cJSON **ret_json, struct vrs_error *err)
{
	size_t end;
	cJSON *json;

	if (len > max)
		return vrs_fail_at(err, VRS_ELIMIT, name, 0, 0, "the JSON text has %zu bytes, more than the limit of %zu", len, max);
	if (skip_space(text, 0, len) == len)
		return vrs_fail_at(err, VRS_EFORMAT, name, 1, 1, "the JSON text is empty");
	enum vrs_status status = parse_value(text, 0, len, name, &json, &end, err);

	if (status != VRS_OK)
		return status;
	end = skip_space(text, end, len);
	if (end < len) {
		cJSON_Delete(json);
		return fail_at_offset(err, text, end, name, "unexpected text after the end of the JSON value");
	}
	*ret_json = json;
	return VRS_OK;
}

/* Where the array begins that is the member `key` of the object in text; len: there is none that this finds. */
static size_t find_array(const char *text, size_t len, const char *key)
{
	size_t at = skip_space(text, 0, len), length = strlen(key);

	if (at == len || text[at] != '{')
		return len;
	for (at++; at < len && text[at] != '}';) {
		if (text[at] == '[' || text[at] == '{') {
			at = skip_brackets(text, at, len);
			continue;
		}
		size_t end = text[at] == '"' ? skip_string(text, at, len) : at + 1;
		size_t value = skip_space(text, end, len);

		if (end - at == length + 2 && value < len && text[value] == ':' && memcmp(text + at + 1, key, length) == 0) {
			value = skip_space(text, value + 1, len);
			return value < len && text[value] == '[' ? value : len;
		}
		at = end;
	}
	return len;
}

enum vrs_status vrs_json_parse_around(const char *text, size_t len, size_t max, const char *name, const char *key, cJSON **ret_json,
				      struct vrs_json_elements *ret_elements, struct vrs_error *err)
{
	size_t from = len <= max ? find_array(text, len, key) : len, to = from < len ? skip_brackets(text, from, len) : len;
	struct vrs_buf rest;
	enum vrs_status status;

	*ret_elements = (struct vrs_json_elements){.text = text, .name = name, .at = from + 1, .len = len, .in_text = to < len, .first = true};
	if (to < len) {
		vrs_buf_init(&rest, max);
		status = vrs_buf_append(&rest, text, from + 1);
		if (status == VRS_OK)
			status = vrs_buf_append(&rest, text + to - 1, len - to + 1);
		if (status == VRS_OK)
			status = vrs_json_parse(vrs_buf_str(&rest), rest.len, max, name, ret_json, NULL);
		else
			(void)vrs_fail_nomem(err);
		vrs_buf_fini(&rest);
		if (status != VRS_EFORMAT)
			return status == VRS_OK ? status : vrs_fail_nomem(err);
	}
	/* All at once: for the place of what is wrong, and for what this does not find. */
	ret_elements->in_text = false;
	status = vrs_json_parse(text, len, max, name, ret_json, err);
	if (status == VRS_OK) {
		cJSON *array = cJSON_GetObjectItemCaseSensitive(*ret_json, key);

		ret_elements->tree = cJSON_IsArray(array) ? array->child : NULL;
	}
	return status;
}

enum vrs_status vrs_json_elements_next(struct vrs_json_elements *e, cJSON **ret_element, struct vrs_error *err)
{
	*ret_element = e->tree;
	if (!e->in_text) {
		e->tree = e->tree ? e->tree->next : NULL;
		return VRS_OK;
	}
	e->at = skip_space(e->text, e->at, e->len);
	bool ends = e->at < e->len && e->text[e->at] == ']', goes_on = e->at < e->len && e->text[e->at] == ',';

	if (ends) /* the array's own bracket, and stays there */
		return VRS_OK;
	if (!e->first && !goes_on)
		return fail_at_offset(err, e->text, e->at, e->name, "this is not valid JSON");
	e->at += !e->first;
	e->first = false;
	return parse_value(e->text, e->at, e->len, e->name, ret_element, &e->at, err);
}

void vrs_json_elements_free(const struct vrs_json_elements *elements, cJSON *element)
{
	if (elements->in_text)
		cJSON_Delete(element);
}

enum vrs_status vrs_json_read_file(const char *path, size_t max, cJSON **ret_json, struct vrs_error *err)
{
	struct vrs_buf buf;
	enum vrs_status status = vrs_file_read(path, max, &buf, err);

	if (status != VRS_OK)
		return status;
	status = vrs_json_parse(vrs_buf_str(&buf), buf.len, max, path, ret_json, err);
	vrs_buf_fini(&buf);
	return status;
}

char *vrs_json_print(const cJSON *json, bool indent)
{
	char *text = indent ? cJSON_Print(json) : cJSON_PrintUnformatted(json);
	return text ? vrs_json_escape(text) : NULL;
}

void vrs_json_free_text(char *text)
{
	cJSON_free(text);
}

enum vrs_status vrs_json_put_line(cJSON *object, bool whole, FILE *out)
{
	char *text = whole ? vrs_json_print(object, false) : NULL;
	cJSON_Delete(object);
	if (!text)
		return VRS_ENOMEM;
	bool ok = fprintf(out, "%s\n", text) > 0 && fflush(out) == 0;
	vrs_json_free_text(text);
	return ok ? VRS_OK : VRS_EIO;
}

static const cJSON *get(const cJSON *object, const char *key)
{
	return cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, key) : NULL;
}

bool vrs_json_number(const cJSON *object, const char *key, double *ret)
{
	const cJSON *item = get(object, key);

	if (!cJSON_IsNumber(item))
		return false;
	*ret = item->valuedouble;
	return true;
}

bool vrs_json_int(const cJSON *object, const char *key, int64_t *ret)
{
	const cJSON *item = get(object, key);

	if (cJSON_IsString(item))
		return vrs_parse_int(item->valuestring, INT64_MIN, INT64_MAX, ret);
	if (!cJSON_IsNumber(item) || item->valuedouble != floor(item->valuedouble) || fabs(item->valuedouble) > (double)EXACT_INT)
		return false;
	*ret = (int64_t)item->valuedouble;
	return true;
}

bool vrs_json_bool(const cJSON *object, const char *key, bool *ret)
{
	const cJSON *item = get(object, key);

	if (!cJSON_IsBool(item))
		return false;
	*ret = cJSON_IsTrue(item);
	return true;
}

const char *vrs_json_string(const cJSON *object, const char *key)
{
	const cJSON *item = get(object, key);

	return cJSON_IsString(item) ? item->valuestring : NULL;
}

bool vrs_json_put_number(cJSON *object, const char *key, double value)
{
	if (!isfinite(value))
		return true;
	return cJSON_AddNumberToObject(object, key, value) != NULL;
}

bool vrs_json_put_int(cJSON *object, const char *key, int64_t value)
{
	char text[24];

	if (value >= -PRINTED_INT && value <= PRINTED_INT)
		return cJSON_AddNumberToObject(object, key, (double)value) != NULL;
	snprintf(text, sizeof text, "%lld", (long long)value);
	return vrs_json_put_string(object, key, text);
}

bool vrs_json_put_bool(cJSON *object, const char *key, bool value)
{
	return cJSON_AddBoolToObject(object, key, value) != NULL;
}

bool vrs_json_put_string(cJSON *object, const char *key, const char *value)
{
	return cJSON_AddStringToObject(object, key, value) != NULL;
}

bool vrs_json_put_hash(cJSON *object, const char *key, uint64_t value)
{
	char text[17];

	(void)snprintf(text, sizeof text, "%016" PRIx64, value);
	return vrs_json_put_string(object, key, text);
}

cJSON *vrs_json_put_object(cJSON *object, const char *key)
{
	return cJSON_AddObjectToObject(object, key);
}

cJSON *vrs_json_put_array(cJSON *object, const char *key)
{
	return cJSON_AddArrayToObject(object, key);
}
