/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards SAD, Grad, Conn, boundary IoU and weighted errors against values worked out by hand, and the first ones against vrs_quality. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "matte/boundary.h"
#include "unit/drawn_matte.h"
#include "matte/truth_errors.h"

#include <vrseg/quality.h>

#define SIDE 80

static struct vrs_arena arena;

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

static void measure(struct vrs_truth_error_set ret[2], const struct vrs_matte *matte, const struct vrs_matte *truth, const struct vrs_matte *past,
		    const float *weight)
{
	struct vrs_truth_errors errors;
	struct vrs_components components;
	const struct vrs_matte pair[2] = {*matte, *truth};
	assert_int_equal(vrs_components_init(&components, &arena, SIDE, SIDE), VRS_OK);
	assert_int_equal(vrs_truth_errors_init(&errors, &arena, &components, false, weight), VRS_OK);
	assert_int_equal(vrs_truth_errors_measure(&errors, pair, past, ret), VRS_OK);
}

static void test_same(void **state)
{
	(void)state;
	struct vrs_matte a = drawn_box(&arena, SIDE, 20, 20, 60, 60, 200);
	struct vrs_truth_error_set set[2];
	measure(set, &a, &a, NULL, NULL);
	assert_true(set[0].iou == 1 && set[0].mad == 0 && set[0].sad == 0 && set[0].grad == 0 && set[0].conn == 0 && set[0].boundary_iou == 1);
	assert_true(isnan(set[0].dtssd) && isnan(set[1].iou));
}

static void test_by_hand(void **state)
{
	(void)state;
	struct vrs_matte truth = drawn_box(&arena, SIDE, 20, 20, 60, 60, 255), matte = drawn_box(&arena, SIDE, 20, 20, 60, 60, 255),
		past[2] = {truth, truth};
	struct vrs_truth_error_set set[2];
	struct vrs_quality quality;
	for (int y = 2; y < 6; y++) /* an island of 16 samples: SAD 16, and none of it is connected: Conn 16 */
		memset(matte.data + matte.stride * y + 2, 255, 4);
	measure(set, &matte, &truth, past, NULL);
	assert_true(fabs(set[0].sad - 0.016) < 1e-12);
	assert_true(fabs(set[0].conn - 0.016) < 1e-12);
	assert_true(fabs(set[0].dtssd - sqrt(16.0 / (SIDE * SIDE))) < 1e-12);
	assert_int_equal(vrs_quality_compare(&quality, &matte, &truth), VRS_OK);
	assert_true(set[0].iou == quality.iou && fabs(set[0].mad - quality.mad) < 1e-12 && fabs(set[0].mse - quality.mse) < 1e-12);
	/* opacity of 0.9 where 1 is right: all is connected up to 0.9, and what the truth has beyond, 0.1, is below theta */
	struct vrs_matte pale = drawn_box(&arena, SIDE, 20, 20, 60, 60, 230);
	measure(set, &pale, &truth, NULL, NULL);
	assert_true(set[0].conn == 0);
	/* of 0.8: the truth loses 0.2, the matte nothing */
	struct vrs_matte paler = drawn_box(&arena, SIDE, 20, 20, 60, 60, 204);
	measure(set, &paler, &truth, NULL, NULL);
	assert_true(fabs(set[0].conn - 1.6 * 0.2) < 1e-9);
}

/* Published evaluation code in two dimensions, sample by sample: magnitudes of filters of L2 norm 1, borders repeated. */
static double plain_magnitude(const struct vrs_matte *m, int x, int y)
{
	double sums[2] = {0, 0}, norm = 0;
	for (int j = -4; j <= 4; j++)
		for (int i = -4; i <= 4; i++) {
			double g = exp(-(i * i + j * j) / (2 * 1.4 * 1.4));
			int u = x + i < 0 ? 0 : x + i >= SIDE ? SIDE - 1 : x + i, v = y + j < 0 ? 0 : y + j >= SIDE ? SIDE - 1 : y + j;
			double alpha = m->data[m->stride * v + u] / 255.0;
			sums[0] += i * g * alpha;
			sums[1] += j * g * alpha;
			norm += i * i * g * g;
		}
	return hypot(sums[0], sums[1]) / sqrt(norm);
}

static double plain_grad(const struct vrs_matte *a, const struct vrs_matte *b)
{
	double sum = 0;
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++) {
			double d = plain_magnitude(a, x, y) - plain_magnitude(b, x, y);
			sum += d * d;
		}
	return sum / 1000;
}

