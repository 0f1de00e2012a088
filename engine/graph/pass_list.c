/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the passes, and what they share. */
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "graph/passes.h"
#include "graph/type_rules.h"

/*
 * Images apart while products stand between the views of the importer; groups of a norm, then the layout: everything after it knows maps as
 * [N][H][W][C].  Then what makes nodes fewer or plainer, then patterns, since they make activations; residuals last, because an addition behind an
 * activation ends the epilogue.
 */
static enum vrs_status (*const fusions[])(struct vrs_graph *graph, struct vrs_error *err) = {
	vrs_pass_batch,
	vrs_pass_group_norm,
	vrs_pass_layout,
	vrs_pass_identity,
	vrs_pass_common,
	vrs_pass_matmul,
	vrs_pass_lerp,
	vrs_pass_act_pattern,
	vrs_pass_affine,
	vrs_pass_pad,
	vrs_pass_activation,
	vrs_pass_se_scale,
	vrs_pass_residual,
};

int vrs_pass_count(void)
{
	return (int)(sizeof fusions / sizeof *fusions);
}

/* Structure, and types: an epilogue is of floats alone. */
static enum vrs_status check(const struct vrs_graph *graph, struct vrs_error *err)
{
	VRS_TRY(vrs_graph_validate(graph, err));
	for (int32_t i = 0; i < graph->node_count; i++)
		if (!graph->nodes[i].dead)
			VRS_TRY(vrs_node_check_types(graph, i, err));
	return VRS_OK;
}

enum vrs_status vrs_passes_run_some(struct vrs_graph *graph, uint32_t passes, struct vrs_error *err)
{
	VRS_TRY(vrs_pass_const_fold(graph, err));
	VRS_TRY(vrs_pass_dead_code(graph, err));
	for (int i = 0; i < vrs_pass_count(); i++) {
		if (!(passes & 1u << i))
			continue;
		VRS_TRY(fusions[i](graph, err));
		VRS_TRY(vrs_pass_dead_code(graph, err));
		VRS_ASSERT(check(graph, NULL) == VRS_OK); /* here, where it tells which pass it was */
	}
	return check(graph, err); /* a pass that broke the graph must not reach a backend */
}

enum vrs_status vrs_passes_run(struct vrs_graph *graph, bool fusion, struct vrs_error *err)
{
	return vrs_passes_run_some(graph, fusion ? UINT32_MAX : 0, err);
}

int32_t *vrs_count_uses(const struct vrs_graph *graph)
{
	int32_t *count = vrs_calloc((size_t)graph->tensor_count + 1, sizeof *count);

	if (count == NULL)
		return NULL;
	for (int32_t i = 0; i < graph->node_count; i++) {
		const struct vrs_node *node = &graph->nodes[i];

		if (node->dead)
			continue;
		for (int k = 0; k < node->inputs; k++)
			if (node->in[k] >= 0)
				count[node->in[k]]++;
		if (node->residual >= 0)
			count[node->residual]++;
		if (node->scale >= 0)
			count[node->scale]++;
	}
	for (int i = 0; i < graph->output_count; i++)
		count[graph->outputs[i]]++;
	return count;
}

bool vrs_same_shape(const struct vrs_graph *graph, int32_t a, int32_t b)
{
	const struct vrs_graph_tensor *ta = &graph->tensors[a], *tb = &graph->tensors[b];

	VRS_ASSERT(a >= 0 && a < graph->tensor_count && b >= 0 && b < graph->tensor_count);
	return ta->rank == tb->rank && memcmp(ta->dims, tb->dims, (size_t)ta->rank * sizeof *ta->dims) == 0;
}

struct vrs_node *vrs_producer(const struct vrs_graph *graph, int32_t id)
{
	int32_t node = id >= 0 ? graph->tensors[id].producer : -1;

	VRS_ASSERT(id < graph->tensor_count && node < graph->node_count);
	return node >= 0 && !graph->nodes[node].dead ? &graph->nodes[node] : NULL;
}
