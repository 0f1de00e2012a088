/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards recipes: their flags stand before those that were typed, and one that is refused, wherever its mistake is, leaves nothing allocated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tuner/modes/tune_program.h"

static enum vrs_status apply(const char *text, struct vrs_recipe *recipe, char **typed, struct vrs_error *err)
{
	static char flag[64];
	char path[] = "/tmp/test_recipe-XXXXXX.yaml";
	int fd = mkstemps(path, 5);

	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0);
	snprintf(flag, sizeof flag, "--recipe=%s", path);
	typed[0] = (char[]){"vrtune"};
	typed[1] = flag;
	enum vrs_status status = vrs_recipe_apply(recipe, 2, typed, err);

	assert_int_equal(unlink(path), 0);
	return status;
}

static void flags_come_first(void **state)
{
	(void)state;
	struct vrs_recipe recipe;
	char *typed[3] = {NULL};
	uint64_t live = vrs_mem_stats().live_bytes;

	assert_int_equal(apply("rounds: 9\nquick: true\nfollow: false\n", &recipe, typed, NULL), VRS_OK);
	assert_int_equal(recipe.argc, 5);
	assert_string_equal(recipe.argv[1], "--rounds=9");
	assert_string_equal(recipe.argv[2], "--quick");
	assert_string_equal(recipe.argv[3], "--no-follow");
	assert_ptr_equal(recipe.argv[4], typed[1]);
	vrs_recipe_fini(&recipe, typed);
	assert_int_equal(vrs_mem_stats().live_bytes, live);
}

static void refused_ones_leave_nothing(void **state)
{
	static const char *const texts[] = {"rounds: 9\ntempo: 3\n", "rounds: 9\nrounds: 3\n", "rounds: 9\nonly: [a, b\n", "rounds: [1, 2]\n",
					    "recipe: a\n"};
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct vrs_recipe recipe;
		struct vrs_error err = {.status = VRS_OK};
		char *typed[3] = {NULL};
		uint64_t live = vrs_mem_stats().live_bytes;

		assert_int_not_equal(apply(texts[i], &recipe, typed, &err), VRS_OK);
		assert_true(err.line > 0 && err.text[0]);
		vrs_recipe_fini(&recipe, typed);
		assert_int_equal(vrs_mem_stats().live_bytes, live);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(flags_come_first), cmocka_unit_test(refused_ones_leave_nothing)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
