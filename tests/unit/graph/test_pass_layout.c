/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the layout pass and the passes that clean up behind an importer: what networks in [N][C][H][W] become, node by node, and what must stay.
 * That results stay the same is shown on random networks by test_pass_subsets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "graph/model_graph.h"
#include "graph/model_limits.h"
#include "graph/pass_layout.h"
#include "graph/passes.h"
#include "unit/graph/graph_builder.h"

static const int TO_MAP[4] = {0, 2, 3, 1}, FROM_MAP[4] = {0, 3, 1, 2};

static void run(struct vrs_graph *graph, enum vrs_status (*pass)(struct vrs_graph *, struct vrs_error *))
{
	struct vrs_error err = {0};

	if (pass(graph, &err) != VRS_OK || vrs_pass_dead_code(graph, &err) != VRS_OK || vrs_graph_validate(graph, &err) != VRS_OK ||
	    vrs_graph_infer(graph, &err) != VRS_OK)
		fail_msg("%s", err.text);
}

static int count_op(const struct vrs_graph *graph, enum vrs_op op)
{
	int n = 0;

	for (int32_t i = 0; i < graph->node_count; i++)
		n += !graph->nodes[i].dead && graph->nodes[i].op == op;
	return n;
}

static int32_t transpose(struct vrs_graph *g, int32_t x, const int *perm)
{
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_TRANSPOSE, "transpose");
	node.inputs = 1;
	node.in[0] = x;
	memcpy(node.u.transpose.perm, perm, (size_t)g->tensors[x].rank * sizeof *perm);
	return build_node(g, &node);
}

/* A convolution as an ONNX importer makes it. */
static int32_t conv(struct vrs_graph *g, int32_t x, int64_t out, int kernel)
{
	return transpose(g, build_conv(g, transpose(g, x, TO_MAP), out, kernel), FROM_MAP);
}

static int32_t mean(struct vrs_graph *g, int32_t x)
{
	return transpose(g, build_mean(g, transpose(g, x, TO_MAP)), FROM_MAP);
}

static int32_t row(struct vrs_graph *g, int64_t channels, float first)
{
	float values[16];

	for (int i = 0; i < 16; i++)
		values[i] = first + (float)i;
	return vrs_graph_add_const(g, "row", VRS_F32, 3, (int64_t[]){channels, 1, 1}, values);
}

static int32_t slice(struct vrs_graph *g, int32_t x, int axis, int64_t start, int64_t end)
{
	struct vrs_node node;
	const int64_t one = 1, at = axis;

	vrs_node_init(&node, VRS_OP_SLICE, "slice");
	node.inputs = 4;
	node.in[0] = x;
	node.in[1] = vrs_graph_add_const(g, "start", VRS_I64, 1, &one, &start);
	node.in[2] = vrs_graph_add_const(g, "end", VRS_I64, 1, &one, &end);
	node.in[3] = vrs_graph_add_const(g, "axis", VRS_I64, 1, &one, &at);
	return build_node(g, &node);
}

/* With a step as well. */
static int32_t stride(struct vrs_graph *g, int32_t x, int axis, int64_t start, int64_t end, int64_t step)
{
	const int64_t one = 1;
	int32_t y = slice(g, x, axis, start, end);
	struct vrs_node *node = &g->nodes[g->tensors[y].producer];

	node->inputs = 5;
	node->in[4] = vrs_graph_add_const(g, "step", VRS_I64, 1, &one, &step);
	if (vrs_graph_infer(g, NULL) != VRS_OK)
		abort();
	return y;
}

static int32_t concat(struct vrs_graph *g, int32_t a, int32_t b, int axis)
{
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_CONCAT, "concat");
	node.inputs = 2;
	node.in[0] = a;
	node.in[1] = b;
	node.u.concat.axis = axis;
	return build_node(g, &node);
}

/* Input [1][4][6][8] of a network in NCHW. */
static int32_t begin(struct vrs_graph *g)
{
	vrs_graph_init(g);
	g->nchw = true;
	return build_input(g, 4, 6, 8);
}

