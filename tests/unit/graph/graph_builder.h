/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small graphs node by node, for tests of the IR and its passes. */
#ifndef TESTS_GRAPH_BUILDER_H
#define TESTS_GRAPH_BUILDER_H

#include <stdlib.h>
#include <string.h>

#include "graph/ir.h"

/* An input map [1][h][w][c]. */
static inline int32_t build_input(struct vrs_graph *graph, int64_t h, int64_t w, int64_t c)
{
	struct vrs_graph_tensor tensor = {.name = "x", .dtype = VRS_F32, .rank = 4, .dims = {1, h, w, c}};

	graph->inputs[graph->input_count] = vrs_graph_add_tensor(graph, &tensor);
	return graph->inputs[graph->input_count++];
}

/* Append and infer; aborts when the node is not valid. */
static inline int32_t build_node(struct vrs_graph *graph, struct vrs_node *node)
{
	struct vrs_graph_tensor tensor = {.name = "y", .dtype = VRS_F32};
	int32_t id;

	node->out = vrs_graph_add_tensor(graph, &tensor);
	id = vrs_graph_add_node(graph, node);
	if (id < 0 || vrs_node_validate(graph, id, NULL) != VRS_OK || vrs_node_infer(graph, id, NULL) != VRS_OK)
		abort();
	return node->out;
}

static inline int32_t build_conv(struct vrs_graph *graph, int32_t x, int64_t out, int kernel)
{
	const int64_t dims[4] = {out, kernel, kernel, graph->tensors[x].dims[3]};
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_CONV, "conv");
	node.inputs = 2;
	node.in[0] = x;
	node.in[1] = vrs_graph_add_const(graph, "w", VRS_F32, 4, dims, NULL);
	node.u.window.kernel_h = node.u.window.kernel_w = kernel;
	return build_node(graph, &node);
}

static inline int32_t build_unary(struct vrs_graph *graph, int32_t x, enum vrs_act act)
{
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_UNARY, "unary");
	node.inputs = 1;
	node.in[0] = x;
	node.act = act;
	return build_node(graph, &node);
}

static inline int32_t build_binary(struct vrs_graph *graph, enum vrs_binary op, int32_t a, int32_t b, enum vrs_act act)
{
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_BINARY, "binary");
	node.inputs = 2;
	node.in[0] = a;
	node.in[1] = b;
	node.u.binary.op = op;
	node.act = act;
	return build_node(graph, &node);
}

static inline int32_t build_view(struct vrs_graph *g, int32_t x, int rank, const int64_t *dims)
{
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_RESHAPE, "view");
	node.inputs = 1;
	node.in[0] = x;
	node.u.view.rank = rank;
	memcpy(node.u.view.dims, dims, (size_t)rank * sizeof *dims);
	return build_node(g, &node);
}

static inline int32_t build_scalar(struct vrs_graph *graph, float value)
{
	const int64_t one = 1;

	return vrs_graph_add_const(graph, "c", VRS_F32, 1, &one, &value);
}

static inline int32_t build_mean(struct vrs_graph *graph, int32_t x)
{
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_GLOBAL_AVG, "mean");
	node.inputs = 1;
	node.in[0] = x;
	return build_node(graph, &node);
}

static inline void build_output(struct vrs_graph *graph, int32_t id)
{
	graph->outputs[graph->output_count++] = id;
}

static inline int live_nodes(const struct vrs_graph *graph)
{
	int live = 0;

	for (int32_t i = 0; i < graph->node_count; i++)
		live += !graph->nodes[i].dead;
	return live;
}

/* The live node that makes tensor id. */
static inline const struct vrs_node *maker(const struct vrs_graph *graph, int32_t id)
{
	return &graph->nodes[graph->tensors[id].producer];
}

#endif
