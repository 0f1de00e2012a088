/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON over cJSON, the only file that parses and prints it. */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/printable.h"
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

enum vrs_status vrs_json_parse(const char *text, size_t len, size_t max, const char *name, cJSON **ret_json, struct vrs_error *err)
{
	const char *end = NULL;

	if (len > max)
		return vrs_fail_at(err, VRS_ELIMIT, name, 0, 0, "the JSON text has %zu bytes, more than the limit of %zu", len, max);
	if (skip_space(text, 0, len) == len)
		return vrs_fail_at(err, VRS_EFORMAT, name, 1, 1, "the JSON text is empty");
	out_of_memory = false;
	cJSON *json = cJSON_ParseWithLengthOpts(text, len, &end, false);

	if (!json && out_of_memory)
		return vrs_fail_nomem(err);
	size_t offset = end && end >= text && end <= text + len ? (size_t)(end - text) : 0;

	if (!json)
		return fail_at_offset(err, text, offset, name, offset + 1 >= len ? "the JSON text ends too early" : "this is not valid JSON");
	offset = skip_space(text, offset, len);
	if (offset < len) {
		cJSON_Delete(json);
		return fail_at_offset(err, text, offset, name, "unexpected text after the end of the JSON value");
	}
	if (!all_finite(json)) {
		cJSON_Delete(json);
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "the JSON text holds a number that is too large");
	}
	*ret_json = json;
	return VRS_OK;
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

/* Bytes of a control character that cJSON leaves as it is: it escapes those below a blank only. */
static size_t raw_control(const char *text)
{
	return (unsigned char)*text < ' ' ? 0 : vrs_control_character(text);
}

/* The text with \uXXXX in their place, so that no JSON steers a terminal that shows it. NULL: out of memory. */
static char *escape_controls(char *text)
{
	size_t escapes = 0, used = 0;
	char *escaped;

	for (const char *p = text; *p; p++)
		escapes += raw_control(p) > 0;
	if (escapes == 0)
		return text;
	escaped = cJSON_malloc(strlen(text) + 5 * escapes + 1);
	for (const char *p = text; escaped && *p;) {
		size_t n = raw_control(p);
		const unsigned char *c = (const unsigned char *)p;
		unsigned point = n == 3 ? (c[0] & 0xfu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu) : n == 2 ? (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu) : c[0];
		if (n)
			used += (size_t)snprintf(escaped + used, 7, "\\u%04x", point);
		else
			escaped[used++] = *p;
		p += n ? n : 1;
	}
	if (escaped)
		escaped[used] = '\0';
	cJSON_free(text);
	return escaped;
}

char *vrs_json_print(const cJSON *json, bool indent)
{
	char *text = indent ? cJSON_Print(json) : cJSON_PrintUnformatted(json);
	return text ? escape_controls(text) : NULL;
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
