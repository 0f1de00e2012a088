/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the reference of the neural-network operators on numbers worked out by hand: windows at the edges of a map, transposed convolutions,
 * pads of every kind, products, norms, and quantisation.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/eval.h"
#include "unit/graph/eval_one.h"

static void input_f32(struct eval_one *one, int rank, const int64_t *dims, const float *data)
{
	eval_input(one, VRS_F32, rank, dims, data);
}

/* Shape and values; releases the graph. */
static void expect(struct eval_one *one, int rank, const int64_t *dims, const double *values)
{
	const struct vrs_graph_tensor *y = eval_result(one);

	assert_int_equal(y->rank, rank);
	for (int i = 0; i < rank; i++)
		assert_int_equal(y->dims[i], dims[i]);
	for (size_t i = 0; i < vrs_tensor_elements(y); i++)
		if (fabs(vrs_load_f64(y->dtype, y->data, i) - values[i]) > 1e-5 * (1 + fabs(values[i])))
			fail_msg("value %zu is %g, not %g", i, vrs_load_f64(y->dtype, y->data, i), values[i]);
	vrs_graph_fini(&one->graph);
}

static const float one_to_five[] = {1, 2, 3, 4, 5};

/* A row of five pixels under a window of three by steps of two. */
static void start_pool(struct eval_one *one, enum vrs_op op)
{
	eval_start(one, op);
	input_f32(one, 4, (const int64_t[]){1, 1, 5, 1}, one_to_five);
	one->node.u.window.kernel_w = 3;
	one->node.u.window.stride_w = 2;
}

static void test_pools(void **state)
{
	struct eval_one one;

	(void)state;
	start_pool(&one, VRS_OP_POOL_MAX);
	one.node.u.window.dilation_w = 2;
	expect(&one, 4, (const int64_t[]){1, 1, 1, 1}, (const double[]){5});
	start_pool(&one, VRS_OP_POOL_AVG);
	one.node.u.window.stride_w = 3;
	one.node.u.window.ceil = true; /* the second window sees 4 and 5 */
	expect(&one, 4, (const int64_t[]){1, 1, 2, 1}, (const double[]){2, 4.5});
	start_pool(&one, VRS_OP_POOL_AVG);
	one.node.u.window.pad_left = one.node.u.window.pad_right = 1;
	one.node.u.window.count_pad = true;
	expect(&one, 4, (const int64_t[]){1, 1, 3, 1}, (const double[]){1, 3, 3});
	start_pool(&one, VRS_OP_POOL_AVG);
	one.node.u.window.kernel_w = 2;
	one.node.u.window.same = one.node.u.window.lower = true; /* the odd pixel comes first */
	expect(&one, 4, (const int64_t[]){1, 1, 3, 1}, (const double[]){1, 2.5, 4.5});
	eval_start(&one, VRS_OP_POOL_MAX); /* what is no number goes as kernels have it: "a > b ? a : b" */
	input_f32(&one, 4, (const int64_t[]){1, 1, 3, 1}, (const float[]){2, NAN, 1});
	one.node.u.window.kernel_w = 3;
	expect(&one, 4, (const int64_t[]){1, 1, 1, 1}, (const double[]){1});
	start_pool(&one, VRS_OP_POOL_INDEX);
	expect(&one, 4, (const int64_t[]){1, 1, 2, 1}, (const double[]){2, 4});
}

static void start_deconv(struct eval_one *one)
{
	eval_start(one, VRS_OP_DECONV);
	input_f32(one, 4, (const int64_t[]){1, 1, 2, 1}, one_to_five);
	input_f32(one, 4, (const int64_t[]){1, 1, 2, 1}, (const float[]){10, 1});
	one->node.u.window.kernel_w = 2;
	one->node.u.window.stride_w = 3;
}

static void test_transposed(void **state)
{
	struct eval_one one;

	(void)state;
	start_deconv(&one); /* the stride leaves gaps */
	expect(&one, 4, (const int64_t[]){1, 1, 5, 1}, (const double[]){10, 1, 0, 20, 2});
	start_deconv(&one);
	one.node.u.window.more_w = 1;
	expect(&one, 4, (const int64_t[]){1, 1, 6, 1}, (const double[]){10, 1, 0, 20, 2, 0});
	start_deconv(&one);
	one.node.u.window.dilation_w = 2;
	expect(&one, 4, (const int64_t[]){1, 1, 6, 1}, (const double[]){10, 0, 1, 20, 0, 2});
	start_deconv(&one);
	one.node.u.window.out_w = 4;
	one.node.u.window.out_h = 1;
	expect(&one, 4, (const int64_t[]){1, 1, 4, 1}, (const double[]){10, 1, 0, 20});
	eval_start(&one, VRS_OP_DECONV); /* two groups: each channel has its own weight */
	input_f32(&one, 4, (const int64_t[]){1, 1, 1, 2}, (const float[]){3, 5});
	input_f32(&one, 4, (const int64_t[]){2, 1, 1, 1}, (const float[]){10, 100});
	one.node.u.window.groups = 2;
	expect(&one, 4, (const int64_t[]){1, 1, 1, 2}, (const double[]){30, 500});
}

