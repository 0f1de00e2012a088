/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs and outputs of a graph in the layout of pictures. */
#include <string.h>

#include "graph/pass_edit.h"

/* Both ways: dim i of the one is dim to_nhwc[i] of the other. */
static const int to_nhwc[4] = {0, 2, 3, 1}, to_nchw[4] = {0, 3, 1, 2};

/* A tensor in the layout of pictures in the place of an end of four dims, and the transposition between both. */
static enum vrs_status turn_end(struct vrs_graph *graph, int32_t *end, bool input, struct vrs_error *err)
{
	const int *perm = input ? to_nchw : to_nhwc;
	struct vrs_graph_tensor tensor = graph->tensors[*end];
	struct vrs_node node;
	int32_t old = *end, made;

	if (tensor.rank != 4)
		return VRS_OK;
	for (int i = 0; i < 4; i++)
		tensor.dims[i] = graph->tensors[old].dims[to_nhwc[i]];
	made = vrs_graph_add_tensor(graph, &tensor);
	node = vrs_node_of(VRS_OP_TRANSPOSE, tensor.name, 1, input ? &made : &old);
	node.out = input ? old : made;
	memcpy(node.u.transpose.perm, perm, 4 * sizeof *perm);
	*end = made;
	made = made < 0 ? made : vrs_graph_add_node(graph, &node);
	return made >= 0 ? VRS_OK : vrs_fail(err, (enum vrs_status)made, "out of memory, or too many nodes, while inputs and outputs are laid out");
}

enum vrs_status vrs_graph_use_nhwc(struct vrs_graph *graph, struct vrs_error *err)
{
	if (!graph->nchw)
		return VRS_OK;
	for (int i = 0; i < graph->input_count; i++)
		VRS_TRY(turn_end(graph, &graph->inputs[i], true, err));
	for (int i = 0; i < graph->output_count; i++)
		VRS_TRY(turn_end(graph, &graph->outputs[i], false, err));
	graph->nchw = false;
	return vrs_graph_sort(graph, err);
}
