/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Products of rows come as 1x1 convolutions of a map of one row [1][1][rows][K], where the images of a batch lie side by side: a view that vanishes
 * for one image stays for several, and backends see a larger map.  Here each image gets a map of its own, so that calibrations and bits do not
 * depend on the batch.
 */
#include "base/mem.h"
#include "graph/pass_edit.h"

static bool is_pointwise(const struct vrs_graph *graph, const struct vrs_node *node)
{
	const struct vrs_window *w = &node->u.window;
	const int64_t *kernel;

	if (node->dead || node->op != VRS_OP_CONV || node->residual >= 0 || node->scale >= 0)
		return false;
	kernel = graph->tensors[node->in[1]].dims;
	return graph->tensors[node->in[1]].rank == 4 && kernel[1] == 1 && kernel[2] == 1 && w->groups == 1 && w->stride_h == 1 && w->stride_w == 1 &&
	       !w->pad_top && !w->pad_bottom && !w->pad_left && !w->pad_right;
}

/* The view that makes a map of one row for this convolution alone; NULL: there is none. */
static struct vrs_node *view_before(const struct vrs_graph *graph, const int32_t *reader, int32_t conv)
{
	int32_t map = graph->nodes[conv].in[0];
	const struct vrs_graph_tensor *t = &graph->tensors[map];
	struct vrs_node *view = vrs_producer(graph, map);

	return view != NULL && view->op == VRS_OP_RESHAPE && reader[map] == conv && t->rank == 4 && t->dims[0] == 1 && t->dims[1] == 1 ? view : NULL;
}

static void part(struct vrs_graph_tensor *map, int64_t batch)
{
	map->dims[0] = batch;
	map->dims[2] /= batch;
}

static void rewrite(struct vrs_graph *graph, const int32_t *reader, int32_t id, int64_t batch)
{
	struct vrs_node *conv = &graph->nodes[id], *before, *after;
	struct vrs_graph_tensor *x = &graph->tensors[conv->in[0]], *y = &graph->tensors[conv->out];

	if (!is_pointwise(graph, conv))
		return;
	before = view_before(graph, reader, id);
	after = reader[conv->out] >= 0 ? &graph->nodes[reader[conv->out]] : NULL;
	if (before == NULL || after == NULL || after->op != VRS_OP_RESHAPE || after->in[0] != conv->out || x->dims[2] % batch != 0)
		return;
	part(x, batch);
	part(y, batch);
	vrs_set_view(graph, before);
	vrs_set_view(graph, after);
}

enum vrs_status vrs_pass_batch(struct vrs_graph *graph, struct vrs_error *err)
{
	int64_t batch = vrs_graph_batch(graph);
	int32_t *reader;

	if (batch == 1)
		return VRS_OK;
	reader = vrs_only_readers(graph);
	if (reader == NULL)
		return vrs_fail_nomem(err);
	for (int32_t i = 0; i < graph->node_count; i++)
		rewrite(graph, reader, i, batch);
	vrs_free(reader);
	return VRS_OK;
}