static void test_pads(void **state)
{
	static const struct { enum vrs_pad_mode mode; int64_t before, after; double y[9]; int n; } cases[] = {
		{VRS_PAD_CONSTANT, 1, 2, {7, 1, 2, 3, 7, 7}, 6}, {VRS_PAD_REFLECT, 2, 1, {3, 2, 1, 2, 3, 2}, 6},
		{VRS_PAD_EDGE, 2, 1, {1, 1, 1, 2, 3, 3}, 6},     {VRS_PAD_WRAP, 2, 4, {2, 3, 1, 2, 3, 1, 2, 3, 1}, 9},
		{VRS_PAD_CONSTANT, -1, 1, {2, 3, 7}, 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct eval_one one;

		eval_start(&one, VRS_OP_PAD);
		input_f32(&one, 2, (const int64_t[]){1, 3}, one_to_five);
		eval_input(&one, VRS_I64, 1, (const int64_t[]){2}, (const int64_t[]){cases[i].before, cases[i].after});
		input_f32(&one, 0, NULL, (const float[]){7});
		eval_input(&one, VRS_I64, 1, (const int64_t[]){1}, (const int64_t[]){-1});
		one.node.u.pad.mode = cases[i].mode;
		expect(&one, 2, (const int64_t[]){1, cases[i].n}, cases[i].y);
	}
}

/* The fill value keeps all its bits: wide integers, doubles, and what is no number. */
static void test_pad_fill(void **state)
{
	static const struct { enum vrs_dtype type; uint64_t bits; } fills[] = {
		{VRS_I64, 0x0020000000000001}, {VRS_I64, 0x8000000000000000}, {VRS_I64, 0x7fffffffffffffff}, {VRS_U64, 0xffffffffffffffff},
		{VRS_I32, 0x7fffffff}, {VRS_U32, 0xfffffffe}, {VRS_I8, 0x80}, {VRS_U8, 0xff}, {VRS_BOOL, 1}, {VRS_F64, 0x3fb999999999999a},
		{VRS_F64, 0x7fefffffffffffff}, {VRS_F64, 1}, {VRS_F64, 0x8000000000000000}, {VRS_F64, 0xfff0000000000000}, {VRS_F32, 0x7f800001},
		{VRS_F32, 0xff800000}, {VRS_F32, 1}, {VRS_F32, 0x80000000}, {VRS_F16, 0xfc00}, {VRS_BF16, 0x7f81},
	};

	(void)state;
	for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
		size_t size = vrs_dtype_size(fills[i].type);
		const struct vrs_graph_tensor *y;
		struct eval_one one;

		eval_start(&one, VRS_OP_PAD);
		eval_input(&one, fills[i].type, 1, (const int64_t[]){1}, (const uint64_t[]){0});
		eval_input(&one, VRS_I64, 1, (const int64_t[]){2}, (const int64_t[]){1, 0});
		eval_input(&one, fills[i].type, 0, NULL, &fills[i].bits);
		y = eval_result(&one);
		assert_int_equal(vrs_tensor_elements(y), 2);
		if (memcmp(y->data, &fills[i].bits, size) != 0)
			fail_msg("fill value %zu has become another", i);
		vrs_graph_fini(&one.graph);
	}
}

static void test_products(void **state)
{
	struct eval_one one;
	const float x[] = {1, 2, 3, 4, 5, 6};

	(void)state;
	eval_start(&one, VRS_OP_MATMUL);
	input_f32(&one, 2, (const int64_t[]){2, 3}, x);
	input_f32(&one, 1, (const int64_t[]){3}, x);
	expect(&one, 1, (const int64_t[]){2}, (const double[]){14, 32});
	eval_start(&one, VRS_OP_MATMUL); /* one matrix on the left, three on the right */
	input_f32(&one, 2, (const int64_t[]){1, 2}, x);
	input_f32(&one, 3, (const int64_t[]){3, 2, 1}, x);
	expect(&one, 3, (const int64_t[]){3, 1, 1}, (const double[]){5, 11, 17});
	eval_start(&one, VRS_OP_MATMUL);
	input_f32(&one, 2, (const int64_t[]){3, 1}, x);
	input_f32(&one, 2, (const int64_t[]){1, 3}, x);
	one.node.u.matmul.transpose_a = one.node.u.matmul.transpose_b = true;
	expect(&one, 2, (const int64_t[]){1, 1}, (const double[]){14});
}

