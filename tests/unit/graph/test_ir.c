/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: graphs that a backend could trip over are refused by name; shapes and SAME pads are those of TensorFlow; copies share constants
 * and nothing else; limits hold at their boundary.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "graph/model_limits.h"
#include "unit/graph/graph_builder.h"

static void test_same_pads(void **state)
{
	/* in, kernel, stride -> out, before, after; from the definition in TensorFlow's documentation of "SAME" */
	static const int rows[][6] = {
		{256, 3, 2, 128, 0, 1}, {7, 3, 2, 4, 1, 1}, {9, 5, 1, 9, 2, 2}, {16, 5, 2, 8, 1, 2}, {4, 1, 2, 2, 0, 0}, {5, 2, 3, 2, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct vrs_graph g = {0};
		int32_t x = build_input(&g, rows[i][0], rows[i][0], 1), y = build_conv(&g, x, 1, 1);
		struct vrs_window *w = &g.nodes[0].u.window;
		const int64_t dims[4] = {1, rows[i][1], rows[i][1], 1};

		g.nodes[0].in[1] = vrs_graph_add_const(&g, "w", VRS_F32, 4, dims, NULL);
		w->kernel_h = w->kernel_w = rows[i][1];
		w->stride_h = w->stride_w = rows[i][2];
		w->same = true;
		assert_int_equal(vrs_graph_infer(&g, NULL), VRS_OK);
		assert_int_equal(g.tensors[y].dims[1], rows[i][3]);
		assert_int_equal(w->pad_top, rows[i][4]);
		assert_int_equal(w->pad_bottom, rows[i][5]);
		assert_int_equal(w->pad_left, rows[i][4]);
		vrs_graph_fini(&g);
	}
}

/* One window on a map of 70000x1 pixels, in a graph that the caller frees. */
static enum vrs_status far_window(enum vrs_op op, const struct vrs_window *window, struct vrs_graph *g, struct vrs_error *err)
{
	const int64_t dims[4] = {1, window->kernel_h, 1, 1};
	struct vrs_graph_tensor out = {.name = "y", .dtype = VRS_F32};
	struct vrs_node node;
	int32_t id;

	memset(g, 0, sizeof *g);
	vrs_node_init(&node, op, "far");
	node.in[0] = build_input(g, 70000, 1, 1);
	node.in[1] = op == VRS_OP_DECONV ? vrs_graph_add_const(g, "w", VRS_F32, 4, dims, NULL) : -1;
	node.inputs = op == VRS_OP_DECONV ? 2 : 1;
	node.u.window = *window;
	node.out = vrs_graph_add_tensor(g, &out);
	id = vrs_graph_add_node(g, &node);
	assert_true(id >= 0);
	build_output(g, node.out);
	VRS_TRY(vrs_graph_validate(g, err));
	return vrs_graph_infer(g, err);
}

/* Reach and pads of a window are far below the range of an int, or refused: products of kernel, dilation and stride do not wrap around. */
static void test_far_windows(void **state)
{
	static const struct { enum vrs_op op; struct vrs_window window; enum vrs_status status; const char *word; } cases[] = {
		{VRS_OP_POOL_MAX, {.kernel_h = 65536, .dilation_h = 65536, .stride_h = 1, .pad_top = 5}, VRS_ELIMIT, "reaches further than"},
		{VRS_OP_POOL_MAX, {.kernel_h = 65536, .dilation_h = 65536, .stride_h = 1, .same = true}, VRS_ELIMIT, "reaches further than"},
		{VRS_OP_DECONV, {.kernel_h = 65536, .dilation_h = 65536, .stride_h = 1}, VRS_ELIMIT, "reaches further than"},
		{VRS_OP_POOL_AVG, {.kernel_h = 5, .dilation_h = 60000, .stride_h = 1, .same = true}, VRS_ELIMIT, "more than 65536 pixels of padding"},
		{VRS_OP_DECONV, {.kernel_h = 2, .dilation_h = 1, .stride_h = 65536, .out_h = 1}, VRS_ELIMIT, "more than 65536 pixels of padding"},
		{VRS_OP_DECONV, {.kernel_h = 2, .dilation_h = 1, .stride_h = 65536}, VRS_ELIMIT, "the output would have more"},
	};
	struct vrs_graph g;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_window window = cases[i].window;
		struct vrs_error err = {0};

		window.kernel_w = window.stride_w = window.dilation_w = window.groups = 1;
		assert_int_equal(far_window(cases[i].op, &window, &g, &err), cases[i].status);
		if (strstr(err.text, cases[i].word) == NULL)
			fail_msg("case %zu: \"%s\" does not say \"%s\"", i, err.text, cases[i].word);
		vrs_graph_fini(&g);
	}
	assert_int_equal(far_window(VRS_OP_DECONV, &(struct vrs_window){.kernel_h = 3, .kernel_w = 1, .stride_h = 1, .stride_w = 1, .dilation_h = 65536,
				    .dilation_w = 1, .groups = 1}, &g, NULL), VRS_OK);
	assert_int_equal(g.tensors[g.outputs[0]].dims[1], 70000 + 2 * 65536);
	vrs_graph_fini(&g);
}

