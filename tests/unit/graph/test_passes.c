/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: each pass rewrites what it should, and leaves alone what other readers, shapes or values forbid.  That results stay the same is shown
 * on random networks by test_session.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "graph/eval.h"
#include "graph/passes.h"
#include "unit/graph/graph_builder.h"
#include "unit/graph/graph_run.h"

/* Run one pass, then check the graph and end it with fini in the caller.  Shapes are inferred in a copy: that ends nodes, too. */
static void run(struct vrs_graph *graph, enum vrs_status (*pass)(struct vrs_graph *, struct vrs_error *))
{
	struct vrs_error err = {0};
	struct vrs_graph copy;

	if (pass(graph, &err) != VRS_OK || vrs_graph_validate(graph, &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(vrs_graph_copy(&copy, graph), VRS_OK);
	if (vrs_graph_infer(&copy, &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_graph_fini(&copy);
}

static enum vrs_status run_all(struct vrs_graph *graph, struct vrs_error *err)
{
	return vrs_passes_run(graph, true, err);
}

static void test_activation(void **state)
{
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, 4, 4, 3), y = build_unary(&g, build_conv(&g, x, 2, 1), VRS_ACT_HSWISH);

	(void)state;
	build_output(&g, y);
	run(&g, vrs_pass_activation);
	assert_int_equal(live_nodes(&g), 1);
	assert_int_equal(maker(&g, y)->op, VRS_OP_CONV);
	assert_int_equal(maker(&g, y)->act, VRS_ACT_HSWISH);
	vrs_graph_fini(&g);
}

static void test_activation_left_alone(void **state)
{
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, 4, 4, 3), conv = build_conv(&g, x, 2, 1), relu = build_unary(&g, conv, VRS_ACT_RELU);
	int32_t twice = build_unary(&g, relu, VRS_ACT_TANH), mean = build_unary(&g, build_mean(&g, x), VRS_ACT_RELU);

	(void)state;
	build_output(&g, conv); /* the convolution itself is read too */
	build_output(&g, twice);
	build_output(&g, mean); /* a mean has no epilogue */
	run(&g, vrs_pass_activation);
	assert_int_equal(live_nodes(&g), 5);
	vrs_graph_fini(&g);
}

static void test_residual_orders(void **state)
{
	(void)state;
	for (int act_first = 0; act_first < 2; act_first++) {
		struct vrs_graph g = {0};
		int32_t x = build_input(&g, 4, 4, 3), y = build_conv(&g, x, 3, 1);

		if (act_first)
			y = build_binary(&g, VRS_ADD, x, build_unary(&g, y, VRS_ACT_RELU), VRS_ACT_NONE);
		else
			y = build_unary(&g, build_binary(&g, VRS_ADD, y, x, VRS_ACT_NONE), VRS_ACT_RELU);
		build_output(&g, y);
		run(&g, vrs_pass_activation);
		run(&g, vrs_pass_residual);
		assert_int_equal(live_nodes(&g), 1);
		assert_int_equal(maker(&g, y)->op, VRS_OP_CONV);
		assert_int_equal(maker(&g, y)->residual, x);
		assert_int_equal(maker(&g, y)->residual_before, !act_first);
		assert_int_equal(maker(&g, y)->act, VRS_ACT_RELU);
		vrs_graph_fini(&g);
	}
}

/* The other operand is made after the convolution: the merged node must come after both. */
static void test_residual_of_later_operand(void **state)
{
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, 4, 4, 3), a = build_conv(&g, x, 3, 1), b = build_unary(&g, x, VRS_ACT_TANH);
	int32_t y = build_binary(&g, VRS_ADD, a, b, VRS_ACT_NONE);

	(void)state;
	build_output(&g, y);
	run(&g, vrs_pass_residual); /* validation checks the order */
	assert_int_equal(live_nodes(&g), 2);
	assert_int_equal(maker(&g, y)->residual, b);
	vrs_graph_fini(&g);
}

static void test_residual_left_alone(void **state)
{
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, 4, 4, 3), conv = build_conv(&g, x, 3, 1), one = build_conv(&g, x, 1, 1);
	int32_t act = build_unary(&g, build_conv(&g, x, 3, 1), VRS_ACT_RELU);

	(void)state;
	build_output(&g, build_binary(&g, VRS_ADD, conv, conv, VRS_ACT_NONE));             /* twice the same */
	build_output(&g, build_binary(&g, VRS_ADD, one, x, VRS_ACT_NONE));                 /* broadcast */
	build_output(&g, build_binary(&g, VRS_ADD, build_conv(&g, x, 3, 1), build_scalar(&g, 1), VRS_ACT_NONE));
	build_output(&g, build_binary(&g, VRS_SUB, build_conv(&g, x, 3, 1), x, VRS_ACT_NONE));
	run(&g, vrs_pass_activation);
	build_output(&g, build_binary(&g, VRS_ADD, act, x, VRS_ACT_RELU));                 /* activation before and after */
	run(&g, vrs_pass_residual);
	for (int i = 0; i < g.output_count; i++)
		assert_int_equal(maker(&g, g.outputs[i])->residual, -1);
	vrs_graph_fini(&g);
}

