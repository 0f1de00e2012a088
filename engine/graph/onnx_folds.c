/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constants that were folded from the same operands in the same way are one constant: weights that many nodes share are turned once. */
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "graph/model_limits.h"
#include "graph/onnx_build.h"

#define SLOTS 32768 /* a power of two; at most half of them are used */

_Static_assert(SLOTS >= 2 * VRS_MODEL_MAX_NODES, "an empty slot ends the search");

static bool same_shape(const struct vrs_graph_tensor *a, const struct vrs_graph_tensor *b)
{
	return a->dtype == b->dtype && a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

/* Operands are told by where their values lie, which reshapes share. */
static bool same_operand(const struct vrs_graph *graph, int32_t a, int32_t b)
{
	if (a < 0 || b < 0)
		return a == b;
	const struct vrs_graph_tensor *x = &graph->tensors[a], *y = &graph->tensors[b];

	return x->data == y->data && same_shape(x, y);
}

static bool equal(const struct vrs_graph *graph, const struct vrs_node *a, const struct vrs_node *b)
{
	if (a->op != b->op || a->inputs != b->inputs || memcmp(&a->u, &b->u, sizeof a->u) != 0 || a->act != b->act ||
	    memcmp(&a->act_lo, &b->act_lo, sizeof a->act_lo) != 0 || memcmp(&a->act_hi, &b->act_hi, sizeof a->act_hi) != 0)
		return false;
	for (int i = 0; i < a->inputs; i++)
		if (!same_operand(graph, a->in[i], b->in[i]))
			return false;
	return same_shape(&graph->tensors[a->out], &graph->tensors[b->out]);
}

/* Of what most nodes differ in; nodes are zeroed before they are filled. */
static size_t hash_of(const struct vrs_onnx_folds *folds, const struct vrs_graph *graph, const struct vrs_node *node)
{
	struct { uint64_t op; const void *data[VRS_NODE_MAX_INPUTS]; unsigned char u[sizeof node->u]; } key;

	memset(&key, 0, sizeof key);
	key.op = (uint64_t)node->op;
	for (int i = 0; i < node->inputs; i++)
		key.data[i] = node->in[i] >= 0 ? graph->tensors[node->in[i]].data : NULL;
	memcpy(key.u, &node->u, sizeof node->u);
	return (size_t)vrs_secret_hash(&folds->secret, &key, sizeof key);
}

static int32_t *slot_of(const struct vrs_onnx_folds *folds, const struct vrs_graph *graph, const struct vrs_node *node)
{
	size_t at = hash_of(folds, graph, node) & (SLOTS - 1);

	while (folds->slots[at] != 0 && !equal(graph, &graph->nodes[folds->slots[at] - 1], node))
		at = (at + 1) & (SLOTS - 1);
	return &folds->slots[at];
}

bool vrs_onnx_folds_take(const struct vrs_onnx_folds *folds, struct vrs_graph *graph, int32_t id)
{
	struct vrs_node *node = &graph->nodes[id];
	const int32_t *slot = folds->slots != NULL ? slot_of(folds, graph, node) : NULL;

	if (slot == NULL || *slot == 0)
		return false;
	const struct vrs_graph_tensor *from = &graph->tensors[graph->nodes[*slot - 1].out];
	struct vrs_graph_tensor *out = &graph->tensors[node->out];

	VRS_ASSERT(from->data != NULL && out->data == NULL && out->producer == id);
	out->data = from->data;
	out->data_bytes = from->data_bytes;
	out->producer = -1;
	node->dead = true;
	return true;
}

enum vrs_status vrs_onnx_folds_put(struct vrs_onnx_folds *folds, const struct vrs_graph *graph, int32_t id)
{
	if (folds->slots == NULL) {
		folds->slots = vrs_calloc(SLOTS, sizeof *folds->slots);
		if (folds->slots == NULL)
			return VRS_ENOMEM;
		vrs_secret_init(&folds->secret);
	}
	*slot_of(folds, graph, &graph->nodes[id]) = id + 1;
	return VRS_OK;
}

void vrs_onnx_folds_fini(struct vrs_onnx_folds *folds)
{
	vrs_free(folds->slots);
	folds->slots = NULL;
}
