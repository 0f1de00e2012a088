/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards base/json: errors name line and column, numbers keep their digits, lack of memory is told from damage. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

static cJSON *parse(const char *text)
{
	cJSON *json = NULL;
	struct vrs_error err = {0};

	if (vrs_json_parse(text, strlen(text), 10000, "test", &json, &err) != VRS_OK)
		fail_msg("%s: %s", text, err.text);
	return json;
}

static void errors_have_a_place(void **state)
{
	static const struct {
		const char *text;
		int line, column;
	} bad[] = {
		{"", 1, 1},
		{" \n ", 1, 1},
		{"{\"a\": 1,\n \"b\": x}", 2, 7},
		{"{\"a\": 1}\n\n  junk", 3, 3},
		{"nul", 1, 1},
		{"[1] [2]", 1, 5},
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		cJSON *json = NULL;
		struct vrs_error err = {0};

		assert_int_equal(vrs_json_parse(bad[i].text, strlen(bad[i].text), 1000, "f.json", &json, &err), VRS_EFORMAT);
		assert_null(json);
		assert_string_equal(err.file, "f.json");
		if (err.line != bad[i].line || err.column != bad[i].column)
			fail_msg("'%s': %d:%d instead of %d:%d", bad[i].text, err.line, err.column, bad[i].line, bad[i].column);
	}
}

static void every_truncation_is_an_error(void **state)
{
	static const char text[] = "{\"name\": \"caf\\u00e9\", \"list\": [1, 2.5e3, null, true], \"deep\": {\"x\": [[]]}}";

	(void)state;
	for (size_t len = 0; len < sizeof text - 1; len++) {
		cJSON *json = NULL;

		assert_int_equal(vrs_json_parse(text, len, 1000, "t", &json, NULL), VRS_EFORMAT);
		assert_null(json);
	}
	cJSON_Delete(parse(text));
}

static void size_limit_is_exact(void **state)
{
	cJSON *json = NULL;

	(void)state;
	assert_int_equal(vrs_json_parse("[1,2]", 5, 4, "t", &json, NULL), VRS_ELIMIT);
	assert_int_equal(vrs_json_parse("[1,2]", 5, 5, "t", &json, NULL), VRS_OK);
	cJSON_Delete(json);
}

static void depth_is_limited(void **state)
{
	char text[4002];
	cJSON *json = NULL;

	(void)state;
	memset(text, '[', 2000);
	memset(text + 2000, ']', 2000);
	assert_int_equal(vrs_json_parse(text, 4000, 10000, "t", &json, NULL), VRS_EFORMAT);
	cJSON *fits = NULL;

	assert_int_equal(vrs_json_parse(text + 1100, 1800, 10000, "t", &fits, NULL), VRS_OK);
	cJSON_Delete(fits);
}

static void infinite_numbers_are_refused(void **state)
{
	cJSON *json = NULL;

	(void)state;
	assert_int_equal(vrs_json_parse("{\"a\":[{\"b\":1e999}]}", 19, 100, "t", &json, NULL), VRS_EFORMAT);
	assert_int_equal(vrs_json_parse("[-1e999]", 8, 100, "t", &json, NULL), VRS_EFORMAT);
	assert_int_equal(vrs_json_parse("[NaN]", 5, 100, "t", &json, NULL), VRS_EFORMAT);
}