static int32_t input_of(struct vrs_graph *g, enum vrs_dtype dtype)
{
	int32_t x = build_input(g, 2, 3, 2);

	g->tensors[x].dtype = dtype;
	return x;
}

/* All passes leave the results of the reference as they are, to the last bit. */
static void expect_same_results(const struct vrs_graph *g)
{
	struct vrs_graph fused;
	struct graph_run want, got;

	assert_int_equal(vrs_graph_copy(&fused, g), VRS_OK);
	run(&fused, run_all);
	want = graph_run(g, 1);
	got = graph_run(&fused, 1);
	for (int i = 0; i < g->output_count; i++)
		assert_true(graph_run_error(&want, &got, i) == 0);
	graph_run_free(&want);
	graph_run_free(&got);
	vrs_graph_fini(&fused);
}

/* Epilogues work on floats of 32 bits: functions of doubles stay nodes. */
static void test_activation_of_doubles(void **state)
{
	(void)state;
	for (enum vrs_act act = VRS_ACT_RELU; act <= VRS_ACT_SILU; act++) {
		struct vrs_graph g = {0};
		int32_t x = input_of(&g, VRS_F64), z = input_of(&g, VRS_F64);

		build_output(&g, build_unary(&g, build_binary(&g, VRS_ADD, x, z, VRS_ACT_NONE), act));
		expect_same_results(&g);
		vrs_graph_fini(&g);
	}
}

/* Epilogues work on floats of 32 bits: sums of other types stay nodes, and a pass that breaks this reaches no backend. */
static void test_residual_of_other_types(void **state)
{
	static const enum vrs_dtype types[] = {VRS_F64, VRS_I64, VRS_I32, VRS_U8};

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct vrs_graph g = {0};
		int32_t x = input_of(&g, types[i]), z = input_of(&g, types[i]), w = input_of(&g, types[i]);
		int32_t product = build_binary(&g, VRS_MUL, x, z, VRS_ACT_NONE);

		build_output(&g, build_binary(&g, VRS_ADD, product, w, VRS_ACT_NONE));
		expect_same_results(&g);
		g.nodes[g.tensors[product].producer].residual = w;
		assert_int_equal(vrs_passes_run(&g, false, NULL), VRS_EUNSUPPORTED);
		vrs_graph_fini(&g);
	}
}

