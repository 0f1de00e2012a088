/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: the first number that is missing in a picture sequence is named, wherever it is; names that are none of the pattern's count for nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "video/sequence_gap.h"

static char folder[] = "vrs-gap-XXXXXX";

static void gaps_are_named(void **state)
{
	static const struct {
		const char *pattern, *names[8], *missing; /* NULL: none */
	} rows[] = {
		{"a%d.png", {"a7.png", "a8.png", "a9.png", "a10.png", "a11.png"}, NULL},
		{"b%03d.png", {"b001.png", "b002.png", "b004.png", "b009.png"}, "b003.png"},
		{"c%02d.png", {"c98.png", "c99.png", "c100.png", "c102.png"}, "c101.png"},
		{"d%03d.png", {"d001.png", "d002.png", "d004.jpg", "d4.png", "d0004.png", "d00x.png", "d99999999999999999999.png"}, NULL},
		{"e%d.png", {"e2147483646.png", "e2147483647.png"}, NULL},
		{"f[1]%d.png", {"f[1]1.png", "f[1]3.png", "f12.png"}, "f[1]2.png"},
		{"g*.png", {"g1.png", "g3.png"}, NULL},
		{"h%d.png", {NULL}, NULL},
	};
	(void)state;
	assert_int_equal(chdir(folder), 0);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct vrs_error err = {.status = VRS_OK};
		for (int k = 0; k < 8 && rows[i].names[k]; k++)
			assert_int_equal(vrs_file_replace(rows[i].names[k], "x", 1, NULL), VRS_OK);
		assert_int_equal(vrs_sequence_check(rows[i].pattern, &err), rows[i].missing ? VRS_EFORMAT : VRS_OK);
		if (rows[i].missing)
			assert_memory_equal(err.text, rows[i].missing, strlen(rows[i].missing));
		for (int k = 0; k < 8 && rows[i].names[k]; k++)
			assert_int_equal(unlink(rows[i].names[k]), 0);
	}
	assert_int_equal(chdir(".."), 0);
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int clean_up(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(gaps_are_named)};
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