/* One scale for all values has no axis; a file may write any number there, and the transposition behind it must not look it up. */
static void test_quantisation_without_axis(void **state)
{
	(void)state;
	for (int axis = -VRS_MAX_RANK; axis <= VRS_MAX_RANK; axis += VRS_MAX_RANK) {
		struct vrs_graph g;
		struct vrs_error err = {0};
		struct vrs_node node;
		int32_t x = begin(&g), y;

		vrs_node_init(&node, VRS_OP_QUANTIZE, "quantize");
		node.inputs = 2;
		node.in[0] = conv(&g, x, 4, 3);
		node.in[1] = build_scalar(&g, 0.5f);
		node.u.quant.axis = axis;
		node.u.quant.to = VRS_U8;
		y = build_node(&g, &node);
		assert_int_equal(maker(&g, y)->u.quant.axis, 0);
		build_output(&g, y);
		if (vrs_graph_use_nhwc(&g, &err) != VRS_OK)
			fail_msg("%s", err.text);
		run(&g, vrs_pass_layout);
		vrs_graph_fini(&g);
	}
}

/* Squeeze-excitation, split, concatenation, normalisation, gates: with NHWC ends not one transposition is left. */
static void test_network_in_maps(void **state)
{
	struct vrs_graph g;
	int32_t x = begin(&g), y, s, a, b;
	struct vrs_error err = {0};

	(void)state;
	y = build_unary(&g, build_binary(&g, VRS_MUL, conv(&g, x, 8, 3), row(&g, 8, 1), VRS_ACT_NONE), VRS_ACT_RELU);
	s = build_unary(&g, conv(&g, build_unary(&g, conv(&g, mean(&g, y), 2, 1), VRS_ACT_RELU), 8, 1), VRS_ACT_HSIGMOID);
	y = build_binary(&g, VRS_MUL, y, s, VRS_ACT_NONE);
	a = slice(&g, y, 1, 0, 4);
	b = slice(&g, y, 1, 4, 8);
	b = build_binary(&g, VRS_SUB, build_scalar(&g, 1), build_unary(&g, b, VRS_ACT_SIGMOID), VRS_ACT_NONE);
	build_output(&g, conv(&g, concat(&g, a, b, 1), 5, 1));
	build_output(&g, b);
	if (vrs_graph_use_nhwc(&g, &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(g.tensors[g.inputs[0]].dims[3], 4);
	assert_string_equal(g.tensors[g.inputs[0]].name, "x");
	run(&g, vrs_pass_layout);
	assert_int_equal(count_op(&g, VRS_OP_TRANSPOSE), 0);
	assert_int_equal(vrs_layout_cost(&g), 0);
	assert_int_equal(g.tensors[g.outputs[0]].dims[3], 5);
	assert_int_equal(maker(&g, g.outputs[0])->op, VRS_OP_CONV);
	vrs_graph_fini(&g);
}

/* Ends stay NCHW: one transposition at each, the input's shared by its two readers. */
static void test_ends(void **state)
{
	struct vrs_graph g;
	int32_t x = begin(&g), y = conv(&g, x, 4, 1);

	(void)state;
	build_output(&g, build_unary(&g, build_binary(&g, VRS_ADD, x, y, VRS_ACT_NONE), VRS_ACT_TANH));
	run(&g, vrs_pass_layout);
	assert_int_equal(count_op(&g, VRS_OP_TRANSPOSE), 2);
	assert_int_equal(vrs_layout_cost(&g), 2 * 4 * 6 * 8);
	assert_int_equal(maker(&g, g.outputs[0])->op, VRS_OP_TRANSPOSE);
	vrs_graph_fini(&g);
}

/* Flattening behind a global average moves nothing; flattening a map does. */
static void test_flatten(void **state)
{
	(void)state;
	for (int whole = 0; whole < 2; whole++) {
		struct vrs_graph g;
		int32_t x = begin(&g), y = conv(&g, x, 8, 1);

		y = whole ? y : mean(&g, y);
		build_output(&g, build_view(&g, y, 2, (int64_t[]){1, -1}));
		run(&g, vrs_pass_layout);
		assert_int_equal(vrs_layout_cost(&g), (1 + 2 * whole) * 192);
		vrs_graph_fini(&g);
	}
}

/* [N][C][H][W] to [N][C][HW]: the transposition passes, because H and W stay neighbours. */
static void test_view_of_runs(void **state)
{
	const int64_t x[4] = {1, 4, 6, 8}, y[3] = {1, 4, 48}, bad[3] = {1, 24, 8}, split[5] = {1, 2, 2, 6, 8};
	const struct vrs_perm from_map = {4, {0, 3, 1, 2}};
	struct vrs_perm perm;
	int64_t dims[VRS_MAX_RANK];

	(void)state;
	assert_true(vrs_layout_view(&from_map, x, 4, y, 3, dims, &perm));
	assert_int_equal(dims[1], 48);
	assert_int_equal(dims[2], 4);
	assert_int_equal(perm.at[1], 2);
	assert_int_equal(perm.at[2], 1);
	assert_false(vrs_layout_view(&from_map, x, 4, bad, 3, dims, &perm)); /* joins C and H */
	assert_true(vrs_layout_view(&from_map, x, 4, split, 5, dims, &perm));
	assert_int_equal(dims[3], 2);
	assert_int_equal(perm.at[1], 3);
	assert_int_equal(perm.at[3], 1);
}

/* A part whose step leaves its dimension at once, however far, is a part that the moved node can say. */
static void test_far_steps(void **state)
{
	static const int64_t steps[] = {7, VRS_MODEL_MAX_DIM + 1, VRS_MODEL_MAX_ELEMENTS, INT64_MAX, -7, -VRS_MODEL_MAX_DIM - 1, INT64_MIN};

	(void)state;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		struct vrs_graph g;
		int32_t x = begin(&g), y = stride(&g, conv(&g, x, 5, 3), 2, 2, steps[i] > 0 ? INT64_MAX : INT64_MIN, steps[i]);

		build_output(&g, conv(&g, y, 2, 1));
		run(&g, vrs_pass_layout);
		assert_int_equal(g.tensors[maker(&g, g.outputs[0])->in[0]].dims[1], 1);
		vrs_graph_fini(&g);
	}
}

static void test_affine(void **state)
{
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, 4, 4, 3), y = build_conv(&g, x, 2, 3), z, padded;
	const float factors[3] = {2, 3, 4};
	const int64_t three = 3;
	int32_t c = vrs_graph_add_const(&g, "c", VRS_F32, 1, &three, factors);

	(void)state;
	y = build_binary(&g, VRS_ADD, build_binary(&g, VRS_MUL, y, build_scalar(&g, 2), VRS_ACT_NONE), build_scalar(&g, 7), VRS_ACT_RELU);
	z = build_conv(&g, build_binary(&g, VRS_MUL, x, c, VRS_ACT_NONE), 2, 1);
	padded = build_binary(&g, VRS_ADD, x, c, VRS_ACT_NONE);
	build_output(&g, y);
	build_output(&g, z);
	build_output(&g, build_conv(&g, padded, 2, 3));
	g.nodes[g.tensors[g.outputs[2]].producer].u.window.pad_top = 1; /* a sum does not pass zero padding */
	assert_int_equal(vrs_graph_infer(&g, NULL), VRS_OK);
	run(&g, vrs_pass_affine);
	assert_int_equal(maker(&g, y)->op, VRS_OP_CONV);
	assert_int_equal(maker(&g, y)->act, VRS_ACT_RELU);
	assert_true(((const float *)g.tensors[maker(&g, y)->in[2]].data)[1] == 7.0f);
	assert_int_equal(maker(&g, z)->in[0], x);
	assert_int_equal(maker(&g, g.outputs[2])->in[0], padded);
	assert_int_equal(live_nodes(&g), 4);
	vrs_graph_fini(&g);
}