/* x * sigmoid(conv(mean(x))) in either order, read by a 1x1 convolution. */
static void test_se_scale(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		struct vrs_graph g = {0};
		int32_t x = build_input(&g, 4, 4, 3), s = build_unary(&g, build_conv(&g, build_mean(&g, x), 3, 1), VRS_ACT_SIGMOID);
		int32_t y = build_conv(&g, order ? build_binary(&g, VRS_MUL, s, x, VRS_ACT_NONE) : build_binary(&g, VRS_MUL, x, s, VRS_ACT_NONE), 5, 1);

		build_output(&g, y);
		run(&g, vrs_pass_se_scale);
		assert_int_equal(live_nodes(&g), 4);
		assert_int_equal(maker(&g, y)->in[0], x);
		assert_int_equal(maker(&g, y)->scale, s);
		vrs_graph_fini(&g);
	}
}

static void test_se_scale_left_alone(void **state)
{
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, 4, 4, 3), s = build_unary(&g, build_mean(&g, x), VRS_ACT_SIGMOID);
	int32_t shared = build_binary(&g, VRS_MUL, x, s, VRS_ACT_NONE), full = build_binary(&g, VRS_MUL, x, x, VRS_ACT_NONE);

	(void)state;
	build_output(&g, build_conv(&g, shared, 2, 1)); /* the product has two readers */
	build_output(&g, build_unary(&g, shared, VRS_ACT_RELU));
	build_output(&g, build_conv(&g, build_binary(&g, VRS_MUL, x, s, VRS_ACT_NONE), 2, 3)); /* not pointwise */
	build_output(&g, build_conv(&g, full, 2, 1));                                           /* a whole map */
	build_output(&g, build_conv(&g, build_binary(&g, VRS_MUL, x, s, VRS_ACT_RELU), 2, 1)); /* an activation between */
	run(&g, vrs_pass_se_scale);
	for (int i = 0; i < g.output_count; i++)
		assert_int_equal(maker(&g, g.outputs[i])->scale, -1);
	vrs_graph_fini(&g);
}

static int32_t relu6_plus3(struct vrs_graph *g, int32_t x, bool fused)
{
	int32_t sum = build_binary(g, VRS_ADD, x, build_scalar(g, 3), fused ? VRS_ACT_RELU6 : VRS_ACT_NONE);

	return fused ? sum : build_unary(g, sum, VRS_ACT_RELU6);
}

static int32_t sixth(struct vrs_graph *g, int32_t x, bool divide)
{
	return divide ? build_binary(g, VRS_DIV, x, build_scalar(g, 6), VRS_ACT_NONE) : build_binary(g, VRS_MUL, x, build_scalar(g, 1.0f / 6), VRS_ACT_NONE);
}

static void test_activation_patterns(void **state)
{
	(void)state;
	for (int form = 0; form < 4; form++) {
		struct vrs_graph g = {0};
		bool fused = form & 1, divide = form & 2;
		int32_t x = build_input(&g, 4, 4, 3), want[4];

		want[0] = sixth(&g, relu6_plus3(&g, x, fused), divide);
		want[1] = sixth(&g, build_binary(&g, VRS_MUL, x, relu6_plus3(&g, x, fused), VRS_ACT_NONE), divide);
		want[2] = build_binary(&g, VRS_MUL, sixth(&g, relu6_plus3(&g, x, fused), divide), x, VRS_ACT_NONE);
		want[3] = build_binary(&g, VRS_MUL, x, build_unary(&g, x, VRS_ACT_SIGMOID), VRS_ACT_NONE);
		for (int i = 0; i < 4; i++)
			build_output(&g, want[i]);
		run(&g, vrs_pass_act_pattern);
		run(&g, vrs_pass_dead_code);
		assert_int_equal(live_nodes(&g), 4);
		for (int i = 0; i < 4; i++) {
			assert_int_equal(maker(&g, want[i])->op, VRS_OP_UNARY);
			assert_int_equal(maker(&g, want[i])->in[0], x);
			assert_int_equal(maker(&g, want[i])->act, i == 0 ? VRS_ACT_HSIGMOID : i == 3 ? VRS_ACT_SILU : VRS_ACT_HSWISH);
		}
		vrs_graph_fini(&g);
	}
}

