/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards convolutions in groups on the CPU backend, of which small ones are computed several at a time: results are those of the reference for sizes
 * that fill a vector and that do not, for every instruction set and any number of threads, also by Winograd tiles; and depthwise ones with several
 * outputs an input.
 */
#include "node_check.h"

struct shape {
	int in, out, groups, kernel, stride, dilation, height, width;
};

static const struct shape shapes[] = {
	{16, 16, 4, 3, 1, 1, 6, 9},   /* two or four at a time */
	{64, 64, 8, 3, 1, 1, 4, 7},   /* a vector each */
	{128, 128, 32, 3, 1, 1, 3, 5},
	{24, 48, 24, 3, 1, 1, 6, 11}, /* two outputs an input */
	{9, 27, 9, 3, 2, 1, 7, 6},    /* three; and no divisor that fills a vector */
	{7, 14, 7, 5, 1, 1, 6, 6},    /* a prime number of groups */
	{10, 20, 10, 3, 1, 2, 9, 8},  /* two, dilation */
	{6, 24, 6, 3, 3, 1, 10, 11},  /* four, and rows that no window reads */
	{5, 10, 5, 9, 1, 1, 3, 4},    /* a window larger than the map */
	{18, 36, 18, 1, 2, 1, 5, 7},  /* a window of one */
	{12, 6, 6, 3, 1, 2, 8, 7},    /* one output a group, dilation */
	{40, 20, 20, 1, 1, 1, 5, 13}, /* pointwise */
	{8, 8, 2, 3, 1, 1, 5, 5},     /* both would fit one vector */
	{30, 50, 10, 3, 2, 1, 5, 9},  /* five outputs */
	{6, 36, 2, 3, 1, 1, 4, 8},    /* more than a vector */
	{48, 48, 3, 3, 1, 1, 13, 18}, /* by tiles: whole vectors */
	{40, 60, 5, 3, 1, 1, 21, 23}, /* by tiles: parts of vectors, borders of all kinds */
	{32, 32, 8, 5, 1, 1, 17, 16}, /* by tiles of 5x5 */
	{64, 32, 4, 3, 1, 2, 19, 15}, /* by tiles with dilation */
};

static void check(const struct shape *s, bool bias, bool residual, enum vrs_act act, int batch)
{
	struct vrs_graph graph;
	struct vrs_node node;
	char what[128];
	int64_t out = s->out, pad = (int64_t)(s->kernel - 1) / 2 * s->dilation;
	bool depthwise = s->in == s->groups && s->out % s->groups == 0;
	const int64_t dense[4] = {s->out, s->kernel, s->kernel, s->in / s->groups}, single[3] = {s->kernel, s->kernel, s->out};
	snprintf(what, sizeof what, "%d->%d in %d groups, %dx%d by %d, dilation %d, %dx%d, act %d, batch %d", s->in, s->out, s->groups, s->kernel, s->kernel,
		 s->stride, s->dilation, s->width, s->height, (int)act, batch);
	vrs_graph_init(&graph);
	vrs_node_init(&node, VRS_OP_CONV, "conv");
	node.inputs = 3;
	node.in[0] = node_input(&graph, 4, (const int64_t[]){batch, s->height, s->width, s->in});
	node.in[1] = node_const(&graph, depthwise ? 3 : 4, depthwise ? single : dense, 0.5, 3);
	node.in[2] = bias ? node_const(&graph, 1, &out, 0.5, 4) : -1;
	if (residual) {
		int64_t less = 2 * pad - (int64_t)(s->kernel - 1) * s->dilation - 1, height = (s->height + less) / s->stride + 1;
		node.residual = node_input(&graph, 4, (const int64_t[]){batch, height, (s->width + less) / s->stride + 1, s->out});
	}
	node.act = act;
	node.u.window = (struct vrs_window){
		.kernel_h = s->kernel, .kernel_w = s->kernel, .stride_h = s->stride, .stride_w = s->stride, .dilation_h = s->dilation,
		.dilation_w = s->dilation, .pad_top = (int)pad, .pad_left = (int)pad, .pad_bottom = (int)pad, .pad_right = (int)pad, .groups = s->groups,
	};
	node_emit(&graph, &node, VRS_F32);
	node_check(&graph, 1e-5, what);
}

static void test_shapes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		check(&shapes[i], true, false, VRS_ACT_NONE, 1);
		check(&shapes[i], false, false, VRS_ACT_HSWISH, 2);
		check(&shapes[i], true, false, VRS_ACT_SIGMOID, 1);
		check(&shapes[i], true, true, VRS_ACT_RELU, 2);
	}
}

static int group(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	return node_levels(group);
}
