/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards base/str_parse: exactly the documented grammar is accepted, ranges hold at their ends, and failures leave the target alone. */
#include <locale.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/str_parse.h"

static void integers(void **state)
{
	static const char *const bad[] = {"", " 1", "1 ", "12abc", "0x10", "1.0", "+", "-", "--1", "+-1", "1e3", "9223372036854775808",
					   "-9223372036854775809", "99999999999999999999999"};
	int64_t value = 77;

	(void)state;
	assert_true(vrs_parse_int("-12", -100, 100, &value));
	assert_int_equal(value, -12);
	assert_true(vrs_parse_int("+7", -100, 100, &value));
	assert_int_equal(value, 7);
	assert_true(vrs_parse_int("007", -100, 100, &value));
	assert_int_equal(value, 7);
	assert_true(vrs_parse_int("9223372036854775807", INT64_MIN, INT64_MAX, &value));
	assert_true(value == INT64_MAX);
	assert_true(vrs_parse_int("-9223372036854775808", INT64_MIN, INT64_MAX, &value));
	assert_true(value == INT64_MIN);
	value = 77;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (vrs_parse_int(bad[i], INT64_MIN, INT64_MAX, &value))
			fail_msg("'%s' was accepted", bad[i]);
	assert_int_equal(value, 77);
}

static void integer_range_ends(void **state)
{
	int64_t value;

	(void)state;
	assert_false(vrs_parse_int("0", 1, 256, &value));
	assert_true(vrs_parse_int("1", 1, 256, &value));
	assert_true(vrs_parse_int("256", 1, 256, &value));
	assert_false(vrs_parse_int("257", 1, 256, &value));
}

static void doubles(void **state)
{
	static const char *const bad[] = {"", ".", "e5", "1e", "1e+", "nan", "NAN", "inf", "-inf", "infinity", "0x1p3", "1e999", "-1e999", " 1",
					   "1 ", "1,5", "1.5.2", "--1", "1d", "1f"};
	static const struct {
		const char *text;
		double value;
	} good[] = {{"1", 1},       {"-0.5", -0.5},      {".5", 0.5},   {"5.", 5},     {"1e3", 1000},
		     {"1E-2", 0.01}, {"+2.5e+1", 25}, {"1e-320", 1e-320}, {"1e-999", 0}};
	double value = 77;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		if (!vrs_parse_double(good[i].text, -1e300, 1e300, &value))
			fail_msg("'%s' was refused", good[i].text);
		assert_true(value == good[i].value);
	}
	value = 77;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (vrs_parse_double(bad[i], -1e308, 1e308, &value))
			fail_msg("'%s' was accepted", bad[i]);
	assert_false(vrs_parse_double("1.0001", 0, 1, &value));
	assert_false(vrs_parse_double("-0.0001", 0, 1, &value));
	assert_true(value == 77);
	assert_true(vrs_parse_double("1", 0, 1, &value));
}

/* A program embedded where the decimal point is a comma must read the same files. */
static void doubles_ignore_the_locale(void **state)
{
	static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C.UTF-8"};
	double value;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (setlocale(LC_ALL, names[i]))
			break;
	assert_true(vrs_parse_double("1.5", 0, 10, &value));
	assert_true(value == 1.5);
	assert_false(vrs_parse_double("1,5", 0, 10, &value));
	setlocale(LC_ALL, "C");
}

static void booleans(void **state)
{
	static const char *const yes[] = {"true", "yes", "on", "1", "True", "YES"}, *const no[] = {"false", "no", "off", "0", "False"},
				 *const bad[] = {"", "2", "y", "truee", " true", "01"};
	bool value;

	(void)state;
	for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
		value = false;
		assert_true(vrs_parse_bool(yes[i], &value) && value);
	}
	for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
		value = true;
		assert_true(vrs_parse_bool(no[i], &value) && !value);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(vrs_parse_bool(bad[i], &value));
}

