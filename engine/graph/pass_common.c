/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common subexpressions: nodes of equal operands (constants: of equal values) and attributes, found by a hash table in the order of the nodes. */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/mem.h"
#include "graph/pass_edit.h"

/* The bytes of a constant. */
struct content {
	const void *data;
	size_t bytes;
	uint64_t hash;
	int32_t tensor;
};

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_place(const void *left, const void *right)
{
	const struct content *a = left, *b = right;
	int order = compare((uintptr_t)a->data, (uintptr_t)b->data);

	return order != 0 ? order : compare(a->bytes, b->bytes);
}

static int by_hash(const void *left, const void *right)
{
	const struct content *a = left, *b = right;
	int order = compare(a->hash, b->hash);

	return order != 0 ? order : by_place(left, right);
}

static bool same_place(const struct content *a, const struct content *b)
{
	return a->data == b->data && a->bytes == b->bytes;
}

/* The same number for constants of equal bytes; each stored constant is read twice at most, however many tensors and nodes share it. */
static void number_contents(struct content *all, size_t count, int32_t *ret_numbers)
{
	const struct content *first = all;

	qsort(all, count, sizeof *all, by_place);
	for (size_t i = 0; i < count; i++)
		all[i].hash = i > 0 && same_place(&all[i], &all[i - 1]) ? all[i - 1].hash : vrs_hash_block(VRS_HASH_INIT, all[i].data, all[i].bytes);
	qsort(all, count, sizeof *all, by_hash);
	for (size_t i = 0; i < count; i++) {
		bool known = i > 0 && same_place(&all[i], &all[i - 1]);

		if (!known && (all[i].hash != first->hash || all[i].bytes != first->bytes || memcmp(all[i].data, first->data, all[i].bytes) != 0))
			first = &all[i];
		ret_numbers[all[i].tensor] = first->tensor;
	}
}

/* [tensor] a number for the content of each constant; NULL: out of memory. */
static int32_t *contents_of(const struct vrs_graph *graph)
{
	struct content *all = vrs_calloc((size_t)graph->tensor_count + 1, sizeof *all);
	int32_t *numbers = vrs_calloc((size_t)graph->tensor_count + 1, sizeof *numbers);
	size_t count = 0;

	for (int32_t i = 0; i < graph->tensor_count && all != NULL && numbers != NULL; i++) {
		const struct vrs_graph_tensor *t = &graph->tensors[i];

		numbers[i] = -1;
		if (t->data != NULL)
			all[count++] = (struct content){.data = t->data, .bytes = vrs_tensor_elements(t) * vrs_dtype_size(t->dtype), .tensor = i};
	}
	if (all == NULL || numbers == NULL) {
		vrs_free(numbers);
		numbers = NULL;
	} else {
		number_contents(all, count, numbers);
	}
	vrs_free(all);
	return numbers;
}

/* Everything that a node computes with, without padding bytes (nodes are zeroed before they are filled, see vrs_node_init). */
static uint64_t hash_of(const struct vrs_graph *graph, const int32_t *contents, const struct vrs_node *node)
{
	uint64_t hash = vrs_hash(VRS_HASH_INIT, &node->op, sizeof node->op);

	for (int k = 0; k < node->inputs; k++)
		if (node->in[k] >= 0)
			hash = graph->tensors[node->in[k]].data == NULL ? vrs_hash(hash, &node->in[k], sizeof node->in[k])
									: vrs_hash(hash, &contents[node->in[k]], sizeof *contents);
	hash = vrs_hash(hash, &node->u, sizeof node->u);
	hash = vrs_hash(hash, &node->act, sizeof node->act);
	hash = vrs_hash(hash, &node->act_lo, sizeof node->act_lo);
	hash = vrs_hash(hash, &node->act_hi, sizeof node->act_hi);
	hash = vrs_hash(hash, &node->residual, sizeof node->residual);
	return vrs_hash(hash, &node->scale, sizeof node->scale);
}

/* The same tensor, or constants of the same values. */
static bool equal_operands(const struct vrs_graph *graph, const int32_t *contents, int32_t a, int32_t b)
{
	const struct vrs_graph_tensor *x, *y;

	if (a == b || a < 0 || b < 0)
		return a == b;
	x = &graph->tensors[a];
	y = &graph->tensors[b];
	return x->data != NULL && y->data != NULL && x->dtype == y->dtype && vrs_same_shape(graph, a, b) &&
	       contents[a] == contents[b];
}

static bool equal(const struct vrs_graph *graph, const int32_t *contents, const struct vrs_node *a, const struct vrs_node *b)
{
	if (a->op != b->op || a->inputs != b->inputs)
		return false;
	for (int k = 0; k < a->inputs; k++)
		if (!equal_operands(graph, contents, a->in[k], b->in[k]))
			return false;
	return memcmp(&a->u, &b->u, sizeof a->u) == 0 &&
	       a->act == b->act && memcmp(&a->act_lo, &b->act_lo, sizeof a->act_lo) == 0 && memcmp(&a->act_hi, &b->act_hi, sizeof a->act_hi) == 0 &&
	       a->residual == b->residual && a->scale == b->scale && a->residual_before == b->residual_before &&
	       graph->tensors[a->out].dtype == graph->tensors[b->out].dtype && vrs_same_shape(graph, a->out, b->out);
}

/* Slot of the table with an equal node, or the first empty one. */
static size_t find_slot(const struct vrs_graph *graph, const int32_t *contents, const int32_t *table, size_t size, const struct vrs_node *node)
{
	size_t slot = (size_t)hash_of(graph, contents, node) & (size - 1);

	VRS_ASSERT((size & (size - 1)) == 0 && size >= 2 * (size_t)graph->node_count); /* an empty slot ends the search */
	while (table[slot] != 0 && !equal(graph, contents, &graph->nodes[table[slot] - 1], node))
		slot = (slot + 1) & (size - 1);
	return slot;
}

enum vrs_status vrs_pass_common(struct vrs_graph *graph, struct vrs_error *err)
{
	struct vrs_alias alias = {0};
	enum vrs_status status = VRS_OK;
	size_t size = 16;
	int32_t *table, *contents = contents_of(graph); /* table: node id + 1; 0: empty */

	while (size < 2 * (size_t)graph->node_count)
		size *= 2;
	table = vrs_calloc(size, sizeof *table);
	if (table == NULL || contents == NULL)
		status = vrs_fail_nomem(err);
	for (int32_t i = 0; i < graph->node_count && status == VRS_OK; i++) {
		struct vrs_node *node = &graph->nodes[i];
		size_t slot;
		bool gone;

		if (node->dead)
			continue;
		vrs_alias_operands(&alias, node);
		slot = find_slot(graph, contents, table, size, node);
		if (table[slot] == 0)
			table[slot] = i + 1;
		else if (!vrs_is_graph_output(graph, node->out))
			status = vrs_alias_node(&alias, graph, i, graph->nodes[table[slot] - 1].out, &gone, err);
	}
	vrs_alias_apply(&alias, graph);
	vrs_alias_fini(&alias);
	vrs_free(table);
	vrs_free(contents);
	return status;
}