static void getters_check_types(void **state)
{
	cJSON *json = parse("{\"n\": 2.5, \"i\": 42, \"s\": \"text\", \"b\": true, \"z\": null, \"big\": \"9223372036854775807\", \"o\": {}}");
	double number = -1;
	int64_t integer = -1;
	bool flag = false;

	(void)state;
	assert_true(vrs_json_number(json, "n", &number) && number == 2.5);
	assert_true(vrs_json_int(json, "i", &integer) && integer == 42);
	assert_true(vrs_json_int(json, "big", &integer) && integer == INT64_MAX);
	assert_true(vrs_json_bool(json, "b", &flag) && flag);
	assert_string_equal(vrs_json_string(json, "s"), "text");
	number = -1;
	integer = -1;
	assert_false(vrs_json_number(json, "s", &number) || vrs_json_number(json, "none", &number) || vrs_json_number(json, "z", &number));
	assert_false(vrs_json_int(json, "n", &integer) || vrs_json_int(json, "s", &integer) || vrs_json_int(json, "o", &integer));
	assert_false(vrs_json_bool(json, "i", &flag) || vrs_json_bool(json, "N", &flag));
	assert_null(vrs_json_string(json, "n"));
	assert_null(vrs_json_string(NULL, "n"));
	assert_true(number == -1 && integer == -1);
	cJSON_Delete(json);
}

static void builders_keep_digits(void **state)
{
	static const int64_t integers[] = {0, -1, INT64_C(999999999999999), INT64_C(1000000000000001),
					     INT64_C(9007199254740991), INT64_C(9007199254740993), INT64_MAX, INT64_MIN};
	static const double numbers[] = {0.1, 1.0 / 3, 1e-300, 12345.678901234567, -2.5};

	(void)state;
	for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++) {
		cJSON *json = cJSON_CreateObject();
		int64_t back = 5;

		assert_true(vrs_json_put_int(json, "v", integers[i]));
		char *text = vrs_json_print(json, false);
		cJSON *again = parse(text);

		assert_true(vrs_json_int(again, "v", &back) && back == integers[i]);
		cJSON_Delete(again);
		cJSON_Delete(json);
		vrs_json_free_text(text);
	}
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		cJSON *json = cJSON_CreateObject();
		double back = 5;

		assert_true(vrs_json_put_number(json, "v", numbers[i]));
		char *text = vrs_json_print(json, true);
		cJSON *again = parse(text);

		assert_true(vrs_json_number(again, "v", &back) && fabs(back - numbers[i]) <= fabs(numbers[i]) * 0x1p-52);
		cJSON_Delete(again);
		cJSON_Delete(json);
		vrs_json_free_text(text);
	}
}

static void builders_make_one_line_of_text(void **state)
{
	cJSON *json = cJSON_CreateObject();

	(void)state;
	assert_true(vrs_json_put_string(json, "s", "a\"\n\x01"));
	assert_true(vrs_json_put_number(json, "nan", NAN));
	assert_true(vrs_json_put_number(json, "inf", INFINITY));
	assert_true(vrs_json_put_bool(json, "b", false));
	cJSON *list = vrs_json_put_array(json, "l"), *object = vrs_json_put_object(json, "o");

	assert_true(list && object && vrs_json_put_int(object, "i", 3));
	char *text = vrs_json_print(json, false);

	assert_string_equal(text, "{\"s\":\"a\\\"\\n\\u0001\",\"b\":false,\"l\":[],\"o\":{\"i\":3}}");
	vrs_json_free_text(text);
	cJSON_Delete(json);
}

/* Every allocation of a read fails once: the status is right, nothing leaks, and the next try works. */
static void lack_of_memory_is_reported(void **state)
{
	static const char text[] = "{\"a\": [1, {\"b\": \"text\"}], \"c\": null}";
	struct vrs_mem_stats before = vrs_mem_stats();
	int n = 1;

	(void)state;
	for (;; n++) {
		cJSON *json = NULL;
		struct vrs_error err = {0};

		vrs_mem_fail_after((uint64_t)n, false);
		enum vrs_status status = vrs_json_parse(text, sizeof text - 1, 1000, "t", &json, &err);
		bool fired = vrs_mem_fault_fired();

		vrs_mem_fail_after(0, false);
		if (!fired) {
			assert_int_equal(status, VRS_OK);
			cJSON_Delete(json);
			break;
		}
		assert_int_equal(status, VRS_ENOMEM);
		assert_null(json);
	}
	assert_true(n > 8);
	assert_true(vrs_mem_stats().live_bytes == before.live_bytes);
}