static void test_norms(void **state)
{
	struct eval_one one;
	const float x[] = {1, 3, 10, 30};

	(void)state;
	eval_start(&one, VRS_OP_LAYER_NORM);
	input_f32(&one, 2, (const int64_t[]){2, 2}, x);
	input_f32(&one, 1, (const int64_t[]){2}, (const float[]){2, 4});
	one.node.u.norm.axis = -1;
	expect(&one, 2, (const int64_t[]){2, 2}, (const double[]){-2, 4, -2, 4});
	eval_start(&one, VRS_OP_INSTANCE_NORM); /* two pixels of two channels */
	input_f32(&one, 4, (const int64_t[]){1, 1, 2, 2}, (const float[]){1, 10, 3, 30});
	input_f32(&one, 1, (const int64_t[]){2}, (const float[]){1, 2});
	input_f32(&one, 1, (const int64_t[]){2}, (const float[]){0, 5});
	expect(&one, 4, (const int64_t[]){1, 1, 2, 2}, (const double[]){-1, 3, 1, 7});
	eval_start(&one, VRS_OP_INSTANCE_NORM); /* one group of both channels: mean 2, deviation 1 */
	input_f32(&one, 4, (const int64_t[]){1, 1, 2, 2}, (const float[]){1, 3, 3, 1});
	input_f32(&one, 1, (const int64_t[]){2}, (const float[]){1, 2});
	input_f32(&one, 1, (const int64_t[]){2}, (const float[]){0, 0});
	one.node.u.norm.groups = 1;
	expect(&one, 4, (const int64_t[]){1, 1, 2, 2}, (const double[]){-1, 2, 1, -2});
}

static void test_quantisation(void **state)
{
	struct eval_one one;

	(void)state;
	eval_start(&one, VRS_OP_QUANTIZE); /* halves go to the even neighbour, ends are kept */
	input_f32(&one, 1, (const int64_t[]){6}, (const float[]){1, 3, -1, 5, 1000, -1000});
	input_f32(&one, 0, NULL, (const float[]){2});
	eval_input(&one, VRS_U8, 0, NULL, (const uint8_t[]){10});
	expect(&one, 1, (const int64_t[]){6}, (const double[]){10, 12, 10, 12, 255, 0});
	eval_start(&one, VRS_OP_DEQUANTIZE); /* one scale a column */
	eval_input(&one, VRS_I8, 2, (const int64_t[]){2, 2}, (const int8_t[]){1, -2, 3, 4});
	input_f32(&one, 1, (const int64_t[]){2}, (const float[]){1, 10});
	eval_input(&one, VRS_I8, 1, (const int64_t[]){2}, (const int8_t[]){0, -1});
	one.node.u.quant.axis = -1;
	expect(&one, 2, (const int64_t[]){2, 2}, (const double[]){1, -10, 3, 50});
}

static void test_refused(void **state)
{
	struct vrs_error err = {0};
	struct eval_one one;

	(void)state;
	eval_start(&one, VRS_OP_DEQUANTIZE);
	eval_input(&one, VRS_I8, 2, (const int64_t[]){2, 2}, (const int8_t[]){1, -2, 3, 4});
	input_f32(&one, 2, (const int64_t[]){2, 2}, one_to_five);
	assert_int_equal(eval_status(&one, &err), VRS_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "blocks"));
	vrs_graph_fini(&one.graph);
	eval_start(&one, VRS_OP_MATMUL);
	input_f32(&one, 2, (const int64_t[]){2, 2}, one_to_five);
	input_f32(&one, 2, (const int64_t[]){1, 2}, one_to_five);
	assert_int_equal(eval_status(&one, &err), VRS_EUNSUPPORTED);
	vrs_graph_fini(&one.graph);
	eval_start(&one, VRS_OP_PAD);
	input_f32(&one, 1, (const int64_t[]){3}, one_to_five);
	eval_input(&one, VRS_I64, 1, (const int64_t[]){2}, (const int64_t[]){-2, -2});
	assert_int_equal(eval_status(&one, &err), VRS_EUNSUPPORTED);
	vrs_graph_fini(&one.graph);
	eval_start(&one, VRS_OP_PAD); /* 256 is no byte */
	eval_input(&one, VRS_U8, 1, (const int64_t[]){3}, "abc");
	eval_input(&one, VRS_I64, 1, (const int64_t[]){2}, (const int64_t[]){1, 1});
	eval_input(&one, VRS_I64, 0, NULL, (const int64_t[]){256});
	assert_int_equal(eval_status(&one, &err), VRS_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "input 2 (in) is int64"));
	vrs_graph_fini(&one.graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pools), cmocka_unit_test(test_transposed),   cmocka_unit_test(test_pads),
		cmocka_unit_test(test_pad_fill),
		cmocka_unit_test(test_products), cmocka_unit_test(test_norms), cmocka_unit_test(test_quantisation),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