static void test_activation_patterns_left_alone(void **state)
{
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, 4, 4, 3), other = build_unary(&g, x, VRS_ACT_TANH);
	int32_t plus2 = build_unary(&g, build_binary(&g, VRS_ADD, x, build_scalar(&g, 2), VRS_ACT_NONE), VRS_ACT_RELU6);

	(void)state;
	build_output(&g, sixth(&g, plus2, false));                                                                 /* not 3 */
	build_output(&g, build_binary(&g, VRS_MUL, relu6_plus3(&g, x, true), build_scalar(&g, 0.2f), VRS_ACT_NONE)); /* not a sixth */
	build_output(&g, build_binary(&g, VRS_MUL, other, build_unary(&g, x, VRS_ACT_SIGMOID), VRS_ACT_NONE));       /* another operand */
	build_output(&g, build_binary(&g, VRS_DIV, build_scalar(&g, 6), relu6_plus3(&g, x, true), VRS_ACT_NONE));    /* upside down */
	run(&g, vrs_pass_act_pattern);
	for (int i = 0; i < g.output_count; i++)
		assert_int_equal(maker(&g, g.outputs[i])->op, VRS_OP_BINARY);
	vrs_graph_fini(&g);
}

static int32_t build_pad(struct vrs_graph *g, int32_t x, int border, int channels, float value)
{
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_PAD, "pad");
	node.inputs = 1;
	node.in[0] = x;
	node.u.pad.before[1] = node.u.pad.after[2] = border;
	node.u.pad.after[3] = channels;
	vrs_store_f64(VRS_F32, node.u.pad.fill, 0, (double)value);
	return build_node(g, &node);
}

static void test_pad(void **state)
{
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, 6, 6, 2), y = build_conv(&g, build_pad(&g, x, 1, 0, 0), 3, 3);

	(void)state;
	build_output(&g, y);
	build_output(&g, build_conv(&g, build_pad(&g, x, 1, 0, 0.5f), 3, 3)); /* not zero */
	build_output(&g, build_conv(&g, build_pad(&g, x, 1, 1, 0), 3, 3));    /* channels too */
	build_output(&g, build_conv(&g, build_pad(&g, x, 3, 0, 0), 3, 3));    /* wider than the kernel */
	run(&g, vrs_pass_pad);
	assert_int_equal(live_nodes(&g), 7);
	assert_int_equal(maker(&g, y)->in[0], x);
	assert_int_equal(maker(&g, y)->u.window.pad_top, 1);
	assert_int_equal(maker(&g, y)->u.window.pad_left, 0);
	assert_int_equal(maker(&g, y)->u.window.pad_right, 1);
	assert_int_equal(g.tensors[y].dims[1], 5);
	vrs_graph_fini(&g);
}

/* A padding goes only where it does nothing: one that crops at one end what it adds at the other moves the values. */
static void test_pad_identity(void **state)
{
	struct vrs_graph g = {0};
	int32_t relu = build_unary(&g, build_input(&g, 4, 4, 1), VRS_ACT_RELU), shifted = build_pad(&g, relu, -1, 0, 0), y, plain;
	struct vrs_node node = *maker(&g, shifted);

	(void)state;
	node.u.pad.before[1] = -1;
	node.u.pad.after[1] = 1;
	node.u.pad.before[2] = node.u.pad.after[2] = 0;
	y = build_unary(&g, build_node(&g, &node), VRS_ACT_TANH);
	plain = build_unary(&g, build_pad(&g, relu, 0, 0, 0), VRS_ACT_TANH);
	build_output(&g, y);
	build_output(&g, plain);
	run(&g, vrs_pass_identity);
	assert_int_equal(maker(&g, maker(&g, y)->in[0])->op, VRS_OP_PAD);
	assert_int_equal(maker(&g, plain)->in[0], relu);
	vrs_graph_fini(&g);
}

