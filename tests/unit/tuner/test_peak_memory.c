/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: a case keeps the largest run that any measurement of it had, and no other case's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "tuner/peak_memory.h"

static double take(struct vrs_peak_memory *peaks, const char *id, double bytes)
{
	struct vrs_case_result c;
	vrs_case_result_init(&c);
	snprintf(c.id, sizeof c.id, "%s", id);
	c.peak_rss.n = bytes > 0;
	c.peak_rss.max = bytes;
	assert_int_equal(vrs_peak_memory_take(peaks, &c), VRS_OK);
	return c.peak_rss.max;
}

static void the_largest_run_stays(void **state)
{
	(void)state;
	struct vrs_peak_memory peaks = {.items = NULL};
	assert_true(take(&peaks, "a", 100) == 100);
	assert_true(take(&peaks, "a", 300) == 300);
	assert_true(take(&peaks, "b", 50) == 50);
	assert_true(take(&peaks, "a", 200) == 300);
	assert_true(take(&peaks, "a", 0) == 0); /* not observed: nothing is claimed */
	assert_true(take(&peaks, "b", 40) == 50);
	vrs_peak_memory_fini(&peaks);
	assert_int_equal(peaks.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_largest_run_stays)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
