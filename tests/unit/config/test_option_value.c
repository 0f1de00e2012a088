/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards text to value: ranges are exact, every message is the sentence that a user should read, and printed values parse to the same. */
#include <math.h>

#include "config_check.h"

#include "config/option_table.h"

static void mistakes_are_named(void **state)
{
	static const char *const cases[][3] = {
		{"engine.threads", "two", "--x: \"two\" is not a whole number (1 to 1024, 0 or auto)"},
		{"engine.threads", "2.5", "--x: \"2.5\" is not a whole number (1 to 1024, 0 or auto)"},
		{"engine.threads", "2 ", "--x: \"2 \" is not a whole number (1 to 1024, 0 or auto)"},
		{"engine.threads", "-1", "--x: -1 is out of range (1 to 1024, 0 or auto)"},
		{"engine.threads", "1025", "--x: 1025 is out of range (1 to 1024, 0 or auto)"},
		{"engine.threads", "99999999999999999999", "--x: 99999999999999999999 is out of range (1 to 1024, 0 or auto)"},
		{"engine.threads", "", "--x: the value is missing"},
		{"engine.batch_size", "32-16", "--x: \"32-16\" is not a whole number (1 to 256, 0 or auto)"},
		{"engine.batch_size", "16-257", "--x: \"16-257\" is not a whole number (1 to 256, 0 or auto)"},
		{"engine.batch_size", "16-", "--x: \"16-\" is not a whole number (1 to 256, 0 or auto)"},
		{"pipeline.every_nth", "2-3", "--x: \"2-3\" is not a whole number (1 to 10000 frames)"},
		{"pipeline.max_frames", "x", "--x: \"x\" is not a whole number (1 or more frames, or all)"},
		{"pipeline.max_frames", "0", "--x: 0 is out of range (1 or more frames, or all)"},
		{"engine.batch_size", "0-4", "--x: \"0-4\" is not a whole number (1 to 256, 0 or auto)"},
		{"pipeline.segment_frames", "0", "--x: 0 is out of range (1 or more frames, or none)"},
		{"output.crf", "-2", "--x: -2 is out of range (0 to 63, -1 or auto)"},
		{"input.duration", "0", "--x: 0 is out of range (above 0, to 1e+06 s, or all)"},
		{"input.duration", "0:00", "--x: 0:00 is out of range (above 0, to 1e+06 s, or all)"},
		{"input.duration", "-0.0", "--x: -0.0 is out of range (above 0, to 1e+06 s, or all)"},
		{"input.duration", "long", "--x: \"long\" is not a time such as 12.5 or 1:30 (above 0, to 1e+06 s, or all)"},
		{"output.fov", "0", "--x: 0 is out of range (above 0, to 270 degrees, or auto)"},
		{"target.fps", "0", "--x: 0 is out of range (above 0, to 10000 frames/s, or none)"},
		{"matte.motion_gate", "-1", "--x: -1 is out of range (0 to 255, or none)"},
		{"pipeline.batch_timeout_ms", "-0.5", "--x: -0.5 is out of range (0 to 60000 ms, or none)"},
		{"matte.cutoff", "0.96", "--x: 0.96 is out of range (0 to 0.95)"},
		{"matte.cutoff", "nan", "--x: \"nan\" is not a number (0 to 0.95)"},
		{"matte.cutoff", "inf", "--x: \"inf\" is not a number (0 to 0.95)"},
		{"engine.fusion", "maybe", "--x: \"maybe\" is neither true nor false"},
		{"engine.precision", "fp61", "--x: \"fp61\" is not one of auto, fp32, fp16, bf16, int8, mixed; did you mean \"fp16\"?"},
		{"engine.precision", "double", "--x: \"double\" is not one of auto, fp32, fp16, bf16, int8, mixed"},
		{"engine.backend", "cuda", "--x: \"cuda\" is not one of auto, cpu, ref, null, opencl; did you mean \"opencl\"?"},
		{"engine.input_size", "512", "--x: \"512\" is not a size; write WIDTHxHEIGHT (512x512) or [512, 512]"},
		{"engine.input_size", "512x9000", "--x: 512x9000 is out of range (1 to 8192 each way, or auto)"},
		{"engine.input_size", "0x512", "--x: 0x512 is out of range (1 to 8192 each way, or auto)"},
		{"engine.input_size", "0x0", "--x: 0x0 is out of range (1 to 8192 each way, or auto)"},
		{"output.color", "green", "--x: \"green\" is not a colour; write six hexadecimal digits (00ff00)"},
		{"output.encoder", "a\nb", "--x: the text holds a control character, such as a line break"},
		{"output.encoder", "0123456789012345678901234567890123456789012345678901234567890123", "--x: the text is longer than 63 bytes"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_option_value value;
		struct vrs_error err = {0};

		assert_int_equal(vrs_option_parse(vrs_option_find(cases[i][0]), cases[i][1], "--x", &value, &err), VRS_ECONFIG);
		assert_string_equal(err.text, cases[i][2]);
		assert_int_equal(err.status, VRS_ECONFIG);
	}
}

static void edges_of_ranges_are_inside(void **state)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	(void)state;
	for (int i = 0; i < count; i++) {
		struct vrs_option_value value;
		char text[64];
		bool is_int = rows[i].type == VRS_OPT_INT;

		if (!is_int && rows[i].type != VRS_OPT_DOUBLE)
			continue;
		bool open;
		const double least = vrs_option_least(&rows[i], &open);
		(void)snprintf(text, sizeof text, "%.17g", least);
		assert_int_equal(vrs_option_parse(&rows[i], text, "", &value, NULL), open ? VRS_ECONFIG : VRS_OK);
		(void)snprintf(text, sizeof text, "%.17g", least + (is_int ? 1 : 0.001));
		assert_int_equal(vrs_option_parse(&rows[i], text, "", &value, NULL), VRS_OK);
		(void)snprintf(text, sizeof text, "%.17g", rows[i].max);
		assert_int_equal(vrs_option_parse(&rows[i], text, "", &value, NULL), VRS_OK);
		(void)snprintf(text, sizeof text, "%.17g", rows[i].max + (is_int ? 1 : 0.001));
		assert_int_equal(vrs_option_parse(&rows[i], text, "", &value, NULL), VRS_ECONFIG);
		(void)snprintf(text, sizeof text, "%.17g", least - (is_int ? 1 : 0.001));
		assert_int_equal(vrs_option_parse(&rows[i], text, "", &value, NULL), VRS_ECONFIG);
	}
}

