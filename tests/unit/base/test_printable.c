/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: no control character of a name or a file reaches a terminal, every other text does as it is, and a short buffer cuts between characters. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/printable.h"

static void controls_are_shown_as_bytes(void **state)
{
	static const char *const rows[][2] = {
		{"plain.mp4", "plain.mp4"}, {"", ""}, {"\x1b[2J", "\\x1b[2J"}, {"a\nvrseg: done\r", "a\\x0avrseg: done\\x0d"}, {"\x7f\t", "\\x7f\\x09"},
		{"\xc2\x9b" "31m", "\\xc2\\x9b31m"}, {"\xe2\x80\xae" "4pm", "\\xe2\\x80\\xae" "4pm"}, {"\xe2\x81\xa6", "\\xe2\\x81\\xa6"},
		{"a\xe2\x80\xa8" "b\xe2\x80\xa9", "a\\xe2\\x80\\xa8" "b\\xe2\\x80\\xa9"}, {"\xe2\x80\xa7", "\xe2\x80\xa7"},
		{"\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xe2\x80\x93", "\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xe2\x80\x93"},
		{"\xe2", "\xe2"}, {"\xc2", "\xc2"}, {"\xe2\x80", "\xe2\x80"},
	};
	char text[64];
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_string_equal(vrs_printable(text, sizeof text, rows[i][0]), rows[i][1]);
}

static void a_short_buffer_cuts(void **state)
{
	char text[8];
	(void)state;
	for (size_t size = 1; size <= sizeof text; size++) {
		vrs_printable(text, size, "ab\x1b" "cd");
		assert_string_equal(text, size == 1 ? "" : size == 2 ? "a" : size < 7 ? "ab" : size == 7 ? "ab\\x1b" : "ab\\x1bc");
	}
}

static void a_comment_is_one_line(void **state)
{
	char *text = NULL, longer[9000];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	(void)state;
	assert_non_null(out);
	vrs_print_comment(out, "clip: %s (%d)", "a\nkey: value\r\xc2\x85", 3);
	vrs_print_comment(out, "%s", "");
	memset(longer, 'a', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	vrs_print_comment(out, "%s\n", longer);
	vrs_print_text(out, "b\x1b[m");
	assert_int_equal(fclose(out), 0);
	static const char begin[] = "# clip: a\\x0akey: value\\x0d\\xc2\\x85 (3)\n#\n# aaa";
	assert_memory_equal(text, begin, sizeof begin - 1);
	assert_string_equal(text + size - 10, "aa\nb\\x1b[m");
	free(text); /* libc: memory of open_memstream */
}

/* A YAML file with such a comment would not load. */
static void a_comment_is_utf8(void **state)
{
	static const struct {
		const char *text, *line;
	} rows[] = {{"caf\xe9.mp4", "# caf\\xe9.mp4\n"}, {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\xa5", "# \xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\xa5\n"},
		    {"\xe2\x82", "# \\xe2\\x82\n"}, {"\xed\xa0\x80", "# \\xed\\xa0\\x80\n"}, {"\xc0\xaf", "# \\xc0\\xaf\n"}, {"\xff", "# \\xff\n"}};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);
		assert_non_null(out);
		vrs_print_comment(out, "%s", rows[i].text);
		assert_int_equal(fclose(out), 0);
		assert_string_equal(text, rows[i].line);
		free(text); /* libc: memory of open_memstream */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(controls_are_shown_as_bytes), cmocka_unit_test(a_short_buffer_cuts),
		cmocka_unit_test(a_comment_is_one_line), cmocka_unit_test(a_comment_is_utf8)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
