/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small graph on an OpenCL device as on the reference: in fp32 and with halves in memory, by kernels of its own and not on the host. */
#ifndef TESTS_OP_CHECK_H
#define TESTS_OP_CHECK_H

#include "unit/backend/node_check.h"
#include "unit/opencl/held_contexts.h"

#define OP_BOUND_FP32 1e-4
#define OP_BOUND_FP16 2e-2

/*
 * The graph's newest value is its output; the graph is freed.  Bounds: of the largest value and 1; a bound of 0 leaves the precision out.  A graph
 * beyond VRS_OP_WORK (node_check.h) is left out.
 */
static inline void op_check_bounds(struct vrs_graph *graph, double bound_fp32, double bound_fp16, const char *what)
{
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	if (node_work(graph) > node_work_max()) {
		vrs_graph_fini(graph);
		return;
	}
	graph->outputs[graph->output_count++] = graph->nodes[graph->node_count - 1].out;
	if (vrs_graph_infer(graph, &err) != VRS_OK || vrs_model_from_graph(&model, graph, what, &err) != VRS_OK)
		fail_msg("%s: %s", what, err.text);
	struct node_result want = node_run(model, "ref", 1, what);
	if (bound_fp32 > 0) {
		struct node_result got = node_run_as(model, "opencl", VRS_PRECISION_FP32, 1, what);
		node_compare(&want, &got, bound_fp32, what);
		free(got.data); /* libc: see node_run_as */
	}
	if (bound_fp16 > 0) {
		struct node_result got = node_run_as(model, "opencl", VRS_PRECISION_FP16, 1, what);
		node_compare(&want, &got, bound_fp16, what);
		free(got.data); /* libc: see node_run_as */
	}
	free(want.data); /* libc: see node_run_as */
	vrs_model_destroy(model);
	vrs_graph_fini(graph);
}

static inline void op_check(struct vrs_graph *graph, const char *what)
{
	op_check_bounds(graph, OP_BOUND_FP32, OP_BOUND_FP16, what);
}

/* A node of one operator on an input. */
static inline struct vrs_node op_node(enum vrs_op op, int32_t in)
{
	struct vrs_node node;
	vrs_node_init(&node, op, "node");
	node.inputs = 1;
	node.in[0] = in;
	return node;
}

/* A convolution that keeps height and width, with random weights of the seed. */
static inline int32_t op_layer(struct vrs_graph *graph, int32_t x, int64_t outputs, int kernel, bool bias, enum vrs_act act,
			       uint64_t seed)
{
	struct vrs_node node = op_node(VRS_OP_CONV, x);
	int64_t depth = graph->tensors[x].dims[3];
	node.inputs = 3;
	node.in[1] = node_const(graph, 4, (const int64_t[]){outputs, kernel, kernel, depth}, 2 / sqrt((double)depth), seed);
	node.in[2] = bias ? node_const(graph, 1, &outputs, 0.5, seed + 1) : -1;
	node.act = act;
	node.act_lo = act == VRS_ACT_CLIP ? -0.1f : 0.2f;
	node.act_hi = 0.7f;
	node.u.window = (struct vrs_window){.kernel_h = kernel, .kernel_w = kernel, .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1,
					    .pad_top = kernel / 2, .pad_left = kernel / 2, .pad_bottom = kernel / 2, .pad_right = kernel / 2, .groups = 1};
	return node_emit(graph, &node, VRS_F32);
}

#endif