/* No number means what a word does, but where the row says so: a mistake that is only seen in the video. */
static void words_have_no_number(void **state)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	(void)state;
	for (int i = 0; i < count; i++) {
		struct vrs_option_value value;
		char text[64];

		if (!rows[i].min_name || (rows[i].type != VRS_OPT_INT && rows[i].type != VRS_OPT_DOUBLE))
			continue;
		(void)snprintf(text, sizeof text, "%.17g", rows[i].min);
		assert_int_equal(vrs_option_parse(&rows[i], text, "", &value, NULL), rows[i].takes_min ? VRS_OK : VRS_ECONFIG);
		assert_int_equal(vrs_option_parse(&rows[i], rows[i].min_name, "", &value, NULL), VRS_OK);
	}
	assert_true(vrs_option_is_word_number(vrs_option_find("engine.threads"), "0"));
	assert_true(vrs_option_is_word_number(vrs_option_find("output.crf"), "-1"));
	assert_false(vrs_option_is_word_number(vrs_option_find("output.crf"), "0"));
	assert_false(vrs_option_is_word_number(vrs_option_find("matte.motion_gate"), "0"));
	assert_false(vrs_option_is_word_number(NULL, "0"));
}

static void values_print_as_yaml_shows_them(void **state)
{
	static const char *const cases[][3] = {
		{"engine.threads", "0", "auto"},      {"engine.threads", "auto", "auto"}, {"engine.threads", "+8", "8"},
		{"engine.batch_size", "4-8", "4-8"},  {"output.crf", "-1", "auto"},       {"output.crf", "0", "0"},
		{"matte.gamma", "0.1", "0.1"},        {"matte.gamma", "1.10", "1.1"},     {"matte.gamma", "1e0", "1"},
		{"matte.view_size", "0.3333333333333333", "0.3333333333333333"},            {"engine.fusion", "YES", "true"},
		{"engine.fusion", "off", "false"},    {"engine.input_size", "512x288", "[512, 288]"},
		{"engine.input_size", "[64,32]", "[64, 32]"}, {"engine.input_size", "auto", "auto"},
		{"output.color", "#A0b1C2", "a0b1c2"}, {"target.fps", "none", "none"},    {"target.fps", "59.94", "59.94"},
		{"matte.motion_gate", "0", "0"},      {"matte.motion_gate", "none", "none"}, {"pipeline.batch_timeout_ms", "0", "0"},
		{"pipeline.batch_timeout_ms", "none", "none"}, {"input.duration", "0:00.25", "0.25"}, {"pipeline.prefetch", "0", "auto"},
		{"pipeline.max_frames", "all", "all"}, {"output.file", "a b: #c.mp4", "a b: #c.mp4"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct vrs_option *row = vrs_option_find(cases[i][0]);
		struct vrs_option_value value, again;
		struct vrs_settings settings = {0};
		char text[VRS_PATH_MAX], text2[VRS_PATH_MAX];

		assert_int_equal(vrs_option_parse(row, cases[i][1], "", &value, NULL), VRS_OK);
		assert_int_equal(vrs_option_print(row, &value, text, sizeof text), VRS_OK);
		assert_string_equal(text, cases[i][2]);
		vrs_option_store(row, &value, &settings);
		vrs_option_load(row, &settings, &again);
		again.is_interval = value.is_interval;
		again.low = value.low;
		again.high = value.high;
		assert_int_equal(vrs_option_print(row, &again, text2, sizeof text2), VRS_OK);
		assert_string_equal(text2, text);
	}
}

static void small_buffers_are_refused(void **state)
{
	const struct vrs_option *row = vrs_option_find("engine.input_size");
	struct vrs_option_value value;
	char text[11];

	(void)state;
	assert_int_equal(vrs_option_parse(row, "512x512", "", &value, NULL), VRS_OK);
	assert_int_equal(vrs_option_print(row, &value, text, 10), VRS_ELIMIT);
	assert_int_equal(vrs_option_print(row, &value, text, 11), VRS_OK);
	assert_string_equal(text, "[512, 512]");
}

/* Settings that a program filled in: every number beyond its option's range is refused by name, and so is a text without an end. */
static void filled_in_settings_are_checked(void **state)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	struct vrs_config *config;
	struct vrs_error err;

	(void)state;
	assert_int_equal(vrs_config_create(&config), VRS_OK);
	assert_int_equal(vrs_settings_in_range(vrs_config_settings(config), NULL), VRS_OK);
	for (int i = 0; i < count; i++) {
		struct vrs_settings settings = *vrs_config_settings(config);
		unsigned char *field = (unsigned char *)&settings + rows[i].offset;
		bool below = rows[i].type == VRS_OPT_INT && rows[i].min > INT32_MIN;
		const int low = below ? (int)rows[i].min - 1 : -1;
		const double none = NAN;

		if (rows[i].offset == SIZE_MAX || rows[i].type == VRS_OPT_BOOL || rows[i].type == VRS_OPT_COLOR)
			continue;
		if (rows[i].type == VRS_OPT_STRING)
			memset(field, 'x', rows[i].size);
		else if (rows[i].type == VRS_OPT_DOUBLE)
			memcpy(field, &none, sizeof none);
		else
			memcpy(field, &low, sizeof low);
		if (vrs_settings_in_range(&settings, &err) != VRS_EINVAL || !strstr(err.text, rows[i].key))
			fail_msg("%s is not refused", rows[i].key);
	}
	vrs_config_destroy(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mistakes_are_named),
		cmocka_unit_test(edges_of_ranges_are_inside),
		cmocka_unit_test(words_have_no_number),
		cmocka_unit_test(values_print_as_yaml_shows_them),
		cmocka_unit_test(small_buffers_are_refused),
		cmocka_unit_test(filled_in_settings_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
