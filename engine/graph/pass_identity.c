/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes that exporters leave and that do nothing, or something plainer than what they say. */
#include <string.h>

#include "graph/eval.h"
#include "graph/pass_edit.h"

/* Does a resize to the same size take each pixel from where it goes? */
static bool keeps_pixels(const struct vrs_node *node, const struct vrs_graph_tensor *x)
{
	if (node->act != VRS_ACT_NONE || node->residual >= 0 || !vrs_resize_is_pair(&node->u.resize))
		return false;
	for (int axis = 0; axis < 2; axis++) {
		const struct vrs_resize_axis a = {&node->u.resize, axis, x->dims[1 + axis], x->dims[1 + axis]};
		for (int64_t i = 0; i < a.in; i++) {
			int64_t low, high;
			double weight;

			vrs_resize_pair(&a, i, &low, &high, &weight);
			if (low != i || weight != 0)
				return false;
		}
	}
	return true;
}

/* Pads that crop may keep the shape and still move what is in it. */
static bool pads_nothing(const struct vrs_node *node, int rank)
{
	for (int i = 0; i < rank; i++)
		if (node->u.pad.before[i] != 0 || node->u.pad.after[i] != 0)
			return false;
	return true;
}

/* Reads the same elements in the same order under the same dims and type. */
static bool is_identity(const struct vrs_graph *graph, const struct vrs_node *node)
{
	const struct vrs_graph_tensor *x = &graph->tensors[node->in[0]], *y = &graph->tensors[node->out];

	if (x->dtype != y->dtype || x->data != NULL || !vrs_same_shape(graph, node->in[0], node->out))
		return false;
	switch (node->op) {
	case VRS_OP_UNARY: return node->act == VRS_ACT_NONE;
	case VRS_OP_RESHAPE:
	case VRS_OP_CAST:
	case VRS_OP_EXPAND:
	case VRS_OP_TILE: return true;
	case VRS_OP_PAD: return pads_nothing(node, x->rank);
	case VRS_OP_CONCAT: return node->inputs == 1;
	case VRS_OP_RESIZE: return keeps_pixels(node, x);
	case VRS_OP_SLICE:
		for (int i = 0; i < x->rank; i++)
			if (x->dims[i] > 1 && node->u.slice.step[i] != 1) /* the same size backwards */
				return false;
		return true;
	case VRS_OP_TRANSPOSE:
		for (int i = 0; i < x->rank; i++)
			if (node->u.transpose.perm[i] != i)
				return false;
		return true;
	default: return false;
	}
}

/* The slice of a tensor along one axis alone, from `start` on, that this node takes; else -1. */
static int32_t part_of(const struct vrs_graph *graph, const struct vrs_node *slice, int axis, int64_t start)
{
	const struct vrs_graph_tensor *x, *part;

	if (slice == NULL || slice->op != VRS_OP_SLICE)
		return -1;
	x = &graph->tensors[slice->in[0]];
	part = &graph->tensors[slice->out];
	for (int i = 0; i < x->rank; i++) {
		bool whole = part->dims[i] == x->dims[i] && slice->u.slice.start[i] == 0;

		if (slice->u.slice.step[i] != 1 || (i == axis ? slice->u.slice.start[i] != start : !whole))
			return -1;
	}
	return x->data == NULL ? slice->in[0] : -1;
}

/* The tensor whose parts this node puts together again, all of them in their order; -1: none. */
static int32_t joined_again(const struct vrs_graph *graph, const struct vrs_node *node)
{
	int32_t whole = -1;
	int64_t at = 0;

	for (int k = 0; node->op == VRS_OP_CONCAT && k < node->inputs; k++) {
		const struct vrs_node *slice = vrs_producer(graph, node->in[k]);
		int32_t x = part_of(graph, slice, node->u.concat.axis, at);

		if (x < 0 || (k > 0 && x != whole))
			return -1;
		whole = x;
		at += graph->tensors[node->in[k]].dims[node->u.concat.axis];
	}
	return whole >= 0 && vrs_same_shape(graph, whole, node->out) ? whole : -1;
}