static void sizes(void **state)
{
	static const char *const good[] = {"512x256", "[512,256]", "[512, 256]", "[ 512 , 256 ]"};
	static const char *const bad[] = {"",    "512",  "512x", "x256",     "512x256x1", "[512, 256", "512, 256", "[512 256]",
					   "[]", "512X256 ", "[512, 256]x", "0x256", "512x9000", "512 x256", "[512,,256]"};
	int value[2];

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		value[0] = value[1] = 0;
		if (!vrs_parse_size2(good[i], 1, 8192, value))
			fail_msg("'%s' was refused", good[i]);
		assert_int_equal(value[0], 512);
		assert_int_equal(value[1], 256);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (vrs_parse_size2(bad[i], 1, 8192, value))
			fail_msg("'%s' was accepted", bad[i]);
	assert_false(vrs_parse_size2("4294967297x1", 0, INT64_MAX, value));
	assert_int_equal(value[0], 512);
}

static void colours(void **state)
{
	static const char *const bad[] = {"", "#", "00ff0", "00ff000", "##00ff00", "00fg00", "0x00ff", "+0ff00", " 0ff00", "green"};
	uint8_t rgb[3] = {1, 2, 3};

	(void)state;
	assert_true(vrs_parse_color("#12aBef", rgb));
	assert_true(rgb[0] == 0x12 && rgb[1] == 0xab && rgb[2] == 0xef);
	assert_true(vrs_parse_color("00FF00", rgb));
	assert_true(rgb[0] == 0 && rgb[1] == 255 && rgb[2] == 0);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (vrs_parse_color(bad[i], rgb))
			fail_msg("'%s' was accepted", bad[i]);
	assert_int_equal(rgb[1], 255);
}

static void byte_counts(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {{"0", 0},           {"512", 512},          {"4K", 4096},          {"2M", 2 << 20},
		     {"1.5G", 3u << 29}, {"1g", 1u << 30}, {"2GiB", UINT64_C(2) << 30}, {"1T", UINT64_C(1) << 40}};
	static const char *const bad[] = {"", "K", "-1", "-1K", "1KB", "1X", "1K ", " 1K", "1Ki", "1KK", "1e30", "9000000T", "nan"};
	uint64_t value = 5;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		if (!vrs_parse_bytes(good[i].text, &value))
			fail_msg("'%s' was refused", good[i].text);
		assert_true(value == good[i].value);
	}
	value = 5;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (vrs_parse_bytes(bad[i], &value))
			fail_msg("'%s' was accepted", bad[i]);
	assert_true(value == 5);
}

static void durations(void **state)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {{"90", 90},   {"90s", 90},     {"1.5h", 5400},      {"2m", 120},    {"2min", 120},     {"1:30", 90},
		     {"0", 0}, {"500ms", 0.5}, {"00:01:30.5", 90.5}, {"90:00", 5400}, {"100:00:00", 360000}};
	static const char *const bad[] = {"",   "-1",   "-1s",  "1d",     "1 s",   "1:60",   "1:60:00", "1:2:3:4", ":30",  "1:",
					   "1:", "1:-5", "-1:5", "1:5s", "1e10s", "1e999h", "nan",     "s",       "1:+5", "9999999999999:00"};
	double value = 5;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		if (!vrs_parse_duration(good[i].text, &value))
			fail_msg("'%s' was refused", good[i].text);
		assert_true(value == good[i].value);
	}
	value = 5;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (vrs_parse_duration(bad[i], &value))
			fail_msg("'%s' was accepted", bad[i]);
	assert_true(value == 5);
}

static void check_list(const char *text, int count, const int64_t *expected)
{
	int64_t items[8];
	int n = vrs_parse_int_list(text, 0, 10000, items, 8);

	if (n != count)
		fail_msg("'%s': %d values instead of %d", text, n, count);
	for (int i = 0; i < count; i++)
		assert_int_equal(items[i], expected[i]);
}