static void test_dead_code(void **state)
{
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, 4, 4, 3), y = build_unary(&g, x, VRS_ACT_RELU);

	(void)state;
	(void)build_unary(&g, build_conv(&g, x, 2, 1), VRS_ACT_TANH); /* a chain that nobody reads */
	build_output(&g, y);
	run(&g, vrs_pass_dead_code);
	assert_int_equal(live_nodes(&g), 1);
	vrs_graph_fini(&g);
}

static void test_const_fold(void **state)
{
	struct vrs_graph g = {0};
	const float values[6] = {1, 2, 3, 4, 5, 6};
	const int64_t dims[2] = {2, 3}, row = 3;
	int32_t x = build_input(&g, 4, 4, 3), m = vrs_graph_add_const(&g, "m", VRS_F32, 2, dims, values);
	int32_t r = vrs_graph_add_const(&g, "r", VRS_F32, 1, &row, values);
	int32_t sum = build_binary(&g, VRS_SUB, m, r, VRS_ACT_RELU), y = build_binary(&g, VRS_ADD, x, build_unary(&g, r, VRS_ACT_RELU), VRS_ACT_NONE);

	(void)state;
	build_output(&g, y);
	run(&g, vrs_pass_const_fold);
	assert_int_equal(live_nodes(&g), 1);
	assert_non_null(g.tensors[sum].data);
	for (int i = 0; i < 6; i++) /* rows 1 2 3 and 4 5 6 less 1 2 3 */
		assert_true(((const float *)g.tensors[sum].data)[i] == (i < 3 ? 0.0f : 3.0f));
	vrs_graph_fini(&g);
}

static void test_run_all(void **state)
{
	struct vrs_graph g = {0}, plain;
	int32_t x = build_input(&g, 4, 4, 3), s, y;

	(void)state;
	s = build_unary(&g, build_conv(&g, build_mean(&g, x), 3, 1), VRS_ACT_SIGMOID);
	y = build_binary(&g, VRS_ADD, x, build_conv(&g, build_binary(&g, VRS_MUL, x, s, VRS_ACT_NONE), 3, 1), VRS_ACT_NONE);
	build_output(&g, y);
	assert_int_equal(vrs_graph_copy(&plain, &g), VRS_OK);
	assert_int_equal(vrs_passes_run(&plain, false, NULL), VRS_OK);
	assert_int_equal(live_nodes(&plain), 6);
	assert_int_equal(vrs_passes_run(&g, true, NULL), VRS_OK);
	assert_int_equal(live_nodes(&g), 3); /* mean, gate, scaled convolution with residual */
	assert_int_equal(maker(&g, y)->scale, maker(&g, s)->out);
	assert_int_equal(maker(&g, y)->residual, x);
	vrs_graph_fini(&plain);
	for (uint64_t n = 1; n < 8; n++) { /* each pass reports that memory is out */
		vrs_mem_fail_after(n, true);
		enum vrs_status status = vrs_passes_run(&g, true, NULL);
		bool fired = vrs_mem_fault_fired();

		vrs_mem_fail_after(0, false);
		assert_int_equal(status, fired ? VRS_ENOMEM : VRS_OK);
	}
	vrs_graph_fini(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_activation),
		cmocka_unit_test(test_activation_left_alone),
		cmocka_unit_test(test_residual_orders),
		cmocka_unit_test(test_residual_of_later_operand),
		cmocka_unit_test(test_residual_left_alone),
		cmocka_unit_test(test_activation_of_doubles),
		cmocka_unit_test(test_residual_of_other_types),
		cmocka_unit_test(test_se_scale),
		cmocka_unit_test(test_se_scale_left_alone),
		cmocka_unit_test(test_activation_patterns),
		cmocka_unit_test(test_activation_patterns_left_alone),
		cmocka_unit_test(test_pad),
		cmocka_unit_test(test_pad_identity),
		cmocka_unit_test(test_dead_code),
		cmocka_unit_test(test_const_fold),
		cmocka_unit_test(test_run_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