static void merge_views(struct vrs_graph *graph, struct vrs_node *node)
{
	const struct vrs_node *before = vrs_producer(graph, node->in[0]);

	if (node->op != VRS_OP_RESHAPE || before == NULL || before->op != VRS_OP_RESHAPE)
		return;
	node->in[0] = before->in[0];
	vrs_set_view(graph, node);
}

/* One window that covers the map, without pads. */
static bool covers_map(const struct vrs_graph *graph, const struct vrs_node *node)
{
	const struct vrs_window *w = &node->u.window;
	const int64_t *dims = graph->tensors[node->in[0]].dims;

	return node->op == VRS_OP_POOL_AVG && w->kernel_h == dims[1] && w->kernel_w == dims[2] && !w->pad_top && !w->pad_bottom && !w->pad_left &&
	       !w->pad_right && w->dilation_h == 1 && w->dilation_w == 1;
}

/* Mean over height and width of a map. */
static bool is_map_mean(const struct vrs_graph *graph, const struct vrs_node *node)
{
	const struct vrs_graph_tensor *x = &graph->tensors[node->in[0]];

	return node->op == VRS_OP_REDUCE && node->u.reduce.op == VRS_REDUCE_MEAN && x->rank == 4 && x->dtype == VRS_F32 &&
	       (node->u.reduce.axes == 6 || (node->u.reduce.axes == 14 && x->dims[3] == 1));
}

/* A mean becomes a global average, with a view behind it where its dims went away. */
static enum vrs_status plain_mean(struct vrs_graph *graph, int32_t id, struct vrs_error *err)
{
	struct vrs_node *node = &graph->nodes[id], view;
	struct vrs_graph_tensor mean = graph->tensors[node->in[0]];
	int32_t made;

	mean.dims[1] = mean.dims[2] = 1;
	mean.data = NULL;
	mean.data_bytes = 0;
	node->op = VRS_OP_GLOBAL_AVG;
	node->inputs = 1;
	memset(&node->u, 0, sizeof node->u);
	if (graph->tensors[node->out].rank == 4)
		return VRS_OK;
	made = vrs_graph_add_tensor(graph, &mean);
	if (made < 0)
		return vrs_fail(err, (enum vrs_status)made, "out of memory");
	view = vrs_node_of(VRS_OP_RESHAPE, node->name, 1, &made);
	view.out = node->out;
	vrs_set_view(graph, &view);
	node->out = made;
	graph->tensors[made].producer = id;
	made = vrs_graph_add_node(graph, &view);
	return made >= 0 ? VRS_OK : vrs_fail(err, (enum vrs_status)made, "out of memory");
}

enum vrs_status vrs_pass_identity(struct vrs_graph *graph, struct vrs_error *err)
{
	struct vrs_alias alias = {0};
	enum vrs_status status = VRS_OK;
	int32_t count = graph->node_count;

	for (int32_t i = 0; i < count && status == VRS_OK; i++) {
		struct vrs_node *node = &graph->nodes[i];
		int32_t whole;
		bool gone;

		if (node->dead)
			continue;
		vrs_alias_operands(&alias, node);
		merge_views(graph, node);
		if (is_identity(graph, node))
			status = vrs_alias_node(&alias, graph, i, node->in[0], &gone, err);
		else if ((whole = joined_again(graph, node)) >= 0)
			status = vrs_alias_node(&alias, graph, i, whole, &gone, err);
		else if (covers_map(graph, node) || is_map_mean(graph, node))
			status = plain_mean(graph, i, err);
	}
	vrs_alias_apply(&alias, graph);
	vrs_alias_fini(&alias);
	return status == VRS_OK ? vrs_graph_sort(graph, err) : status;
}
