/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs and outputs of a graph in the layout of pictures. */
#include <string.h>

#include "graph/pass_edit.h"

/* Both ways: dim i of the one is dim to_nhwc[i] of the other. */
static const int to_nhwc[4] = {0, 2, 3, 1}, to_nchw[4] = {0, 3, 1, 2};

static enum vrs_status failed(int32_t status, struct vrs_error *err)
{
	return vrs_fail(err, (enum vrs_status)status, "out of memory, or too many nodes, while inputs and outputs are laid out");
}

/* A tensor like id, with its dims moved by perm. */
static int32_t add_turned(struct vrs_graph *graph, int32_t id, const int *perm)
{
	struct vrs_graph_tensor tensor = graph->tensors[id];

	for (int i = 0; i < 4; i++)
		tensor.dims[i] = graph->tensors[id].dims[perm[i]];
	return vrs_graph_add_tensor(graph, &tensor);
}

static int32_t add_transpose(struct vrs_graph *graph, int32_t from, int32_t to, const int *perm)
{
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_TRANSPOSE, graph->tensors[from].name);
	node.inputs = 1;
	node.in[0] = from;
	node.out = to;
	memcpy(node.u.transpose.perm, perm, 4 * sizeof *perm);
	return vrs_graph_add_node(graph, &node);
}

enum vrs_status vrs_graph_use_nhwc(struct vrs_graph *graph, struct vrs_error *err)
{
	if (!graph->nchw)
		return VRS_OK;
	for (int i = 0; i < graph->input_count; i++) {
		int32_t old = graph->inputs[i], made;

		if (graph->tensors[old].rank != 4)
			continue;
		made = add_turned(graph, old, to_nhwc);
		if (made < 0)
			return failed(made, err);
		graph->inputs[i] = made;
		made = add_transpose(graph, made, old, to_nchw);
		if (made < 0)
			return failed(made, err);
	}
	for (int i = 0; i < graph->output_count; i++) {
		int32_t old = graph->outputs[i], made;

		if (graph->tensors[old].rank != 4)
			continue;
		made = add_turned(graph, old, to_nhwc);
		if (made < 0)
			return failed(made, err);
		graph->outputs[i] = made;
		made = add_transpose(graph, old, made, to_nhwc);
		if (made < 0)
			return failed(made, err);
	}
	graph->nchw = false;
	return vrs_graph_sort(graph, err);
}