/* An activation, or a second reader, keeps a convolution and what follows apart. */
static void test_affine_left_alone(void **state)
{
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, 4, 4, 3), relu = build_unary(&g, build_conv(&g, x, 2, 1), VRS_ACT_RELU), shared = build_conv(&g, x, 2, 1);

	(void)state;
	build_output(&g, build_binary(&g, VRS_MUL, relu, build_scalar(&g, 2), VRS_ACT_NONE));
	build_output(&g, build_binary(&g, VRS_MUL, shared, build_scalar(&g, 2), VRS_ACT_NONE));
	build_output(&g, shared);
	build_output(&g, build_binary(&g, VRS_DIV, build_scalar(&g, 2), build_conv(&g, x, 2, 1), VRS_ACT_NONE)); /* upside down */
	run(&g, vrs_pass_affine);
	assert_int_equal(live_nodes(&g), 7);
	vrs_graph_fini(&g);
}

static void test_identity(void **state)
{
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, 4, 4, 3), y = build_unary(&g, build_conv(&g, x, 3, 1), VRS_ACT_NONE), z;

	(void)state;
	z = build_view(&g, build_view(&g, build_unary(&g, y, VRS_ACT_TANH), 2, (int64_t[]){16, 3}), 3, (int64_t[]){4, 4, 3});
	build_output(&g, y); /* the output's name stays, its maker changes */
	build_output(&g, z);
	build_output(&g, slice(&g, y, 3, 0, 3));
	run(&g, vrs_pass_identity);
	assert_int_equal(maker(&g, y)->op, VRS_OP_CONV);
	assert_int_equal(maker(&g, z)->op, VRS_OP_RESHAPE);
	assert_int_equal(maker(&g, maker(&g, z)->in[0])->op, VRS_OP_UNARY);
	assert_int_equal(maker(&g, g.outputs[2])->op, VRS_OP_SLICE); /* two outputs cannot be one tensor */
	vrs_graph_fini(&g);
}

