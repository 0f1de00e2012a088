/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: files for CI systems: counts and elements of JUnit, one line of JSON for a badge; whatever is in a text (quotes, markup, line breaks,
 * control characters, bytes that are no UTF-8, a megabyte of it) stays text, and the XML is well-formed UTF-8.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "reports/check_files.h"

enum { MOST = 16 << 20 };

static void junit(void **state)
{
	static const struct vrs_check checks[] = {
		{"clip r=1", "fps", VRS_CHECK_PASSED, "fine"}, {"clip r=1", "cpu", VRS_CHECK_FAILED, "slower"},
		{"clip r=1", "iou", VRS_CHECK_SKIPPED, "open"}, {"clip r=1", "mem", VRS_CHECK_ERROR, "disturbed"},
	};
	struct vrs_buf out;
	(void)state;
	vrs_buf_init(&out, MOST);
	assert_int_equal(vrs_check_junit(&(struct vrs_check_list){"night", checks, 4}, &out), VRS_OK);
	assert_string_equal(vrs_buf_str(&out),
			    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			    "<testsuites tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\">\n"
			    "  <testsuite name=\"night\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\">\n"
			    "    <testcase classname=\"clip r=1\" name=\"fps\"/>\n"
			    "    <testcase classname=\"clip r=1\" name=\"cpu\">\n      <failure message=\"slower\"/>\n    </testcase>\n"
			    "    <testcase classname=\"clip r=1\" name=\"iou\">\n      <skipped message=\"open\"/>\n    </testcase>\n"
			    "    <testcase classname=\"clip r=1\" name=\"mem\">\n      <error message=\"disturbed\"/>\n    </testcase>\n"
			    "  </testsuite>\n</testsuites>\n");
	vrs_buf_fini(&out);
}

static void expect_text(const char *text, const char *expected)
{
	const struct vrs_check check = {text, "n", VRS_CHECK_PASSED, ""};
	struct vrs_buf out;
	char line[256];
	vrs_buf_init(&out, MOST);
	assert_int_equal(vrs_check_junit(&(struct vrs_check_list){"t", &check, 1}, &out), VRS_OK);
	snprintf(line, sizeof line, "    <testcase classname=\"%s\" name=\"n\"/>\n", expected);
	if (!strstr(vrs_buf_str(&out), line))
		print_message("%s", vrs_buf_str(&out));
	assert_non_null(strstr(vrs_buf_str(&out), line));
	vrs_buf_fini(&out);
}

static void hostile(void **state)
{
	(void)state;
	expect_text("\"><script>alert('1')</script>", "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;");
	expect_text("]]>&amp;", "]]&gt;&amp;amp;");
	expect_text("a\tb\x1b[31m\x7f", "a b [31m ");
	expect_text("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	expect_text("\xff\xc3(", "\xef\xbf\xbd\xef\xbf\xbd(");                               /* no such byte, a lead without its tail */
	expect_text("\xc0\xaf\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* overlong, a surrogate */
	expect_text("\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* beyond U+10FFFF */
	expect_text("\xef\xbf\xbe", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");                 /* U+FFFE is no character of XML */
	expect_text("\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd");                                 /* ends too early */
}

static void long_text(void **state)
{
	enum { BYTES = 1 << 20 };
	char *text = vrs_alloc(BYTES + 1);
	struct vrs_buf out;
	(void)state;
	assert_non_null(text);
	memset(text, '<', BYTES);
	text[BYTES] = 0;
	const struct vrs_check check = {text, text, VRS_CHECK_FAILED, text};
	vrs_buf_init(&out, MOST);
	assert_int_equal(vrs_check_junit(&(struct vrs_check_list){"t", &check, 1}, &out), VRS_OK);
	assert_true(out.len > 12 * (size_t)BYTES);
	vrs_buf_fini(&out);
	vrs_buf_init(&out, BYTES); /* a limit is told, not cut at */
	assert_int_equal(vrs_check_junit(&(struct vrs_check_list){"t", &check, 1}, &out), VRS_ELIMIT);
	vrs_buf_fini(&out);
	vrs_free(text);
}

static void badge(void **state)
{
	struct vrs_buf out;
	cJSON *json;
	(void)state;
	vrs_buf_init(&out, MOST);
	assert_int_equal(vrs_check_badge("nightly", "\"passed\"\n\x1b", "red", &out), VRS_OK);
	assert_ptr_equal(strchr(vrs_buf_str(&out), '\n'), vrs_buf_str(&out) + out.len - 1);
	assert_int_equal(vrs_json_parse(vrs_buf_str(&out), out.len, MOST, "badge", &json, NULL), VRS_OK);
	int64_t version = 0;
	assert_true(vrs_json_int(json, "schemaVersion", &version) && version == 1);
	assert_string_equal(vrs_json_string(json, "label"), "nightly");
	assert_string_equal(vrs_json_string(json, "message"), "\"passed\"\n\x1b");
	assert_string_equal(vrs_json_string(json, "color"), "red");
	cJSON_Delete(json);
	vrs_buf_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(junit), cmocka_unit_test(hostile), cmocka_unit_test(long_text), cmocka_unit_test(badge),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
