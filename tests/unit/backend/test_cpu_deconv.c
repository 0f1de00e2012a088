/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards transposed convolutions on the CPU backend: every kind of window (overlap, gaps, dilation, groups, one channel a group, padding, added rows
 * and columns, few channels) has a row kernel whose results are those of the reference, for every instruction set and any number of threads.
 */
#include "node_check.h"

struct shape {
	int in, out, groups, kernel_h, kernel_w, stride_h, stride_w, dilation, pad, more, height, width;
};

static const struct shape shapes[] = {
	{16, 8, 1, 2, 2, 2, 2, 1, 0, 0, 5, 7},   /* as decoders have it */
	{3, 2, 1, 2, 2, 2, 2, 1, 0, 0, 6, 9},    /* few channels */
	{3, 1, 1, 2, 2, 2, 2, 1, 0, 1, 6, 9},    /* rows and columns that no tap reaches */
	{24, 5, 1, 3, 3, 2, 2, 1, 1, 1, 4, 6},   /* output_padding */
	{12, 33, 1, 4, 4, 2, 2, 1, 1, 0, 5, 5},  /* overlap */
	{8, 8, 1, 2, 2, 3, 3, 1, 0, 0, 5, 4},    /* gaps */
	{8, 6, 1, 1, 3, 2, 1, 1, 0, 0, 4, 6},
	{8, 6, 1, 3, 3, 1, 1, 2, 1, 0, 7, 8},    /* dilation */
	{8, 4, 1, 2, 2, 2, 2, 3, 0, 0, 4, 5},
	{8, 12, 4, 3, 3, 2, 2, 1, 1, 0, 5, 6},   /* groups */
	{16, 16, 16, 4, 4, 2, 2, 1, 1, 0, 6, 5}, /* depthwise */
	{37, 37, 37, 2, 2, 2, 2, 1, 0, 0, 3, 4},
	{5, 5, 5, 3, 2, 3, 1, 2, 0, 1, 4, 3},
	{4, 8, 4, 2, 2, 2, 2, 1, 0, 0, 4, 4},    /* two outputs an input */
	{40, 16, 1, 4, 4, 4, 4, 1, 0, 0, 1, 1},  /* one pixel */
	{6, 3, 1, 5, 5, 1, 1, 1, 2, 0, 9, 3},    /* no stride */
	{16, 1, 1, 4, 4, 2, 2, 1, 1, 0, 5, 21},  /* few channels that overlap */
	{7, 3, 1, 3, 3, 2, 2, 1, 1, 1, 4, 40},
	{12, 2, 1, 8, 8, 4, 4, 1, 2, 0, 3, 19},
	{5, 1, 1, 3, 3, 2, 2, 2, 1, 0, 6, 18},
	{5, 3, 1, 2, 2, 3, 3, 1, 0, 0, 4, 17},   /* with gaps */
	{12, 20, 1, 3, 3, 2, 2, 1, 1, 0, 6, 7},  /* phases with one row or column less */
	{9, 16, 1, 5, 4, 3, 2, 1, 1, 2, 4, 6},   /* phases that read one or two rows */
	{21, 21, 1, 16, 16, 8, 8, 1, 4, 0, 3, 2}, /* many phases of few pixels */
	{10, 24, 1, 7, 7, 2, 3, 1, 3, 1, 5, 1},
	{8, 16, 1, 9, 9, 4, 4, 1, 0, 3, 2, 2},   /* windows larger than the picture */
};

static void check(const struct shape *s, bool bias, enum vrs_act act, int batch)
{
	struct vrs_graph graph;
	struct vrs_node node;
	struct vrs_window *w = &node.u.window;
	char what[128];
	int64_t out = s->out;
	snprintf(what, sizeof what, "%d->%d in %d groups, %dx%d by %dx%d, dilation %d, pad %d, %d more, %dx%d, act %d, batch %d", s->in, s->out, s->groups,
		 s->kernel_w, s->kernel_h, s->stride_w, s->stride_h, s->dilation, s->pad, s->more, s->width, s->height, (int)act, batch);
	vrs_graph_init(&graph);
	vrs_node_init(&node, VRS_OP_DECONV, "deconv");
	node.inputs = 3;
	node.in[0] = node_input(&graph, 4, (const int64_t[]){batch, s->height, s->width, s->in});
	node.in[1] = node_const(&graph, 4, (const int64_t[]){s->out, s->kernel_h, s->kernel_w, s->in / s->groups}, 0.5, 3);
	node.in[2] = bias ? node_const(&graph, 1, &out, 0.5, 4) : -1;
	node.act = act;
	*w = (struct vrs_window){
		.kernel_h = s->kernel_h, .kernel_w = s->kernel_w, .stride_h = s->stride_h, .stride_w = s->stride_w, .dilation_h = s->dilation,
		.dilation_w = s->dilation, .pad_top = s->pad, .pad_left = s->pad, .pad_bottom = s->pad, .pad_right = s->pad, .more_h = s->more,
		.more_w = s->more, .groups = s->groups,
	};
	node_emit(&graph, &node, VRS_F32);
	node_check(&graph, 1e-5, what);
}

static void test_shapes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		check(&shapes[i], true, VRS_ACT_NONE, 1);
		check(&shapes[i], false, VRS_ACT_RELU, 2);
		check(&shapes[i], true, VRS_ACT_SIGMOID, 1);
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
