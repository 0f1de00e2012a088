/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards where work on soft edges is done: every sample whose neighbourhood holds people and something else is in a run of `soft`, every one within
 * the radius of such a sample in a run of `near`; runs are in order, apart, inside the row, and hold nothing farther away than the gaps that they
 * close.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "matte/matte_expand.h"
#include "matte/soft_runs.h"

#define GAP 8 /* that runs close, at most */
#define SIDE 200

static uint8_t marks[2][SIDE][SIDE]; /* soft and near, sample by sample */

static bool any(const struct vrs_matte *m, int x, int y, int value)
{
	for (int i = 0; i < 9; i++) {
		int cx = x + i % 3 - 1, cy = y + i / 3 - 1;
		if (cx >= 0 && cy >= 0 && cx < m->width && cy < m->height && m->data[m->stride * cy + cx] != value)
			return true;
	}
	return false;
}

static void mark(const struct vrs_matte *m, int radius)
{
	memset(marks, 0, sizeof marks);
	for (int y = 0; y < m->height; y++)
		for (int x = 0; x < m->width; x++) {
			if (!any(m, x, y, 0) || !any(m, x, y, 255))
				continue;
			marks[0][y][x] = 1;
			for (int cy = y - radius; cy <= y + radius; cy++)
				for (int cx = x - radius; cx <= x + radius; cx++)
					if (cx >= 0 && cy >= 0 && cx < m->width && cy < m->height)
						marks[1][cy][cx] = 1;
		}
}

static void check_row(const struct vrs_runs *runs, int y, const uint8_t *expected, int n)
{
	const struct vrs_run_of_row *items = vrs_runs_row(runs, y);
	int at = 0;
	assert_in_range(runs->count[y], 0, runs->most);
	for (int i = 0; i < runs->count[y]; i++) {
		assert_true(items[i].first >= (i ? at + GAP : 0) && items[i].first < items[i].end && items[i].end <= n);
		for (; at < items[i].first; at++)
			assert_int_equal(expected[at], 0);
		assert_true(expected[items[i].first] && expected[items[i].end - 1]);
		for (int gap = 0; at < items[i].end; at++) {
			gap = expected[at] ? 0 : gap + 1;
			assert_true(gap < GAP);
		}
	}
	for (; at < n; at++)
		assert_int_equal(expected[at], 0);
}

static void check_matte(const struct vrs_matte *m, struct vrs_soft_runs *runs)
{
	vrs_soft_runs_find(runs, m);
	mark(m, runs->radius);
	for (int y = 0; y < m->height; y++) {
		check_row(&runs->soft, y, marks[0][y], m->width);
		check_row(&runs->near, y, marks[1][y], m->width);
	}
}

static void test_random_mattes(void **state)
{
	struct vrs_rng rng;
	(void)state;
	vrs_rng_init(&rng, 77);
	for (int round = 0; round < 300; round++) {
		struct vrs_arena arena = {0};
		struct vrs_soft_runs runs;
		struct vrs_matte m;
		int width = 1 + (int)vrs_rng_below(&rng, SIDE), height = 1 + (int)vrs_rng_below(&rng, 40), radius = (int)vrs_rng_below(&rng, 7);
		assert_int_equal(vrs_matte_init(&m, &arena, width, height), VRS_OK);
		assert_int_equal(vrs_soft_runs_init(&runs, &arena, width, height, radius), VRS_OK);
		for (int turn = 0; turn < 2; turn++) { /* what was found before is forgotten */
			int blocks = (int)vrs_rng_below(&rng, 6);
			for (int y = 0; y < height; y++)
				memset(m.data + m.stride * y, vrs_rng_below(&rng, 40) ? turn ? 255 : 0 : 255, (size_t)width);
			for (int i = 0; i < blocks; i++) {
				int x0 = (int)vrs_rng_below(&rng, (uint64_t)width), y0 = (int)vrs_rng_below(&rng, (uint64_t)height);
				int value = vrs_rng_next(&rng) & 1 ? (int)vrs_rng_below(&rng, 256) : vrs_rng_next(&rng) & 1 ? 255 : 0;
				for (int y = y0; y < height && y < y0 + 9; y++)
					memset(m.data + m.stride * y + x0, value, (size_t)(width - x0 < 70 ? width - x0 : 70));
			}
			check_matte(&m, &runs);
		}
		vrs_arena_free(&arena);
	}
}

static void test_impossible_sizes(void **state)
{
	struct vrs_arena arena = {0};
	struct vrs_soft_runs runs;
	(void)state;
	assert_int_equal(vrs_soft_runs_init(&runs, &arena, 0, 4, 1), VRS_EINVAL);
	assert_int_equal(vrs_soft_runs_init(&runs, &arena, 4, 0, 1), VRS_EINVAL);
	assert_int_equal(vrs_soft_runs_init(&runs, &arena, 4, 4, 64), VRS_EINVAL);
	vrs_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_mattes),
		cmocka_unit_test(test_impossible_sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
