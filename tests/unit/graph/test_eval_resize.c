/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the meaning of resizes: coordinates, rounding, filters and sizes against the numbers that the ONNX standard gives in the tests of its
 * operator Resize (opset 19), and the choice of the plain form that fast kernels take.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/eval.h"
#include "unit/graph/eval_one.h"

/* 1, 2, 3 ... in a map [1][h][w][1]. */
static void start(struct eval_one *one, int64_t h, int64_t w)
{
	float x[64];

	for (int i = 0; i < 64; i++)
		x[i] = (float)(i + 1);
	eval_start(one, VRS_OP_RESIZE);
	eval_input(one, VRS_F32, 4, (const int64_t[]){1, h, w, 1}, x);
	one->node.u.resize.coord = VRS_COORD_HALF_PIXEL;
	one->node.u.resize.cubic_a = -0.75F;
	for (int i = 0; i < 4; i++)
		one->node.u.resize.entry[i] = (int8_t)(i - 1);
	one->node.u.resize.entry[3] = -1;
	one->node.u.resize.entries = 2;
}

static void scales(struct eval_one *one, float h, float w)
{
	eval_input(one, VRS_F32, 1, (const int64_t[]){2}, (const float[]){h, w});
}

static void sizes(struct eval_one *one, int64_t h, int64_t w)
{
	one->node.u.resize.sized = true;
	eval_input(one, VRS_I64, 1, (const int64_t[]){2}, (const int64_t[]){h, w});
}

/* Size and the first values; releases the graph. */
static void expect(struct eval_one *one, int64_t h, int64_t w, const float *values, int count)
{
	const struct vrs_graph_tensor *y = eval_result(one);

	assert_int_equal(y->dims[1], h);
	assert_int_equal(y->dims[2], w);
	for (int i = 0; i < count; i++)
		if (fabsf(((const float *)y->data)[i] - values[i]) > 1e-5F * (1 + fabsf(values[i])))
			fail_msg("value %d is %.7g, not %.7g", i, (double)((const float *)y->data)[i], (double)values[i]);
	vrs_graph_fini(&one->graph);
}

static void test_scaled_down(void **state)
{
	struct eval_one one;

	(void)state;
	start(&one, 2, 4);
	scales(&one, 0.6F, 0.6F);
	expect(&one, 1, 2, (const float[]){2.6666665F, 4.3333331F}, 2);
	start(&one, 2, 4);
	scales(&one, 0.6F, 0.6F);
	one.node.u.resize.coord = VRS_COORD_ALIGN_CORNERS;
	expect(&one, 1, 2, (const float[]){1, 3.142857F}, 2);
	start(&one, 2, 4);
	scales(&one, 0.6F, 0.6F);
	one.node.u.resize.nearest = true;
	expect(&one, 1, 2, (const float[]){1, 3}, 2);
	start(&one, 4, 4);
	scales(&one, 0.8F, 0.8F);
	one.node.u.resize.cubic = true;
	expect(&one, 3, 3, (const float[]){1.47119141F, 2.78125F, 4.08251953F, 6.71142578F, 8.02148438F, 9.32275391F}, 6);
}

static void test_scaled_up(void **state)
{
	struct eval_one one;

	(void)state;
	start(&one, 4, 4);
	scales(&one, 2, 2);
	one.node.u.resize.cubic = true;
	expect(&one, 8, 8, (const float[]){0.47265625F, 0.76953125F, 1.24609375F, 1.875F, 2.28125F, 2.91015625F, 3.38671875F, 3.68359375F}, 8);
	start(&one, 4, 4);
	scales(&one, 2, 2);
	one.node.u.resize.cubic = true;
	one.node.u.resize.exclude_outside = true;
	one.node.u.resize.cubic_a = -0.5F;
	expect(&one, 8, 8, (const float[]){0.55882353F, 0.81494204F, 1.35698249F, 1.89705882F}, 4);
	start(&one, 2, 2);
	sizes(&one, 7, 8);
	one.node.u.resize.nearest = true;
	expect(&one, 7, 8, (const float[]){1, 1, 1, 1, 2, 2, 2, 2}, 8);
	start(&one, 2, 2);
	scales(&one, 2, 2);
	one.node.u.resize.coord = VRS_COORD_ASYMMETRIC;
	one.node.u.resize.nearest = true;
	one.node.u.resize.round = VRS_ROUND_CEIL;
	expect(&one, 4, 4, (const float[]){1, 2, 2, 2, 3, 4, 4, 4}, 8);
}

