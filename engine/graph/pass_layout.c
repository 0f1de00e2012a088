/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layout.  A network that keeps its tensors as [N][C][H][W] reaches us with a transposition before and after every map operator.  Here the
 * transpositions move towards the outputs: each node that reads transposed tensors reads their sources instead and has its result transposed,
 * until they meet their inverse and both vanish, or merge.  What the node reads besides is transposed the other way: a constant for good, a tensor
 * once for all readers.
 *
 * The cost of a graph is the number of elements that its transposes move.  A sweep that hopes to meet inverses may end with more than
 * before; then a careful one, in which no single step costs anything, takes its place.  Where neither helps, or a limit of model_limits.h is
 * met on the way, the graph stays as it is.
 */
#include <string.h>

#include "base/mem.h"
#include "graph/pass_edit.h"
#include "graph/pass_layout.h"

#define MAX_SWEEPS 6 /* a second one finds next to nothing; the bound is for graphs made to never end */

/* A transpose of a transpose: both in one, or nothing at all. */
static enum vrs_status merge_transposes(struct vrs_layout *layout, struct vrs_alias *alias, int32_t id, bool *ret_moved)
{
	struct vrs_graph *graph = layout->graph;
	struct vrs_node *node = &graph->nodes[id];
	struct vrs_perm perm = vrs_perm_of(graph, node);
	const struct vrs_node *before = vrs_layout_transpose_of(graph, node->in[0]);
	enum vrs_status status;
	bool gone = false;
	int32_t copy;

	for (; before != NULL; before = vrs_layout_transpose_of(graph, node->in[0])) {
		struct vrs_perm first = vrs_perm_of(graph, before);

		perm = vrs_perm_compose(&first, &perm);
		node->in[0] = before->in[0];
		memcpy(node->u.transpose.perm, perm.at, sizeof perm.at);
		*ret_moved = true;
	}
	copy = vrs_perm_is_identity(&perm) ? node->in[0] : vrs_layout_copy_of(layout, node->in[0], &perm);
	if (copy < 0)
		return vrs_layout_note(layout, id);
	status = vrs_alias_node(alias, graph, id, copy, &gone, layout->err);
	*ret_moved = *ret_moved || gone;
	if (status == VRS_OK && !gone && vrs_perm_is_identity(&perm)) /* an output that is another tensor as well */
		vrs_set_view(graph, node);
	return status;
}

static enum vrs_status sweep(struct vrs_layout *layout, bool *ret_moved)
{
	struct vrs_alias alias = {0};
	enum vrs_status status = vrs_graph_sort(layout->graph, layout->err);
	int32_t count = layout->graph->node_count;

	for (int32_t i = 0; i < layout->newest_count; i++)
		layout->newest[i] = -1;
	vrs_free(layout->uses);
	layout->uses = vrs_count_uses(layout->graph);
	layout->uses_count = layout->uses != NULL ? layout->graph->tensor_count : 0;
	if (status == VRS_OK && layout->uses == NULL)
		status = vrs_fail_nomem(layout->err);
	for (int32_t i = 0; i < count && status == VRS_OK; i++) {
		bool moved = false;

		vrs_alias_operands(&alias, &layout->graph->nodes[i]);
		if (layout->graph->nodes[i].op == VRS_OP_TRANSPOSE)
			status = merge_transposes(layout, &alias, i, &moved);
		else
			status = vrs_layout_sink(layout, i, &moved);
		*ret_moved = *ret_moved || moved;
	}
	vrs_alias_apply(&alias, layout->graph);
	vrs_alias_fini(&alias);
	return status == VRS_OK ? vrs_pass_dead_code(layout->graph, layout->err) : status;
}

static enum vrs_status run(struct vrs_graph *graph, bool careful, struct vrs_error *err)
{
	struct vrs_layout layout = {.graph = graph, .err = err, .careful = careful};
	enum vrs_status status = VRS_OK;
	bool moved = true;

	for (int i = 0; i < MAX_SWEEPS && moved && status == VRS_OK; i++) {
		moved = false;
		status = sweep(&layout, &moved);
	}
	if (status == VRS_OK)
		status = vrs_graph_sort(graph, err);
	vrs_layout_fini(&layout);
	return status;
}

static bool is_transpose(const struct vrs_node *node)
{
	return !node->dead && node->op == VRS_OP_TRANSPOSE;
}

/* A transposition of dims of 1 only moves nothing. */
static bool moves_elements(const struct vrs_graph *graph, const struct vrs_node *transpose)
{
	struct vrs_perm perm = vrs_perm_of(graph, transpose);

	return !vrs_perm_is_free(&perm, graph->tensors[transpose->in[0]].dims);
}

int64_t vrs_layout_cost(const struct vrs_graph *graph)
{
	int64_t cost = 0;

	for (int32_t i = 0; i < graph->node_count; i++)
		if (is_transpose(&graph->nodes[i]) && moves_elements(graph, &graph->nodes[i]))
			cost += (int64_t)vrs_tensor_elements(&graph->tensors[graph->nodes[i].out]);
	return cost;
}

static bool has_transposes(const struct vrs_graph *graph)
{
	for (int32_t i = 0; i < graph->node_count; i++)
		if (is_transpose(&graph->nodes[i]))
			return true;
	return false;
}

enum vrs_status vrs_pass_layout(struct vrs_graph *graph, struct vrs_error *err)
{
	struct vrs_graph turned;
	enum vrs_status status;

	if (!has_transposes(graph))
		return VRS_OK;
	for (int careful = 0; careful < 2; careful++) {
		status = vrs_graph_copy(&turned, graph);
		if (status != VRS_OK)
			return vrs_fail(err, status, "out of memory");
		status = run(&turned, careful != 0, err);
		if (status == VRS_OK && vrs_layout_cost(&turned) <= vrs_layout_cost(graph)) {
			vrs_graph_fini(graph);
			*graph = turned;
			break;
		}
		vrs_graph_fini(&turned);
		if (status != VRS_OK && status != VRS_ELIMIT)
			return status;
	}
	for (int32_t i = 0; i < graph->node_count; i++)
		if (is_transpose(&graph->nodes[i]) && !moves_elements(graph, &graph->nodes[i]))
			vrs_set_view(graph, &graph->nodes[i]);
	return VRS_OK;
}