/* C0 with cJSON; DEL, C1 and marks that turn the direction of writing here; all other text stays as it is, and reads back the same. */
static void no_text_steers_a_terminal(void **state)
{
	const char *hostile = "a\x1b[2J \x7f \xc2\x9b" "31m \xe2\x80\xae evil \xe2\x81\xa9 \xc3\xa9 \xe2\x80\x93";
	cJSON *object = cJSON_CreateObject(), *again = NULL;
	char *text;

	(void)state;
	assert_true(vrs_json_put_string(object, "name", hostile));
	text = vrs_json_print(object, false);
	assert_non_null(text);
	assert_string_equal(text, "{\"name\":\"a\\u001b[2J \\u007f \\u009b31m \\u202e evil \\u2069 \xc3\xa9 \xe2\x80\x93\"}");
	assert_int_equal(vrs_json_parse(text, strlen(text), 1000, "again", &again, NULL), VRS_OK);
	assert_string_equal(vrs_json_string(again, "name"), hostile);
	cJSON_Delete(object);
	cJSON_Delete(again);
	vrs_json_free_text(text);
}

/* Names of files are bytes, JSON is UTF-8: others are halves of surrogate pairs, as Python writes them. */
static void bytes_that_are_no_utf8_return(void **state)
{
	static const char name[] = "b\xff \xc3\xa9 \xe2\x80 \xed\xa0\x80 \xf0\x9f\x92\x80.mp4";
	static const char want[] = "{\"name\":\"b\\udcff \xc3\xa9 \\udce2\\udc80 \\udced\\udca0\\udc80 \xf0\x9f\x92\x80.mp4\"}";
	static const char pair[] = "[\"\\ud83d\\udc80 \\\\udc80\"]", wrong[] = "{\"a\": \"\\udcff\",\n\"b\": x}";
	struct vrs_error err = {0};
	cJSON *json = cJSON_CreateObject();
	(void)state;
	assert_true(vrs_json_put_string(json, "name", name));
	char *text = vrs_json_print(json, false);
	cJSON_Delete(json);
	assert_string_equal(text, want);
	assert_int_equal(vrs_json_parse(text, strlen(text), 1000, "test", &json, NULL), VRS_OK);
	assert_string_equal(vrs_json_string(json, "name"), name);
	cJSON_Delete(json);
	vrs_json_free_text(text);
	/* what looks like one: half of a pair, a backslash and letters */
	assert_int_equal(vrs_json_parse(pair, strlen(pair), 1000, "test", &json, NULL), VRS_OK);
	assert_string_equal(json->child->valuestring, "\xf0\x9f\x92\x80 \\udc80");
	cJSON_Delete(json);
	/* errors behind one have their place */
	assert_int_equal(vrs_json_parse(wrong, strlen(wrong), 1000, "test", &json, &err), VRS_EFORMAT);
	assert_int_equal(err.line, 2);
	assert_int_equal(err.column, 6);
}

static void files_are_read(void **state)
{
	char path[64];
	struct vrs_error err = {0};
	cJSON *json = NULL;

	(void)state;
	snprintf(path, sizeof path, "test_json.%ld.json", (long)getpid());
	assert_int_equal(vrs_json_read_file(path, 100, &json, &err), VRS_ENOTFOUND);
	assert_int_equal(vrs_file_replace(path, "{\n \"a\" 1}", 9, NULL), VRS_OK);
	err = (struct vrs_error){0};
	assert_int_equal(vrs_json_read_file(path, 100, &json, &err), VRS_EFORMAT);
	char text[1024], expected[256];

	snprintf(expected, sizeof expected, "%s:2:6: this is not valid JSON", path);
	assert_string_equal(vrs_error_str(&err, text, sizeof text), expected);
	assert_int_equal(vrs_file_replace(path, "{}", 2, NULL), VRS_OK);
	assert_int_equal(vrs_json_read_file(path, 100, &json, &err), VRS_OK);
	cJSON_Delete(json);
	unlink(path);
}

