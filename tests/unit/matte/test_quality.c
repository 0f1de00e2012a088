/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the matte metrics against values worked out by hand, and the boundary measure against a direct search. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "matte/boundary.h"
#include "matte/matte_expand.h"
#include "unit/drawn_matte.h"

#include <vrseg/quality.h>

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

static void test_by_hand(void **state)
{
	(void)state;
	struct vrs_matte a = drawn_box(&arena, 10, 0, 0, 4, 4, 255), b = drawn_box(&arena, 10, 2, 0, 6, 4, 255),
		empty = drawn_box(&arena, 10, 0, 0, 0, 0, 0), other = drawn_box(&arena, 9, 0, 0, 1, 1, 255);
	struct vrs_quality q;
	assert_int_equal(vrs_quality_compare(&q, &a, &b), VRS_OK);
	assert_true(fabs(q.iou - 8.0 / 24) < 1e-12);
	assert_true(fabs(q.mad - 0.16) < 1e-12 && fabs(q.mse - 0.16) < 1e-12);
	assert_int_equal(vrs_quality_compare(&q, &a, &a), VRS_OK);
	assert_true(q.iou == 1 && q.mad == 0 && q.boundary_f == 1);
	assert_int_equal(vrs_quality_compare(&q, &empty, &empty), VRS_OK);
	assert_true(q.iou == 1 && q.boundary_f == 1);
	assert_int_equal(vrs_quality_compare(&q, &a, &empty), VRS_OK);
	assert_true(q.iou == 0 && q.boundary_f == 0);
	assert_int_equal(vrs_quality_compare(&q, &a, &other), VRS_EINVAL);
	/* 128 counts as person, 127 does not; half a difference is a quarter squared */
	struct vrs_matte half = drawn_box(&arena, 10, 0, 0, 10, 10, 128), less = drawn_box(&arena, 10, 0, 0, 10, 10, 127),
		full = drawn_box(&arena, 10, 0, 0, 10, 10, 255);
	assert_int_equal(vrs_quality_compare(&q, &half, &full), VRS_OK);
	assert_true(q.iou == 1 && fabs(q.mad - 127.0 / 255) < 1e-12 && fabs(q.mse - 127.0 * 127 / 255 / 255) < 1e-12);
	assert_int_equal(vrs_quality_compare(&q, &less, &full), VRS_OK);
	assert_true(q.iou == 0);
	/* the truth stands still, the matte changes by 16 of 100 pixels: sqrt(0.16) */
	double dtssd;
	assert_int_equal(vrs_quality_dtssd(&dtssd, &a, &b, &full, &full), VRS_OK);
	assert_true(fabs(dtssd - 0.4) < 1e-12);
	assert_int_equal(vrs_quality_dtssd(&dtssd, &a, &b, &a, &b), VRS_OK);
	assert_true(dtssd == 0);
	assert_int_equal(vrs_quality_dtssd(&dtssd, &a, &b, &a, &other), VRS_EINVAL);
}

static bool edge(const struct vrs_matte *m, int x, int y)
{
	int r = x + 1 < m->width ? x + 1 : x, b = y + 1 < m->height ? y + 1 : y;
	bool here = m->data[m->stride * y + x] >= 128;
	return here != (m->data[m->stride * y + r] >= 128) || here != (m->data[m->stride * b + x] >= 128) ||
	       here != (m->data[m->stride * b + r] >= 128);
}

/* Share of a's contour pixels with one of b's within the radius. */
static double matched(const struct vrs_matte *a, const struct vrs_matte *b, double radius)
{
	long count = 0, near = 0;
	for (int y = 0; y < a->height; y++)
		for (int x = 0; x < a->width; x++) {
			bool found = false;
			if (!edge(a, x, y))
				continue;
			count++;
			for (int v = 0; v < b->height && !found; v++)
				for (int u = 0; u < b->width && !found; u++)
					found = edge(b, u, v) && (u - x) * (u - x) + (v - y) * (v - y) <= radius * radius;
			near += found;
		}
	return count ? (double)near / (double)count : -1;
}

static void test_boundary(void **state)
{
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 2);
	for (int i = 0; i < 60; i++) {
		struct vrs_matte m[2];
		for (int k = 0; k < 2; k++) {
			assert_int_equal(vrs_matte_init(&m[k], &arena, 23, 17), VRS_OK);
			double cx = vrs_rng_unit(&rng) * 23, cy = vrs_rng_unit(&rng) * 17, r = vrs_rng_unit(&rng) * 10;
			for (int y = 0; y < 17; y++)
				for (int x = 0; x < 23; x++)
					m[k].data[m[k].stride * y + x] = hypot(x - cx, y - cy) < r ? 255 : 0;
		}
		double radius = 1 + vrs_rng_unit(&rng) * 4, got, p = matched(&m[0], &m[1], radius), r = matched(&m[1], &m[0], radius);
		double want = p < 0 && r < 0 ? 1 : p < 0 || r < 0 || p + r == 0 ? 0 : 2 * p * r / (p + r);
		assert_int_equal(vrs_boundary_f(&got, &m[0], &m[1], radius), VRS_OK);
		assert_true(fabs(got - want) < 1e-12);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_boundary),
	};
	return cmocka_run_group_tests_name("quality", tests, NULL, free_arena);
}