/* Grad is what published code computes, for a box beside a smaller and paler one at a border, and a weight leaves samples out. */
static void test_gradient(void **state)
{
	(void)state;
	struct vrs_matte edge = drawn_box(&arena, SIDE, 40, 0, SIDE, SIDE, 255), empty = drawn_box(&arena, SIDE, 0, 0, 0, 0, 0);
	struct vrs_matte truth = drawn_box(&arena, SIDE, 10, 0, 50, 60, 255), matte = drawn_box(&arena, SIDE, 13, 0, 48, 57, 200);
	struct vrs_truth_error_set set[2];
	float *weight = vrs_arena_calloc(&arena, (size_t)SIDE * SIDE, sizeof *weight);
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			weight[y * SIDE + x] = y < 40 ? 1 : 0;
	measure(set, &matte, &truth, NULL, NULL);
	assert_true(fabs(set[0].grad - plain_grad(&matte, &truth)) < 1e-4 * set[0].grad);
	measure(set, &edge, &empty, NULL, weight);
	assert_true(fabs(set[0].grad - plain_grad(&edge, &empty)) < 1e-4 * set[0].grad);
	assert_true(fabs(set[0].grad * 1000 / SIDE - 19.5907) < 0.001);
	assert_true(fabs(set[1].grad - set[0].grad / 2) < 1e-4);
}

static void test_weights(void **state)
{
	(void)state;
	struct vrs_matte a = drawn_box(&arena, SIDE, 0, 0, SIDE, 40, 255), b = drawn_box(&arena, SIDE, 0, 0, SIDE, 60, 255);
	struct vrs_truth_error_set set[2];
	float *weight = vrs_arena_calloc(&arena, (size_t)SIDE * SIDE, sizeof *weight);
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			weight[y * SIDE + x] = y < 40 ? 1.5f : 0.5f;
	measure(set, &a, &b, NULL, weight);
	assert_true(fabs(set[0].iou - 40.0 / 60) < 1e-12 && fabs(set[0].mad - 0.25) < 1e-12);
	assert_true(fabs(set[1].iou - 60.0 / 70) < 1e-9 && fabs(set[1].mad - 10.0 / 80) < 1e-9);
	assert_true(fabs(set[1].sad - 0.8) < 1e-9 && fabs(set[0].sad - 1.6) < 1e-9);
}

/* Two squares of side 40, one moved by 2: bands of width 1 share what lies on both outlines. */
static void test_boundary_iou(void **state)
{
	(void)state;
	struct vrs_matte a = drawn_box(&arena, SIDE, 20, 20, 60, 60, 255), b = drawn_box(&arena, SIDE, 22, 20, 62, 60, 255),
		whole = drawn_box(&arena, SIDE, 0, 0, SIDE, SIDE, 255), none = drawn_box(&arena, SIDE, 0, 0, 0, 0, 0);
	double iou[2];
	assert_int_equal(vrs_boundary_iou(iou, &a, &b, 1, NULL), VRS_OK);
	double ring = 40 * 40 - 38 * 38, shared = 2 * 38; /* upper and lower row, from column 22 to 59; sides lie apart */
	assert_true(fabs(iou[0] - shared / (2 * ring - shared)) < 1e-12);
	assert_int_equal(vrs_boundary_iou(iou, &a, &a, 3, NULL), VRS_OK);
	assert_true(iou[0] == 1);
	assert_int_equal(vrs_boundary_iou(iou, &none, &none, 1, NULL), VRS_OK);
	assert_true(iou[0] == 1);
	/* the picture ends where the matte does */
	assert_int_equal(vrs_boundary_iou(iou, &whole, &a, 1, NULL), VRS_OK);
	assert_true(iou[0] == 0);
}

static void test_sizes(void **state)
{
	(void)state;
	struct vrs_truth_errors errors;
	struct vrs_truth_error_set set[2];
	struct vrs_matte a = drawn_box(&arena, SIDE, 0, 0, 1, 1, 255), pair[2] = {a, a};
	struct vrs_components components;
	assert_int_equal(vrs_components_init(&components, &arena, SIDE, SIDE), VRS_OK);
	assert_int_equal(vrs_truth_errors_init(&errors, &arena, &components, false, NULL), VRS_OK);
	pair[1].width--;
	assert_int_equal(vrs_truth_errors_measure(&errors, pair, NULL, set), VRS_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_gradient),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_boundary_iou),
		cmocka_unit_test(test_sizes),
	};
	return cmocka_run_group_tests_name("truth_errors", tests, NULL, free_arena);
}