/* The elements of a large array come one by one; what is wrong is told as if all had been read at once. */
static void elements_come_one_by_one(void **state)
{
	static const struct {
		const char *text, *numbers, *failure; /* failure: what the message holds; NULL: none */
	} cases[] = {
		{"{\"a\": 1, \"list\": [{\"n\": 1}, {\"n\": 2, \"x\": \"]}\\\"[\"}], \"b\": \"list\"}", "12", NULL},
		{"{\"list\":[]}", "", NULL},
		{"{\"b\": {\"list\": [{\"n\": 9}]}, \"list\": [ {\"n\":3} ]}", "3", NULL},   /* of the object itself */
		{"{\"l\\u0069st\": [{\"n\": 4}, {\"n\": 5}]}", "45", NULL},             /* another way to write the key */
		{"{\"a\": 1}", "", NULL},
		{"{\"list\": 7}", "", NULL},
		{"{\"list\": [{\"n\": 1} {\"n\": 2}]}", "1", "t:1:20: "},
		{"{\"list\": [{\"n\": 1},]}", "1", "t:1:"},
		{"{\"list\": [{\"n\": 1},\n {\"n\" 2}]}", "1", "t:2:"},
		{"{\"list\": [{\"n\": 1}, {\"n\": 1e999}]}", "1", "too large"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_json_elements elements;
		struct vrs_error err = {.status = VRS_OK};
		char seen[16] = "", text[256];
		size_t used = 0;
		cJSON *json = NULL, *item;
		assert_int_equal(vrs_json_parse_around(cases[i].text, strlen(cases[i].text), 1 << 20, "t", "list", &json, &elements, &err), VRS_OK);
		enum vrs_status status;
		while ((status = vrs_json_elements_next(&elements, &item, &err)) == VRS_OK && item) {
			int64_t n = 0;
			assert_true(vrs_json_int(item, "n", &n));
			seen[used++] = (char)('0' + n);
			vrs_json_elements_free(&elements, item);
		}
		assert_string_equal(seen, cases[i].numbers);
		assert_int_equal(status, cases[i].failure ? VRS_EFORMAT : VRS_OK);
		if (cases[i].failure)
			assert_non_null(strstr(vrs_error_str(&err, text, sizeof text), cases[i].failure));
		cJSON_Delete(json);
	}
	static const char *const broken[] = {"", "[", "{\"list\": [", "{\"list\": [\"", "{\"list\": [1}", "{\"list\": [1], \"b\" 2}", "{\"list\": [1]} x"};
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
		struct vrs_json_elements elements;
		struct vrs_error around = {.status = VRS_OK}, whole = {.status = VRS_OK};
		cJSON *json = NULL;
		char a[256], b[256];
		assert_int_equal(vrs_json_parse_around(broken[i], strlen(broken[i]), 1 << 20, "t", "list", &json, &elements, &around), VRS_EFORMAT);
		assert_int_equal(vrs_json_parse(broken[i], strlen(broken[i]), 1 << 20, "t", &json, &whole), VRS_EFORMAT);
		assert_string_equal(vrs_error_str(&around, a, sizeof a), vrs_error_str(&whole, b, sizeof b));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_come_one_by_one),
		cmocka_unit_test(errors_have_a_place),       cmocka_unit_test(every_truncation_is_an_error),
		cmocka_unit_test(size_limit_is_exact),       cmocka_unit_test(depth_is_limited),
		cmocka_unit_test(infinite_numbers_are_refused), cmocka_unit_test(getters_check_types),
		cmocka_unit_test(builders_keep_digits), cmocka_unit_test(builders_make_one_line_of_text),
		cmocka_unit_test(lack_of_memory_is_reported), cmocka_unit_test(files_are_read),
		cmocka_unit_test(no_text_steers_a_terminal), cmocka_unit_test(bytes_that_are_no_utf8_return),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
