/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Group normalisation as exporters write it where the opset has none: a map [N][C][H][W] seen as [N][groups][rest], normalised as if the groups were
 * channels, and seen as the map again.  One normalisation with groups does it, and the map stays [N][H][W][C].
 */
#include <string.h>

#include "base/mem.h"
#include "graph/pass_edit.h"

static bool is_transposition(const struct vrs_node *node, const int perm[4])
{
	return node != NULL && !node->dead && node->op == VRS_OP_TRANSPOSE && memcmp(node->u.transpose.perm, perm, 4 * sizeof *perm) == 0;
}

/* Is tensor id a map [N][C][H][W] of which [batch][groups][1][rest] is a view? */
static bool is_grouped_map(const struct vrs_graph *graph, int32_t id, const struct vrs_graph_tensor *view)
{
	const struct vrs_graph_tensor *t = &graph->tensors[id];

	return t->rank == 4 && t->dims[0] == view->dims[0] && view->dims[1] > 0 && t->dims[1] % view->dims[1] == 0 && t->dims[1] > view->dims[1] &&
	       vrs_tensor_elements(t) == vrs_tensor_elements(view);
}

/* The map behind the views that make tensor id; -1: there is none. */
static int32_t map_behind(const struct vrs_graph *graph, int32_t id)
{
	const struct vrs_graph_tensor *view = &graph->tensors[id];
	const struct vrs_node *node = vrs_producer(graph, id);

	for (; node != NULL && node->op == VRS_OP_RESHAPE; node = vrs_producer(graph, node->in[0]))
		if (is_grouped_map(graph, node->in[0], view))
			return node->in[0];
	return -1;
}

/* The last of the views of tensor id that nobody else reads, if it has the shape of the map; NULL: there is none. */
static struct vrs_node *map_again(struct vrs_graph *graph, const int32_t *reader, int32_t id, int32_t map)
{
	while (reader[id] >= 0) {
		struct vrs_node *node = &graph->nodes[reader[id]];

		if (node->dead || node->op != VRS_OP_RESHAPE)
			return NULL;
		if (vrs_same_shape(graph, node->out, map))
			return node;
		id = node->out;
	}
	return NULL;
}

/* A value a group becomes one a channel; a negative status where constants have no room or memory is lacking. */
static int32_t spread(struct vrs_graph *graph, int32_t values, int64_t groups, int64_t channels)
{
	const float *from = graph->tensors[values].data;
	float *all = vrs_realloc_array(NULL, (size_t)channels, sizeof *all);
	int32_t id = VRS_ENOMEM;

	for (int64_t c = 0; c < channels && all != NULL; c++)
		all[c] = from[c / (channels / groups)];
	if (all != NULL)
		id = vrs_graph_add_const(graph, "per_channel", VRS_F32, 1, &channels, all);
	vrs_free(all);
	return id;
}

static bool is_constant_of(const struct vrs_graph *graph, int32_t id, int64_t count)
{
	const struct vrs_graph_tensor *t = id >= 0 ? &graph->tensors[id] : NULL;

	return t != NULL && t->data != NULL && t->dtype == VRS_F32 && (int64_t)vrs_tensor_elements(t) == count;
}

/* Scale and bias a channel; VRS_ELIMIT: there is no room for both, and the norm stays as it is. */
static enum vrs_status spread_both(struct vrs_graph *graph, struct vrs_node *norm, int64_t groups, int64_t channels)
{
	int32_t values[2];

	if (!vrs_graph_has_room(graph, 2 * (size_t)channels * sizeof(float)))
		return VRS_ELIMIT;
	for (int k = 0; k < 2; k++) {
		values[k] = spread(graph, norm->in[1 + k], groups, channels);
		if (values[k] < 0)
			return (enum vrs_status)values[k];
	}
	memcpy(norm->in + 1, values, sizeof values);
	norm->u.norm.groups = (int)groups;
	return VRS_OK;
}

static enum vrs_status rewrite(struct vrs_graph *graph, const int32_t *reader, struct vrs_node *norm)
{
	static const int to_map[4] = {0, 2, 3, 1}, from_map[4] = {0, 3, 1, 2};
	struct vrs_node *before = vrs_producer(graph, norm->in[0]);
	struct vrs_node *after = reader[norm->out] >= 0 ? &graph->nodes[reader[norm->out]] : NULL, *last;
	int64_t groups, channels;
	enum vrs_status status;
	int32_t map;

	if (norm->u.norm.groups > 0 || !is_transposition(before, to_map) || !is_transposition(after, from_map) || reader[before->out] < 0)
		return VRS_OK;
	map = map_behind(graph, before->in[0]);
	last = map >= 0 ? map_again(graph, reader, after->out, map) : NULL;
	if (last == NULL)
		return VRS_OK;
	groups = graph->tensors[before->in[0]].dims[1];
	channels = graph->tensors[map].dims[1];
	if (!is_constant_of(graph, norm->in[1], groups) || !is_constant_of(graph, norm->in[2], groups))
		return VRS_OK;
	status = spread_both(graph, norm, groups, channels);
	if (status != VRS_OK)
		return status == VRS_ELIMIT ? VRS_OK : status;
	before->in[0] = map;
	vrs_take_output(graph, after, last);
	return VRS_OK;
}

enum vrs_status vrs_pass_group_norm(struct vrs_graph *graph, struct vrs_error *err)
{
	int32_t *reader = vrs_only_readers(graph);
	enum vrs_status status = reader != NULL ? VRS_OK : VRS_ENOMEM;
	bool changed = false;

	for (int32_t i = 0; i < graph->node_count && status == VRS_OK; i++) {
		struct vrs_node *node = &graph->nodes[i];

		if (node->dead || node->op != VRS_OP_INSTANCE_NORM || node->u.norm.groups > 0)
			continue;
		status = rewrite(graph, reader, node);
		changed = changed || node->u.norm.groups > 0;
	}
	vrs_free(reader);
	if (status == VRS_OK && changed)
		status = vrs_pass_dead_code(graph, err);
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot rewrite a normalisation: %s", vrs_status_str(status));
	return changed ? vrs_graph_infer(graph, err) : VRS_OK;
}