/* scale: coordinates are divided by it; 0: by the ratio of the sizes. */
static int32_t resize(struct vrs_graph *g, int32_t x, int64_t height, bool half_pixel, double scale)
{
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_RESIZE, "resize");
	node.inputs = 1;
	node.in[0] = x;
	node.u.resize.half_pixel = half_pixel;
	node.u.resize.out_h = height;
	node.u.resize.out_w = 6;
	node.u.resize.coord = scale != 0 ? VRS_COORD_ASYMMETRIC : VRS_COORD_PLAIN;
	node.u.resize.given_scale = scale != 0;
	node.u.resize.scale_h = node.u.resize.scale_w = scale;
	return build_node(g, &node);
}

/* To the same size, from where each pixel lies: nothing.  To another size, or to the same one from elsewhere: something. */
static void test_identity_resize(void **state)
{
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, 4, 6, 3);

	(void)state;
	build_output(&g, build_unary(&g, resize(&g, x, 4, true, 0), VRS_ACT_TANH));
	build_output(&g, build_unary(&g, resize(&g, x, 4, false, 0), VRS_ACT_RELU));
	build_output(&g, resize(&g, x, 8, true, 0));
	build_output(&g, resize(&g, x, 4, true, 1.1)); /* 4 and 6 pixels again: the sizes are rounded down */
	run(&g, vrs_pass_identity);
	assert_int_equal(maker(&g, g.outputs[0])->in[0], x);
	assert_int_equal(maker(&g, g.outputs[1])->in[0], x);
	assert_int_equal(count_op(&g, VRS_OP_RESIZE), 2);
	vrs_graph_fini(&g);
}

/* Parts of a tensor in their order are the tensor; in another order, or not all of them, they are not. */
static void test_identity_parts(void **state)
{
	struct vrs_graph g = {0};
	int32_t x = build_unary(&g, build_input(&g, 4, 4, 4), VRS_ACT_TANH), other = build_unary(&g, x, VRS_ACT_TANH);
	int32_t front = slice(&g, x, 3, 0, 3), back = slice(&g, x, 3, 3, 4);

	(void)state;
	build_output(&g, build_unary(&g, concat(&g, front, back, 3), VRS_ACT_RELU));
	build_output(&g, concat(&g, back, front, 3));
	build_output(&g, concat(&g, front, slice(&g, x, 3, 0, 1), 3));
	build_output(&g, concat(&g, front, slice(&g, other, 3, 3, 4), 3));
	build_output(&g, concat(&g, front, slice(&g, x, 2, 0, 4), 3));
	run(&g, vrs_pass_identity);
	assert_int_equal(maker(&g, g.outputs[0])->in[0], x);
	assert_int_equal(count_op(&g, VRS_OP_CONCAT), 4);
	vrs_graph_fini(&g);
}

static void test_common(void **state)
{
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, 4, 4, 3), a = build_unary(&g, x, VRS_ACT_TANH), b = build_unary(&g, x, VRS_ACT_TANH);
	int32_t other = build_unary(&g, x, VRS_ACT_RELU);

	(void)state;
	build_output(&g, build_binary(&g, VRS_ADD, build_unary(&g, a, VRS_ACT_RELU), build_unary(&g, b, VRS_ACT_RELU), VRS_ACT_NONE));
	build_output(&g, other);
	run(&g, vrs_pass_common);
	assert_int_equal(live_nodes(&g), 4);
	assert_int_equal(maker(&g, g.outputs[0])->in[0], maker(&g, g.outputs[0])->in[1]);
	vrs_graph_fini(&g);
}

