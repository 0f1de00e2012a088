/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards what names on the command line stand for: results, result folders and what lies below others, in order, without links and other files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/result_list.h"
#include "scratch_folder.h"

#define FOLDER "result_list"

static void write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

static void folders_hold_results(void **state)
{
	static const char *const expected[] = {"all/a", "all/b/deep/r.json", "all/z.json", "single.json", "missing", "empty"};
	static const char schema[] = "{\"schema\": \"vrbench/1.6\"}";
	struct vrs_result_list list = {.count = 0};
	(void)state;
	assert_int_equal(mkdir("all", 0700) | mkdir("all/a", 0700) | mkdir("all/a/soak", 0700) | mkdir("all/b", 0700) | mkdir("all/b/deep", 0700) |
			 mkdir("empty", 0700) | mkdir("all/.hidden", 0700), 0);
	write_file("all/a/results.json", "damaged");           /* a result all the same: reading it says what is wrong */
	write_file("all/a/soak/results.json", schema);         /* part of a */
	write_file("all/b/deep/r.json", schema);
	write_file("all/b/deep/env.json", "{\"cpu\": {}}");
	write_file("all/z.json", schema);
	write_file("all/z.txt", schema);
	write_file("all/.hidden/results.json", schema);
	write_file("single.json", "x");
	assert_int_equal(symlink("../all", "all/b/loop"), 0);
	assert_int_equal(vrs_result_list_add(&list, "all", NULL), VRS_OK);
	assert_int_equal(vrs_result_list_add(&list, "single.json", NULL), VRS_OK);
	assert_int_equal(vrs_result_list_add(&list, "missing", NULL), VRS_OK);
	assert_int_equal(vrs_result_list_add(&list, "empty", NULL), VRS_OK);
	assert_int_equal(list.count, (int)(sizeof expected / sizeof *expected));
	for (int i = 0; i < list.count; i++)
		assert_string_equal(list.paths[i], expected[i]);
	vrs_result_list_fini(&list);
}

static int enter(void **state)
{
	(void)state;
	return scratch_folder_enter(FOLDER);
}

static int leave(void **state)
{
	(void)state;
	return scratch_folder_remove(FOLDER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(folders_hold_results)};
	return cmocka_run_group_tests(tests, enter, leave);
}
