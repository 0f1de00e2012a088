/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards transposed convolutions on a device: every kind of window (overlap, gaps, dilation, groups, one channel a group, padding, sizes asked for,
 * added rows and columns), blocks of one and four channels that do not divide the groups, one and several pixels a work-item, and the epilogue.
 */
#include "op_batch.h"

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}

struct deconv {
	int in, out, groups, kernel_h, kernel_w, stride_h, stride_w, dilation, pad, more, height, width;
};

static int32_t emit(struct vrs_graph *graph, const struct deconv *d, int batch, bool bias, int32_t residual)
{
	struct vrs_node node = op_node(VRS_OP_DECONV, node_input(graph, 4, SHAPE(batch, d->height, d->width, d->in)));
	node.inputs = 3;
	node.in[1] = node_const(graph, 4, SHAPE(d->out, d->kernel_h, d->kernel_w, d->in / d->groups), 0.5, 3);
	node.in[2] = bias ? node_const(graph, 1, SHAPE(d->out), 0.5, 4) : -1;
	node.residual = residual;
	node.u.window = (struct vrs_window){
		.kernel_h = d->kernel_h, .kernel_w = d->kernel_w, .stride_h = d->stride_h, .stride_w = d->stride_w, .dilation_h = d->dilation,
		.dilation_w = d->dilation, .pad_top = d->pad, .pad_left = d->pad, .pad_bottom = d->pad, .pad_right = d->pad, .more_h = d->more,
		.more_w = d->more, .groups = d->groups,
	};
	return node_emit(graph, &node, VRS_F32);
}

static void add_case(struct op_batch *batch, const struct deconv *d, int i)
{
	char what[128];
	int pictures = i % 2 ? 1 : 3;
	enum vrs_act act = i % 2 ? VRS_ACT_NONE : VRS_ACT_RELU6;
	int32_t out = emit(&batch->graph, d, pictures, i % 4 < 2, -1);
	batch->graph.nodes[batch->graph.tensors[out].producer].act = act;
	snprintf(what, sizeof what, "%d->%d in %d groups, %dx%d by %dx%d, dilation %d, pad %d, %d more, %dx%d, act %d, batch %d", d->in, d->out, d->groups,
		 d->kernel_w, d->kernel_h, d->stride_w, d->stride_h, d->dilation, d->pad, d->more, d->width, d->height, (int)act, pictures);
	op_batch_add_newest(batch, what);
}

static void test_windows(void **state)
{
	static const struct deconv cases[] = {
		{16, 8, 1, 2, 2, 2, 2, 1, 0, 0, 5, 7},   /* as decoders have it */
		{3, 2, 1, 2, 2, 2, 2, 1, 0, 0, 6, 9},    /* few channels */
		{4, 1, 1, 2, 2, 2, 2, 1, 0, 1, 6, 9},    /* rows and columns that no tap reaches */
		{24, 5, 1, 3, 3, 2, 2, 1, 1, 1, 4, 6},
		{12, 33, 1, 4, 4, 2, 2, 1, 1, 0, 5, 5},  /* overlap */
		{8, 8, 1, 2, 2, 3, 3, 1, 0, 0, 5, 4},    /* gaps */
		{8, 6, 1, 1, 3, 2, 1, 1, 0, 0, 4, 6},
		{8, 6, 1, 3, 3, 1, 1, 2, 1, 0, 7, 8},    /* dilation */
		{8, 4, 1, 2, 2, 2, 2, 3, 0, 0, 4, 5},
		{8, 12, 4, 3, 3, 2, 2, 1, 1, 0, 5, 6},   /* groups */
		{15, 21, 3, 3, 3, 2, 2, 1, 1, 0, 5, 6},
		{4, 8, 4, 2, 2, 2, 2, 1, 0, 0, 4, 4},    /* two outputs an input */
		{16, 16, 16, 4, 4, 2, 2, 1, 1, 0, 6, 5}, /* each channel alone */
		{37, 37, 37, 2, 2, 2, 2, 1, 0, 0, 3, 4},
		{5, 5, 5, 3, 2, 3, 1, 2, 0, 1, 4, 3},
		{40, 16, 1, 4, 4, 4, 4, 1, 0, 0, 1, 1},  /* one pixel */
		{3, 5, 1, 2, 2, 9, 9, 1, 0, 0, 1, 1},    /* a stride beyond the output */
		{21, 21, 1, 16, 16, 8, 8, 1, 4, 0, 3, 2},
		{8, 16, 1, 9, 9, 4, 4, 1, 0, 3, 2, 2},   /* windows larger than the picture */
		{8, 2, 1, 2, 2, 2, 2, 1, 0, 0, 47, 65},  /* several pixels a work-item */
		{6, 5, 1, 3, 3, 2, 2, 1, 1, 1, 51, 70},
		{4, 9, 1, 4, 4, 3, 3, 2, 2, 0, 30, 41},
	};
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, OP_BOUND_FP32, OP_BOUND_FP16);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		add_case(&batch, &cases[i], (int)i);
	op_batch_check(&batch);
}

