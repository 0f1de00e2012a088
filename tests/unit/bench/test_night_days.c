/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: nights get days that ascend whatever their clocks said: ahead, behind, for one night or several, in between, first and last. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/judge/night_days.h"

enum { DAY = 86400, NIGHTS = 60, FIRST = 20000 };
static const int64_t year = INT64_C(365) * DAY, now = INT64_C(86400) * (FIRST + NIGHTS);
static int64_t times[NIGHTS];
static struct vrs_night_day days[NIGHTS];

static void make_times(void)
{
	for (int i = 0; i < NIGHTS; i++)
		times[i] = (int64_t)(FIRST + i) * DAY + 7200;
}

/* Returns how many are out of step. */
static int find(int count, int64_t at)
{
	int strays = 0;
	struct vrs_arena arena = {0};
	assert_int_equal(vrs_night_days(times, count, at, &arena, days), VRS_OK);
	for (int i = 0; i < count; i++) {
		strays += days[i].stray;
		assert_true(i == 0 || days[i].day >= days[i - 1].day);
	}
	vrs_arena_free(&arena);
	return strays;
}

static void clocks_in_step(void **state)
{
	(void)state;
	make_times();
	assert_int_equal(find(NIGHTS, now), 0);
	for (int i = 0; i < NIGHTS; i++)
		assert_int_equal(days[i].day, FIRST + i);
	times[30] = times[29] - 60; /* set by a minute, between two nights of one day */
	assert_int_equal(find(NIGHTS, now), 0);
	assert_int_equal(find(0, now), 0);
}

static void one_night(void **state)
{
	static const int64_t wrong[] = {400 * DAY, INT64_C(40) * 365 * DAY, 3 * DAY, -3 * DAY, -400 * DAY};
	static const int places[] = {0, 30, NIGHTS - 2, NIGHTS - 1};
	(void)state;
	for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
		for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
			bool silent = places[p] == 0 && wrong[k] < 0; /* a pause may be one */
			make_times();
			times[places[p]] += wrong[k];
			assert_int_equal(find(NIGHTS, now), !silent);
			assert_true(days[places[p]].stray == !silent);
			for (int i = 1; i < NIGHTS; i++)
				assert_true(days[i].day - days[i - 1].day <= (silent ? VRS_NIGHT_MOST_PAUSE : 2));
		}
}

/* The last nights were ahead, and the clock is right again: they are what is wrong, though they are more. */
static void several_ahead(void **state)
{
	(void)state;
	make_times();
	for (int i = 55; i < 59; i++)
		times[i] += 40 * year;
	assert_int_equal(find(NIGHTS, now), 4);
	for (int i = 0; i < NIGHTS; i++)
		assert_true(days[i].stray == (i >= 55 && i < 59));
	for (int i = 50; i < NIGHTS; i++)
		assert_int_equal(days[i].day, FIRST + i);
	assert_int_equal(find(59, now), 4); /* before the first right one */
	assert_int_equal(days[58].day, FIRST + 54);
}

static void several_behind(void **state)
{
	(void)state;
	make_times();
	for (int i = 40; i < 50; i++)
		times[i] = (i - 40) * DAY; /* since 1970 */
	assert_int_equal(find(NIGHTS, now), 10);
	for (int i = 0; i < NIGHTS; i++)
		assert_int_equal(days[i].day, FIRST + i);
}

/* A clock that is wrong now: all that is known is the order, and that nothing is forgotten. */
static void now_is_wrong(void **state)
{
	(void)state;
	make_times();
	times[NIGHTS - 1] = 5 * DAY;
	assert_int_equal(find(NIGHTS, 5 * DAY + 60), 1);
	assert_true(days[NIGHTS - 1].stray);
	assert_int_equal(days[NIGHTS - 1].day, FIRST + NIGHTS - 2);
	make_times();
	times[NIGHTS - 1] += 40 * year;
	assert_int_equal(find(NIGHTS, times[NIGHTS - 1]), 0);
	assert_int_equal(days[NIGHTS - 1].day, FIRST + NIGHTS - 2 + VRS_NIGHT_MOST_PAUSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_in_step), cmocka_unit_test(one_night),    cmocka_unit_test(several_ahead),
		cmocka_unit_test(several_behind), cmocka_unit_test(now_is_wrong),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