/* Whether a tensor without elements is too large does not depend on the order of its sizes, which passes change. */
static void test_empty_tensors_in_any_order(void **state)
{
	static const int64_t orders[][4] = {{1 << 23, 0, 24, 20}, {0, 1 << 23, 24, 20}, {1 << 23, 24, 20, 0}};
	struct vrs_error err;
	struct vrs_graph g;

	(void)state;
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
		memset(&g, 0, sizeof g);
		int32_t input = build_input(&g, 1, 1, 1);
		build_output(&g, build_unary(&g, input, VRS_ACT_RELU));
		for (int d = 0; d < 4; d++)
			g.tensors[input].dims[d] = orders[i][d];
		err = (struct vrs_error){0};
		assert_int_equal(vrs_graph_validate(&g, &err), VRS_ELIMIT);
		assert_non_null(strstr(err.text, "has more than 2147483648 elements"));
		g.tensors[input].dims[0] = g.tensors[input].dims[1] = 0;
		assert_int_equal(vrs_graph_validate(&g, NULL), VRS_OK);
		vrs_graph_fini(&g);
	}
}

/* A chain input -> conv 3x3 -> relu that each case below damages in one place. */
static void make_chain(struct vrs_graph *g)
{
	memset(g, 0, sizeof *g);
	build_output(g, build_unary(g, build_conv(g, build_input(g, 8, 8, 3), 4, 3), VRS_ACT_RELU));
	assert_int_equal(vrs_graph_validate(g, NULL), VRS_OK);
}