/* Constants are equal by their values, in whatever tensors they are. */
static void test_common_constants(void **state)
{
	struct vrs_graph g = {0};
	int32_t x = build_unary(&g, build_input(&g, 4, 4, 4), VRS_ACT_TANH), a = slice(&g, x, 3, 0, 2), b = slice(&g, x, 3, 0, 2);
	int32_t other = slice(&g, x, 3, 1, 3);

	(void)state;
	build_output(&g, build_binary(&g, VRS_ADD, a, b, VRS_ACT_NONE));
	build_output(&g, build_unary(&g, other, VRS_ACT_RELU));
	run(&g, vrs_pass_common);
	assert_int_equal(maker(&g, g.outputs[0])->in[0], maker(&g, g.outputs[0])->in[1]);
	assert_int_equal(count_op(&g, VRS_OP_SLICE), 2);
	vrs_graph_fini(&g);
}

static void test_lerp(void **state)
{
	(void)state;
	/* Form 2 is no update; in forms 3 and 4 the candidate, or the state, may be of any size. */
	for (int form = 0; form < 5; form++) {
		struct vrs_graph g = {0};
		int32_t u = build_input(&g, 4, 4, 3), h = build_input(&g, 4, 4, 3), c = build_input(&g, 4, 4, 3), keep, take, y;
		int nodes = form == 0 ? 1 : form == 1 ? 2 : form == 2 ? 1 : form == 3 ? 0 : 2;

		c = form == 3 ? c : build_unary(&g, c, VRS_ACT_TANH);
		h = form == 1 ? build_unary(&g, h, VRS_ACT_SIGMOID) : form == 4 ? build_unary(&g, h, VRS_ACT_RELU) : h;
		keep = build_binary(&g, VRS_SUB, build_scalar(&g, form == 2 ? 2 : 1), u, VRS_ACT_NONE);
		keep = form ? build_binary(&g, VRS_MUL, keep, h, VRS_ACT_NONE) : build_binary(&g, VRS_MUL, h, keep, VRS_ACT_NONE);
		take = form ? build_binary(&g, VRS_MUL, c, u, VRS_ACT_NONE) : build_binary(&g, VRS_MUL, u, c, VRS_ACT_NONE);
		y = form ? build_binary(&g, VRS_ADD, take, keep, VRS_ACT_NONE) : build_binary(&g, VRS_ADD, keep, take, VRS_ACT_NONE);
		build_output(&g, y);
		run(&g, vrs_pass_lerp);
		assert_int_equal(live_nodes(&g), nodes + (form >= 2 ? 4 : 2));
		assert_int_equal(maker(&g, y)->residual, form >= 2 ? -1 : h);
		vrs_graph_fini(&g);
	}
}

/* The four recurrent units of Robust Video Matting are such updates, of states that are inputs. */
static void test_lerps_of_rvm(void **state)
{
	struct vrs_model *model;
	struct vrs_graph g;
	struct vrs_error err = {0};
	int updates = 0;

	(void)state;
	if (vrs_model_load(&model, VRS_TEST_DIR "/golden/networks/rvm/model.onnx", &err) != VRS_OK || vrs_graph_copy(&g, vrs_model_graph(model)) != VRS_OK ||
	    vrs_graph_infer(&g, &err) != VRS_OK || vrs_passes_run(&g, true, &err) != VRS_OK)
		fail_msg("%s", err.text);
	for (int32_t i = 0; i < g.node_count; i++)
		updates += !g.nodes[i].dead && g.nodes[i].op == VRS_OP_BINARY && g.nodes[i].u.binary.op == VRS_MUL && g.nodes[i].residual_before;
	assert_int_equal(updates, 4);
	vrs_graph_fini(&g);
	vrs_model_destroy(model);
}

/* A product of 16 rows with a bias behind it; the result. */
static int32_t build_product(struct vrs_graph *g)
{
	int32_t flat = build_view(g, build_input(g, 4, 4, 3), 2, (int64_t[]){16, 3});
	const float values[6] = {1, 2, 3, 4, 5, 6}, bias[2] = {7, 8};
	const int64_t two = 2;
	struct vrs_node node;
	int32_t y;

	vrs_node_init(&node, VRS_OP_MATMUL, "product");
	node.inputs = 2;
	node.in[0] = flat;
	node.in[1] = vrs_graph_add_const(g, "w", VRS_F32, 2, (int64_t[]){3, 2}, values);
	y = build_node(g, &node);
	y = build_binary(g, VRS_ADD, y, vrs_graph_add_const(g, "b", VRS_F32, 1, &two, bias), VRS_ACT_NONE);
	build_output(g, y);
	return y;
}