static void integer_lists(void **state)
{
	static const char *const bad[] = {"",      ",",      "1,",    ",1",    "1,,2",  "1-4",       "1-8*1",  "0-8*2",   "1:5",   "1:5:0",
					   "5:1:1", "8-1*2", "1 ,2", "1-8*", "a", "1:5:-1", "10001", "1:9:1", "1,2,3,4,5,6,7,8,9", "-1"};
	int64_t items[8], edge[2];

	(void)state;
	check_list("3", 1, (int64_t[]){3});
	check_list("1,2,4", 3, (int64_t[]){1, 2, 4});
	check_list("1-8*2", 4, (int64_t[]){1, 2, 4, 8});
	check_list("1-9*2", 4, (int64_t[]){1, 2, 4, 8});
	check_list("0:6:3,10", 4, (int64_t[]){0, 3, 6, 10});
	check_list("1:8:1", 8, (int64_t[]){1, 2, 3, 4, 5, 6, 7, 8});
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (vrs_parse_int_list(bad[i], 0, 10000, items, 8) >= 0)
			fail_msg("'%s' was accepted", bad[i]);
	/* At the end of the number range nothing may wrap around. */
	assert_int_equal(vrs_parse_int_list("9223372036854775806:9223372036854775807:1", INT64_MIN, INT64_MAX, edge, 2), 2);
	assert_true(edge[1] == INT64_MAX);
	assert_int_equal(vrs_parse_int_list("4611686018427387904-9223372036854775807*2", INT64_MIN, INT64_MAX, edge, 2), 1);
}

static void hashes(void **state)
{
	static const char *const bad[] = {"", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF", "0123456789abcde ",
					 "-123456789abcdef", "0x23456789abcdef"};
	uint64_t hash = 7;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(vrs_parse_hash(bad[i], &hash));
	assert_int_equal(hash, 7);
	assert_true(vrs_parse_hash("fedcba9876543210", &hash));
	assert_true(hash == 0xfedcba9876543210);
}

static void distances(void **state)
{
	char long_word[200];

	(void)state;
	assert_int_equal(vrs_edit_distance("", ""), 0);
	assert_int_equal(vrs_edit_distance("", "abc"), 3);
	assert_int_equal(vrs_edit_distance("abc", ""), 3);
	assert_int_equal(vrs_edit_distance("kitten", "sitting"), 3);
	assert_int_equal(vrs_edit_distance("threads", "thraeds"), 1);
	assert_int_equal(vrs_edit_distance("ca", "abc"), 3);
	memset(long_word, 'x', sizeof long_word - 1);
	long_word[sizeof long_word - 1] = '\0';
	assert_int_equal(vrs_edit_distance(long_word, "x"), 199);
	long_word[128] = '\0';
	assert_int_equal(vrs_edit_distance(long_word, "x"), 127);
}

static void closest_word(void **state)
{
	static const char *const words[] = {"threads", "streams", "batch-size", "crf", NULL};

	(void)state;
	assert_string_equal(vrs_closest("thread", words), "threads");
	assert_string_equal(vrs_closest("steams", words), "streams");
	assert_string_equal(vrs_closest("batchsize", words), "batch-size");
	assert_string_equal(vrs_closest("cfr", words), "crf");
	assert_null(vrs_closest("output", words));
	assert_null(vrs_closest("", words));
	assert_null(vrs_closest("x", (const char *const[]){NULL}));
}

static void bounded_copies(void **state)
{
	char dst[4];

	(void)state;
	assert_true(vrs_strcpy(dst, 4, "abc"));
	assert_string_equal(dst, "abc");
	assert_false(vrs_strcpy(dst, 4, "abcd"));
	assert_string_equal(dst, "abc");
	assert_false(vrs_strcpy(dst, 1, "x"));
	assert_string_equal(dst, "");
	assert_true(vrs_strcpy(dst, 1, ""));
	assert_false(vrs_strcpy(dst, 0, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),      cmocka_unit_test(integer_range_ends), cmocka_unit_test(doubles),
		cmocka_unit_test(doubles_ignore_the_locale), cmocka_unit_test(booleans), cmocka_unit_test(sizes),
		cmocka_unit_test(colours),       cmocka_unit_test(byte_counts),        cmocka_unit_test(durations),
		cmocka_unit_test(integer_lists), cmocka_unit_test(hashes), cmocka_unit_test(distances),          cmocka_unit_test(closest_word),
		cmocka_unit_test(bounded_copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