static void expect_bad(struct vrs_graph *g, enum vrs_status status, const char *word)
{
	struct vrs_error err = {0};

	assert_int_equal(vrs_graph_validate(g, &err), status);
	if (strstr(err.text, word) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", err.text, word);
	vrs_graph_fini(g);
	make_chain(g);
}

static void test_validation(void **state)
{
	struct vrs_graph g;

	(void)state;
	make_chain(&g);
	g.nodes[0].in[0] = 99;
	expect_bad(&g, VRS_EFORMAT, "tensor 99");
	g.nodes[0].in[0] = g.nodes[1].out;
	expect_bad(&g, VRS_EFORMAT, "node 0 (conv conv): input 0 (y) is not computed before");
	g.nodes[0].inputs = 1;
	expect_bad(&g, VRS_EFORMAT, "1 inputs");
	g.nodes[0].op = (enum vrs_op)77;
	expect_bad(&g, VRS_EFORMAT, "unknown operator 77");
	g.nodes[0].u.window.stride_h = 0;
	expect_bad(&g, VRS_EFORMAT, "stride");
	g.nodes[0].u.window.pad_left = -1;
	expect_bad(&g, VRS_EFORMAT, "padding -1");
	g.nodes[0].u.window.kernel_h = 5;
	expect_bad(&g, VRS_EFORMAT, "weights are 3x3");
	g.nodes[0].u.window.groups = 3;
	expect_bad(&g, VRS_EFORMAT, "4 output channels in 3 groups");
	g.nodes[0].residual = 99;
	expect_bad(&g, VRS_EFORMAT, "tensor 99");
	g.nodes[1].scale = 0;
	expect_bad(&g, VRS_EFORMAT, "no convolution");
	g.nodes[1].out = g.nodes[0].out;
	expect_bad(&g, VRS_EFORMAT, "not a tensor of its own");
	g.nodes[1].act = (enum vrs_act)99;
	expect_bad(&g, VRS_EFORMAT, "unknown activation 99");
	g.nodes[1].act = VRS_ACT_CLIP;
	g.nodes[1].act_lo = 2;
	g.nodes[1].act_hi = 1;
	expect_bad(&g, VRS_EFORMAT, "activation range 2..1");
	g.tensors[0].dims[1] = -2;
	expect_bad(&g, VRS_EFORMAT, "size -2 in dimension 1");
	g.tensors[0].rank = 9;
	expect_bad(&g, VRS_EFORMAT, "9 dimensions");
	g.tensors[0].dims[2] = VRS_MODEL_MAX_DIM + 1;
	expect_bad(&g, VRS_ELIMIT, "more than 16777216");
	g.tensors[g.nodes[0].in[1]].data_bytes--;
	expect_bad(&g, VRS_EFORMAT, "its shape needs 432");
	g.nodes[1].dead = true;
	expect_bad(&g, VRS_EFORMAT, "output 0 of the network is not computed");
	g.output_count = 0;
	expect_bad(&g, VRS_EFORMAT, "0 outputs");
	vrs_graph_fini(&g);
}

static void test_sizes(void **state)
{
	struct vrs_graph g;
	struct vrs_error err = {0};

	(void)state;
	make_chain(&g);
	assert_int_equal(vrs_graph_set_input(&g, 5, 11, 13, &err), VRS_OK);
	assert_int_equal(g.tensors[g.outputs[0]].dims[0], 5);
	assert_int_equal(g.tensors[g.outputs[0]].dims[1], 9);
	assert_int_equal(g.tensors[g.outputs[0]].dims[2], 11);
	assert_int_equal(g.tensors[g.outputs[0]].dims[3], 4);
	assert_int_equal(vrs_node_macs(&g, &g.nodes[0]), 5 * 9 * 11 * 4 * 27);
	assert_int_equal(vrs_node_macs(&g, &g.nodes[1]), 0);
	assert_int_equal(vrs_graph_set_input(&g, 0, 0, 2, &err), VRS_EUNSUPPORTED); /* narrower than the kernel */
	assert_non_null(strstr(err.text, "a 3x3 kernel does not fit an input of 2x11"));
	assert_int_equal(vrs_graph_set_input(&g, -1, 0, 0, &err), VRS_EINVAL);
	/* 2^31 elements are the limit: 4 channels of 1 x 2^14 x 2^15 pixels reach it, one more column does not. */
	assert_int_equal(vrs_graph_set_input(&g, 1, (1 << 14) + 2, (1 << 15) + 2, &err), VRS_OK);
	assert_int_equal(vrs_graph_set_input(&g, 1, (1 << 14) + 2, (1 << 15) + 3, &err), VRS_ELIMIT);
	vrs_graph_fini(&g);
}

/* mean -> resize to the map's 8x8: the stored size follows the picture. */
static void test_fixed_resize_follows(void **state)
{
	struct vrs_graph g = {0};
	struct vrs_node node;
	int32_t x = build_input(&g, 8, 8, 3);

	(void)state;
	vrs_node_init(&node, VRS_OP_RESIZE, "spread");
	node.inputs = 1;
	node.in[0] = build_mean(&g, x);
	node.u.resize.out_h = node.u.resize.out_w = 8;
	build_output(&g, build_binary(&g, VRS_ADD, x, build_node(&g, &node), VRS_ACT_NONE));
	assert_int_equal(vrs_graph_set_input(&g, 1, 24, 16, NULL), VRS_OK);
	assert_int_equal(g.nodes[1].u.resize.out_h, 24);
	assert_int_equal(g.nodes[1].u.resize.out_w, 16);
	vrs_graph_fini(&g);
}

static void test_copies(void **state)
{
	struct vrs_graph g, first, second;
	uint64_t live = vrs_mem_stats().live_bytes;
	const float *stored;

	(void)state;
	make_chain(&g);
	assert_int_equal(vrs_graph_copy(&first, &g), VRS_OK);
	assert_int_equal(vrs_graph_copy(&second, &first), VRS_OK);
	assert_ptr_equal(first.tensors[1].data, g.tensors[1].data); /* shared */
	first.nodes[1].act = VRS_ACT_TANH;
	assert_int_equal(g.nodes[1].act, VRS_ACT_RELU); /* own */
	stored = vrs_graph_store(&first, (const float[]){7}, sizeof(float));
	assert_int_equal((uintptr_t)stored % 64, 0);
	vrs_graph_fini(&g); /* what the copies share stays */
	assert_true(*stored == 7);
	assert_int_equal(vrs_graph_validate(&first, NULL), VRS_OK);
	assert_true(*(const float *)second.tensors[1].data == 0);
	vrs_graph_fini(&first);
	assert_true(*(const float *)second.tensors[1].data == 0);
	vrs_graph_fini(&second);
	vrs_graph_fini(&second); /* twice is fine */
	assert_int_equal(vrs_mem_stats().live_bytes, live);
}

static void test_limits(void **state)
{
	struct vrs_graph g = {0};
	struct vrs_graph_tensor tensor = {.name = "t", .dtype = VRS_F32};

	(void)state;
	for (int32_t i = 0; i < VRS_MODEL_MAX_TENSORS; i++)
		assert_int_equal(vrs_graph_add_tensor(&g, &tensor), i);
	assert_int_equal(vrs_graph_add_tensor(&g, &tensor), VRS_ELIMIT);
	vrs_graph_fini(&g);
}

static void test_names_and_activations(void **state)
{
	(void)state;
	assert_string_equal(vrs_op_name(VRS_OP_GLOBAL_AVG), "global_avg");
	assert_string_equal(vrs_op_name((enum vrs_op)99), "unknown");
	assert_string_equal(vrs_act_name(VRS_ACT_HSWISH), "hswish");
	assert_string_equal(vrs_binary_name(VRS_MAX), "max");
	for (int i = 0; i < VRS_OP_COUNT; i++)
		assert_non_null(vrs_op_name((enum vrs_op)i));
	assert_true(vrs_act_apply(VRS_ACT_HSWISH, 0, 0, 1.5) == 1.125); /* 1.5 * 4.5 / 6 */
	assert_true(vrs_act_apply(VRS_ACT_HSWISH, 0, 0, -3) == 0);
	assert_true(vrs_act_apply(VRS_ACT_HSIGMOID, 0, 0, 1.5) == 0.75);
	assert_true(vrs_act_apply(VRS_ACT_RELU6, 0, 0, 7) == 6);
	assert_true(vrs_act_apply(VRS_ACT_CLIP, -1, 2, -5) == -1);
	assert_true(vrs_act_apply(VRS_ACT_LEAKY, 0.25f, 0, -4) == -1);
	assert_true(vrs_act_apply(VRS_ACT_SIGMOID, 0, 0, 0) == 0.5);
	assert_true(vrs_act_apply(VRS_ACT_SILU, 0, 0, 0) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_pads), cmocka_unit_test(test_far_windows), cmocka_unit_test(test_empty_tensors_in_any_order),
		cmocka_unit_test(test_validation), cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_fixed_resize_follows), cmocka_unit_test(test_copies), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_names_and_activations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
