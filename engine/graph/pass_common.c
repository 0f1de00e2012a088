/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common subexpressions: nodes of equal operands (constants: of equal values) and attributes, found by a hash table in the order of the nodes. */
#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/mem.h"
#include "graph/pass_edit.h"

/* Everything that a node computes with, without padding bytes (nodes are zeroed before they are filled, see vrs_node_init). */
static uint64_t hash_of(const struct vrs_graph *graph, const struct vrs_node *node)
{
	uint64_t hash = vrs_hash(VRS_HASH_INIT, &node->op, sizeof node->op);

	for (int k = 0; k < node->inputs; k++)
		if (node->in[k] >= 0 && graph->tensors[node->in[k]].data == NULL)
			hash = vrs_hash(hash, &node->in[k], sizeof node->in[k]);
	hash = vrs_hash(hash, &node->u, sizeof node->u);
	hash = vrs_hash(hash, &node->act, sizeof node->act);
	hash = vrs_hash(hash, &node->act_lo, sizeof node->act_lo);
	hash = vrs_hash(hash, &node->act_hi, sizeof node->act_hi);
	hash = vrs_hash(hash, &node->residual, sizeof node->residual);
	return vrs_hash(hash, &node->scale, sizeof node->scale);
}

/* The same tensor, or constants of the same values. */
static bool equal_operands(const struct vrs_graph *graph, int32_t a, int32_t b)
{
	const struct vrs_graph_tensor *x, *y;

	if (a == b || a < 0 || b < 0)
		return a == b;
	x = &graph->tensors[a];
	y = &graph->tensors[b];
	return x->data != NULL && y->data != NULL && x->dtype == y->dtype && vrs_same_shape(graph, a, b) &&
	       memcmp(x->data, y->data, vrs_tensor_elements(x) * vrs_dtype_size(x->dtype)) == 0;
}

static bool equal(const struct vrs_graph *graph, const struct vrs_node *a, const struct vrs_node *b)
{
	if (a->op != b->op || a->inputs != b->inputs)
		return false;
	for (int k = 0; k < a->inputs; k++)
		if (!equal_operands(graph, a->in[k], b->in[k]))
			return false;
	return memcmp(&a->u, &b->u, sizeof a->u) == 0 &&
	       a->act == b->act && memcmp(&a->act_lo, &b->act_lo, sizeof a->act_lo) == 0 && memcmp(&a->act_hi, &b->act_hi, sizeof a->act_hi) == 0 &&
	       a->residual == b->residual && a->scale == b->scale && a->residual_before == b->residual_before &&
	       graph->tensors[a->out].dtype == graph->tensors[b->out].dtype && vrs_same_shape(graph, a->out, b->out);
}

/* Slot of the table with an equal node, or the first empty one. */
static size_t find_slot(const struct vrs_graph *graph, const int32_t *table, size_t size, const struct vrs_node *node)
{
	size_t slot = (size_t)hash_of(graph, node) & (size - 1);

	VRS_ASSERT((size & (size - 1)) == 0 && size >= 2 * (size_t)graph->node_count); /* an empty slot ends the search */
	while (table[slot] != 0 && !equal(graph, &graph->nodes[table[slot] - 1], node))
		slot = (slot + 1) & (size - 1);
	return slot;
}

enum vrs_status vrs_pass_common(struct vrs_graph *graph, struct vrs_error *err)
{
	struct vrs_alias alias = {0};
	enum vrs_status status = VRS_OK;
	size_t size = 16;
	int32_t *table; /* node id + 1; 0: empty */

	while (size < 2 * (size_t)graph->node_count)
		size *= 2;
	table = vrs_calloc(size, sizeof *table);
	if (table == NULL)
		return vrs_fail_nomem(err);
	for (int32_t i = 0; i < graph->node_count && status == VRS_OK; i++) {
		struct vrs_node *node = &graph->nodes[i];
		size_t slot;
		bool gone;

		if (node->dead)
			continue;
		vrs_alias_operands(&alias, node);
		slot = find_slot(graph, table, size, node);
		if (table[slot] == 0)
			table[slot] = i + 1;
		else if (!vrs_is_graph_output(graph, node->out))
			status = vrs_alias_node(&alias, graph, i, graph->nodes[table[slot] - 1].out, &gone, err);
	}
	vrs_alias_apply(&alias, graph);
	vrs_alias_fini(&alias);
	vrs_free(table);
	return status;
}
