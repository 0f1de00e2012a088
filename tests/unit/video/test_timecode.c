/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards video/timecode: the clock stays when the rate changes, numbers are dropped where a rate needs it, and what is no time code is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "video/timecode.h"

static const AVRational ntsc = {30000, 1001}, ntsc2 = {60000, 1001}, ntsc_half = {15000, 1001};

static void rates(void **state)
{
	const struct {
		const char *text;
		AVRational from, to;
		int64_t skipped;
		const char *made; /* NULL: none */
	} rows[] = {
		{"01:00:00:20", {30, 1}, {30, 1}, 0, "01:00:00:20"},   {"01:00:00:20", {30, 1}, {15, 1}, 0, "01:00:00:10"},
		{"01:00:00:21", {30, 1}, {15, 1}, 0, "01:00:00:10"},   {"23:59:59:24", {25, 1}, {25, 1}, 1, "00:00:00:00"},
		{"01:00:00:00", {25, 1}, {25, 1}, 260, "01:00:10:10"}, {"01:00:00:00", {50, 1}, {10, 1}, 520, "01:00:10:04"},
		{"01:00:00;20", ntsc, ntsc, 0, "01:00:00;20"},         {"01:00:00;20", ntsc, ntsc_half, 0, "01:00:00:10"},
		{"01:00:00;20", ntsc2, ntsc, 0, "01:00:00;10"},        {"00:00:59;29", ntsc, ntsc, 1, "00:01:00;02"},
		{"00:00:59:29", ntsc, ntsc, 1, "00:01:00:00"},         {"01:00:00.20", ntsc, ntsc, 0, "01:00:00;20"},
		{"01:00:00;20", {25, 1}, {25, 1}, 0, NULL},            {"01:00:00:25", {25, 1}, {25, 1}, 0, NULL},
		{"01:00:00:20", {0, 1}, {25, 1}, 0, NULL},             {"01:00:00:20", {30, 1}, {1, 4}, 0, NULL},
		{"01:60:00:20", {30, 1}, {30, 1}, 0, NULL},            {"noon", {30, 1}, {30, 1}, 0, NULL},
		{"01:00:00:20 ", {30, 1}, {30, 1}, 0, NULL},           {"", {30, 1}, {30, 1}, 0, NULL},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		AVDictionary *tags = NULL;
		av_dict_set(&tags, "timecode", rows[i].text, 0);
		assert_true(vrs_timecode_tag(&tags, rows[i].from, rows[i].to, rows[i].skipped) >= 0);
		const AVDictionaryEntry *made = av_dict_get(tags, "timecode", NULL, 0);
		if (!made != !rows[i].made || (made && strcmp(made->value, rows[i].made) != 0))
			fail_msg("row %zu (%s): %s", i, rows[i].text, made ? made->value : "none");
		av_dict_free(&tags);
	}
}

static void tag(void **state)
{
	AVDictionary *tags = NULL;
	(void)state;
	assert_int_equal(vrs_timecode_tag(&tags, ntsc, ntsc_half, 0), 0);
	assert_int_equal(av_dict_count(tags), 0);
	av_dict_set(&tags, "TIMECODE", "01:00:00;20", 0);
	assert_true(vrs_timecode_tag(&tags, ntsc, ntsc_half, 0) >= 0);
	assert_string_equal(av_dict_get(tags, "timecode", NULL, 0)->value, "01:00:00:10");
	av_dict_set(&tags, "timecode", "later", 0);
	assert_true(vrs_timecode_tag(&tags, ntsc, ntsc, 0) >= 0);
	assert_int_equal(av_dict_count(tags), 0);
	av_dict_free(&tags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rates), cmocka_unit_test(tag)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
