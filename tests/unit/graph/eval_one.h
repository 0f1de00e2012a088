/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One node over constants, computed by the reference while it is folded. */
#ifndef TESTS_EVAL_ONE_H
#define TESTS_EVAL_ONE_H

#include "graph/passes.h"
#include "unit/graph/graph_builder.h"

struct eval_one {
	struct vrs_graph graph;
	struct vrs_node node;
};

static inline void eval_start(struct eval_one *one, enum vrs_op op)
{
	vrs_graph_init(&one->graph);
	vrs_node_init(&one->node, op, "node");
}

/* Append a constant input. */
static inline void eval_input(struct eval_one *one, enum vrs_dtype dtype, int rank, const int64_t *dims, const void *data)
{
	one->node.in[one->node.inputs++] = vrs_graph_add_const(&one->graph, "in", dtype, rank, dims, data);
}

/* An input left out. */
static inline void eval_skip(struct eval_one *one)
{
	one->node.in[one->node.inputs++] = -1;
}

static inline enum vrs_status eval_status(struct eval_one *one, struct vrs_error *err)
{
	struct vrs_graph_tensor tensor = {.name = "y"};
	int32_t id;
	enum vrs_status status;

	one->node.out = vrs_graph_add_tensor(&one->graph, &tensor);
	id = vrs_graph_add_node(&one->graph, &one->node);
	status = vrs_node_validate(&one->graph, id, err);
	if (status == VRS_OK)
		status = vrs_node_infer(&one->graph, id, err);
	return status == VRS_OK ? vrs_node_fold(&one->graph, id, err) : status;
}

/* The result; aborts when the node is not valid. */
static inline const struct vrs_graph_tensor *eval_result(struct eval_one *one)
{
	if (eval_status(one, NULL) != VRS_OK || one->graph.tensors[one->node.out].data == NULL)
		abort();
	return &one->graph.tensors[one->node.out];
}

#endif