static void test_region(void **state)
{
	struct eval_one one;

	(void)state;
	start(&one, 4, 4);
	sizes(&one, 3, 3);
	one.node.u.resize.coord = VRS_COORD_TF_CROP_AND_RESIZE;
	one.node.u.resize.extrapolation = 10;
	eval_input(&one, VRS_F32, 1, (const int64_t[]){4}, (const float[]){0.4F, 0.6F, 0.6F, 0.8F});
	expect(&one, 3, 3, (const float[]){7.6F, 7.9F, 8.2F, 8.8F, 9.1F, 9.4F, 10, 10.3F, 10.6F}, 9);
	start(&one, 4, 4);
	sizes(&one, 3, 3);
	one.node.u.resize.coord = VRS_COORD_TF_CROP_AND_RESIZE;
	one.node.u.resize.extrapolation = 10;
	eval_input(&one, VRS_F32, 1, (const int64_t[]){4}, (const float[]){0.4F, 0.6F, 1.2F, 1.7F});
	expect(&one, 3, 3, (const float[]){7.6F, 10, 10, 12.4F, 10, 10, 10, 10, 10}, 9);
}

static void test_antialias(void **state)
{
	struct eval_one one;

	(void)state;
	start(&one, 4, 4);
	scales(&one, 0.6F, 0.6F);
	one.node.u.resize.antialias = true;
	expect(&one, 2, 2, (const float[]){2.875F, 4.5F, 9.375F, 11}, 4);
	start(&one, 4, 4);
	scales(&one, 0.6F, 0.6F);
	one.node.u.resize.antialias = true;
	one.node.u.resize.cubic = true;
	expect(&one, 2, 2, (const float[]){2.5180721F, 4.2858863F, 9.589329F, 11.357142F}, 4);
}

static void test_proportions(void **state)
{
	static const struct { enum vrs_resize_policy policy; int64_t h, w; } cases[] = {
		{VRS_POLICY_STRETCH, 7, 8}, {VRS_POLICY_NOT_LARGER, 7, 7}, {VRS_POLICY_NOT_SMALLER, 8, 8},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct eval_one one;

		start(&one, 2, 2);
		sizes(&one, 7, 8);
		one.node.u.resize.policy = cases[i].policy;
		one.node.u.resize.nearest = true;
		expect(&one, cases[i].h, cases[i].w, (const float[]){1}, 1);
	}
}

/* Fast kernels know half-pixel and corner coordinates of an exact ratio. */
static void test_plain(void **state)
{
	struct eval_one one;

	(void)state;
	start(&one, 4, 4);
	scales(&one, 2, 2);
	(void)eval_result(&one);
	assert_true(one.graph.nodes[0].u.resize.plain && one.graph.nodes[0].u.resize.half_pixel);
	vrs_graph_fini(&one.graph);
	start(&one, 4, 4);
	scales(&one, 1.7F, 2);
	(void)eval_result(&one);
	assert_false(one.graph.nodes[0].u.resize.plain); /* 6.8 rounds to 6: the scale is not the ratio */
	assert_true(vrs_resize_is_pair(&one.graph.nodes[0].u.resize));
	vrs_graph_fini(&one.graph);
	start(&one, 4, 4);
	scales(&one, 2, 2);
	one.node.u.resize.cubic = true;
	(void)eval_result(&one);
	assert_false(vrs_resize_is_pair(&one.graph.nodes[0].u.resize));
	vrs_graph_fini(&one.graph);
}

static void test_refused(void **state)
{
	struct vrs_error err = {0};
	struct eval_one one;

	(void)state;
	start(&one, 4, 4);
	scales(&one, 0.1F, 1);
	assert_int_equal(eval_status(&one, &err), VRS_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "too small"));
	vrs_graph_fini(&one.graph);
	start(&one, 4, 4);
	scales(&one, 2, -1);
	assert_int_equal(eval_status(&one, &err), VRS_EUNSUPPORTED);
	vrs_graph_fini(&one.graph);
	start(&one, 4, 4);
	eval_input(&one, VRS_F32, 1, (const int64_t[]){3}, (const float[]){1, 2, 2});
	assert_int_equal(eval_status(&one, &err), VRS_EFORMAT);
	vrs_graph_fini(&one.graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scaled_down), cmocka_unit_test(test_scaled_up),  cmocka_unit_test(test_region),
		cmocka_unit_test(test_antialias),   cmocka_unit_test(test_proportions), cmocka_unit_test(test_plain),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
