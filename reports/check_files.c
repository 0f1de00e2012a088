/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/check_files.h"

#include <string.h>

#include "base/json.h"
#include "reports/escape.h"

/*
 * Bytes of the character at text where it is well-formed UTF-8 (Unicode 15, table 3-7) and a character of XML 1.0, 2.2, that is no control character;
 * else 0.
 */
static size_t xml_character(const char *text)
{
	static const struct {
		unsigned char first, last, low, high; /* of the first byte; of the second */
		unsigned char bytes;
	} rows[] = {{0x01, 0x7f, 0, 0, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
		    {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
		    {0xf4, 0xf4, 0x80, 0x8f, 4}};
	const unsigned char *p = (const unsigned char *)text;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (*p < rows[i].first || *p > rows[i].last)
			continue;
		if (rows[i].bytes > 1 && (p[1] < rows[i].low || p[1] > rows[i].high))
			return 0;
		for (size_t k = 2; k < rows[i].bytes; k++)
			if ((p[k] & 0xc0) != 0x80)
				return 0;
		bool none = memcmp(p, "\xef\xbf\xbe", rows[i].bytes) == 0 || memcmp(p, "\xef\xbf\xbf", rows[i].bytes) == 0;
		return rows[i].bytes == 3 && none ? 0 : rows[i].bytes;
	}
	return 0;
}

/* What is no character becomes U+FFFD; control characters become blanks, as everywhere (reports/escape.h). */
static enum vrs_status put_text(struct vrs_buf *out, const char *text)
{
	enum vrs_status status = VRS_OK;
	char one[8];
	while (*text && status == VRS_OK) {
		size_t bytes = xml_character(text);
		memcpy(one, bytes ? text : "\xef\xbf\xbd", bytes ? bytes : 3);
		one[bytes ? bytes : 3] = 0;
		status = vrs_escape_html(out, one);
		text += bytes ? bytes : 1;
	}
	return status;
}

static enum vrs_status put_attribute(struct vrs_buf *out, const char *name, const char *text)
{
	enum vrs_status status = vrs_buf_printf(out, " %s=\"", name);
	if (status == VRS_OK)
		status = put_text(out, text);
	return status == VRS_OK ? vrs_buf_puts(out, "\"") : status;
}

static enum vrs_status put_check(struct vrs_buf *out, const struct vrs_check *check)
{
	static const char *const elements[] = {[VRS_CHECK_FAILED] = "failure", [VRS_CHECK_SKIPPED] = "skipped", [VRS_CHECK_ERROR] = "error"};
	enum vrs_status status = vrs_buf_puts(out, "    <testcase");
	if (status == VRS_OK)
		status = put_attribute(out, "classname", check->group);
	if (status == VRS_OK)
		status = put_attribute(out, "name", check->name);
	if (status != VRS_OK || check->state == VRS_CHECK_PASSED)
		return status == VRS_OK ? vrs_buf_puts(out, "/>\n") : status;
	status = vrs_buf_printf(out, ">\n      <%s", elements[check->state]);
	if (status == VRS_OK)
		status = put_attribute(out, "message", check->text);
	return status == VRS_OK ? vrs_buf_puts(out, "/>\n    </testcase>\n") : status;
}

enum vrs_status vrs_check_junit(const struct vrs_check_list *list, struct vrs_buf *out)
{
	int counts[4] = {0};
	for (int i = 0; i < list->count; i++)
		counts[list->items[i].state]++;
	enum vrs_status status = vrs_buf_printf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"%d\" failures=\"%d\" errors=\"%d\" "
						"skipped=\"%d\">\n  <testsuite", list->count, counts[VRS_CHECK_FAILED], counts[VRS_CHECK_ERROR],
						counts[VRS_CHECK_SKIPPED]);
	if (status == VRS_OK)
		status = put_attribute(out, "name", list->title);
	if (status == VRS_OK)
		status = vrs_buf_printf(out, " tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n", list->count, counts[VRS_CHECK_FAILED],
					counts[VRS_CHECK_ERROR], counts[VRS_CHECK_SKIPPED]);
	for (int i = 0; i < list->count && status == VRS_OK; i++)
		status = put_check(out, &list->items[i]);
	return status == VRS_OK ? vrs_buf_puts(out, "  </testsuite>\n</testsuites>\n") : status;
}

enum vrs_status vrs_check_badge(const char *label, const char *message, const char *colour, struct vrs_buf *out)
{
	cJSON *object = cJSON_CreateObject();
	bool ok = object && vrs_json_put_int(object, "schemaVersion", 1) && vrs_json_put_string(object, "label", label) &&
		  vrs_json_put_string(object, "message", message) && vrs_json_put_string(object, "color", colour);
	char *text = ok ? vrs_json_print(object, false) : NULL;
	enum vrs_status status = text ? vrs_buf_printf(out, "%s\n", text) : VRS_ENOMEM;
	cJSON_Delete(object);
	vrs_json_free_text(text);
	return status;
}