/* TFLite SAME, and output sizes that a file asks for. */
static void test_sizes(void **state)
{
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, OP_BOUND_FP32, -1);
	for (int i = 0; i < 6; i++) {
		struct vrs_graph *graph = &batch.graph;
		char what[64];
		struct vrs_node node = op_node(VRS_OP_DECONV, node_input(graph, 4, SHAPE(2, 5, 6, 4)));
		node.inputs = 3;
		node.in[1] = node_const(graph, 4, SHAPE(3, 3, 3, 4), 0.5, 3);
		node.in[2] = -1;
		node.u.window.kernel_h = node.u.window.kernel_w = 3;
		node.u.window.stride_h = node.u.window.stride_w = 2;
		node.u.window.same = i < 2;
		node.u.window.out_h = i < 2 ? 0 : 9 + i % 2;
		node.u.window.out_w = i < 2 ? 0 : 10 + i / 4;
		node.u.window.lower = i & 1;
		node_emit(graph, &node, VRS_F32);
		snprintf(what, sizeof what, "size %d", i);
		op_batch_add_newest(&batch, what);
	}
	op_batch_check(&batch);
}

/* y = act(deconv [+ r]) [+ r] */
static void test_epilogue(void **state)
{
	static const struct deconv cases[] = {
		{4, 6, 1, 2, 2, 2, 2, 1, 0, 0, 5, 7}, {4, 1, 1, 2, 2, 2, 2, 1, 0, 0, 5, 7}, {8, 8, 8, 2, 2, 2, 2, 1, 0, 0, 5, 7},
		{5, 5, 5, 2, 2, 2, 2, 1, 0, 0, 5, 7},
	};
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, OP_BOUND_FP32, OP_BOUND_FP16);
	for (int i = 0; i < 16; i++) {
		const struct deconv *d = &cases[i % 4];
		struct vrs_graph *graph = &batch.graph;
		char what[64];
		int32_t residual = node_input(graph, 4, SHAPE(2, d->height * 2, d->width * 2, d->out)), out = emit(graph, d, 2, true, residual);
		struct vrs_node *made = &graph->nodes[graph->tensors[out].producer];
		made->residual_before = i & 4;
		made->act = i & 8 ? VRS_ACT_LEAKY : VRS_ACT_SIGMOID;
		made->act_lo = 0.2f;
		snprintf(what, sizeof what, "epilogue %d", i);
		op_batch_add_newest(&batch, what);
	}
	op_batch_check(&batch);
}

int main(void)
{
	held_contexts_begin();
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_windows), cmocka_unit_test(test_sizes), cmocka_unit_test(test_epilogue)};
	return held_contexts_end(cmocka_run_group_tests(tests, NULL, NULL));
}