static void test_matmul(void **state)
{
	struct vrs_graph g = {0};
	int32_t y = build_product(&g), w;

	(void)state;
	run(&g, vrs_pass_matmul);
	assert_int_equal(count_op(&g, VRS_OP_MATMUL) + count_op(&g, VRS_OP_BINARY), 0);
	assert_int_equal(maker(&g, y)->op, VRS_OP_RESHAPE);
	assert_int_equal(maker(&g, maker(&g, y)->in[0])->op, VRS_OP_CONV);
	w = maker(&g, maker(&g, y)->in[0])->in[1];
	assert_true(((const float *)g.tensors[w].data)[1] == 3.0f); /* row of the second input of the first output */
	assert_true(((const float *)g.tensors[maker(&g, maker(&g, y)->in[0])->in[2]].data)[1] == 8.0f);
	vrs_graph_fini(&g);
}

/* A lack of memory is told as that, at every allocation: that of the bias, too. */
static void test_matmul_out_of_memory(void **state)
{
	bool fired = true;

	(void)state;
	for (uint64_t n = 1; fired; n++) {
		struct vrs_graph g = {0};
		enum vrs_status status;

		(void)build_product(&g);
		vrs_mem_fail_after(n, false);
		status = vrs_pass_matmul(&g, NULL);
		fired = vrs_mem_fault_fired();
		vrs_mem_fail_after(0, false);
		assert_int_equal(status, fired ? VRS_ENOMEM : VRS_OK);
		vrs_graph_fini(&g);
	}
}

static void test_smooth(void **state)
{
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, 4, 4, 3), erf, want[4];

	(void)state;
	want[0] = build_binary(&g, VRS_MUL, build_unary(&g, build_unary(&g, x, VRS_ACT_SOFTPLUS), VRS_ACT_TANH), x, VRS_ACT_NONE);
	erf = build_unary(&g, build_binary(&g, VRS_DIV, x, build_scalar(&g, 1.41421356f), VRS_ACT_NONE), VRS_ACT_ERF);
	erf = build_binary(&g, VRS_ADD, erf, build_scalar(&g, 1), VRS_ACT_NONE);
	want[1] = build_binary(&g, VRS_MUL, build_binary(&g, VRS_MUL, x, build_scalar(&g, 0.5f), VRS_ACT_NONE), erf, VRS_ACT_NONE);
	want[2] = build_binary(&g, VRS_MUL, build_binary(&g, VRS_MUL, x, erf, VRS_ACT_NONE), build_scalar(&g, 0.25f), VRS_ACT_NONE); /* not a half */
	want[3] = build_binary(&g, VRS_PRELU, x, build_scalar(&g, 0.25f), VRS_ACT_NONE);
	for (int i = 0; i < 4; i++)
		build_output(&g, want[i]);
	run(&g, vrs_pass_act_pattern);
	assert_int_equal(maker(&g, want[0])->act, VRS_ACT_MISH);
	assert_int_equal(maker(&g, want[1])->act, VRS_ACT_GELU);
	assert_int_equal(maker(&g, want[2])->op, VRS_OP_BINARY);
	assert_int_equal(maker(&g, want[3])->act, VRS_ACT_LEAKY);
	assert_int_equal(maker(&g, want[1])->in[0], x);
	vrs_graph_fini(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantisation_without_axis),
		cmocka_unit_test(test_matmul_out_of_memory),
		cmocka_unit_test(test_network_in_maps), cmocka_unit_test(test_ends),     cmocka_unit_test(test_flatten),
		cmocka_unit_test(test_view_of_runs),    cmocka_unit_test(test_affine),   cmocka_unit_test(test_affine_left_alone),
		cmocka_unit_test(test_identity_resize), cmocka_unit_test(test_identity_parts), cmocka_unit_test(test_common_constants),
		cmocka_unit_test(test_identity),        cmocka_unit_test(test_common),   cmocka_unit_test(test_lerp), cmocka_unit_test(test_lerps_of_rvm),
		cmocka_unit_test(test_matmul),          cmocka_unit_test(test_smooth),   cmocka_unit_test(test_far_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
