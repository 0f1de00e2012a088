/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The operators of the IR in plain C with sums in double: their meaning, which every backend is compared with, and how constants are folded.
 *
 * eval.c dispatches; operators by kind in eval_map.c (maps), eval_elementwise.c, eval_move.c; elements of
 * every type in eval_element.c; add one: its case there and in vrs_node_infer.
 */
#ifndef VRS_GRAPH_EVAL_H
#define VRS_GRAPH_EVAL_H

#include "graph/ir.h"

/* Dense data of one node's operands, typed as the tensors of the graph say. */
struct vrs_eval {
	const struct vrs_graph *graph;    /* concrete */
	const struct vrs_node *node;
	const void *in[VRS_NODE_MAX_INPUTS]; /* NULL: input left out */
	const void *residual, *scale;     /* NULL: none */
	void *out;
};

/* Compute one live node whose shapes are inferred. Thread-safe; allocates nothing. */
void vrs_node_eval(const struct vrs_eval *e);
/* Point e at values[tensor id] of every operand of node. */
struct vrs_eval vrs_eval_from_values(const struct vrs_graph *graph, const struct vrs_node *node, void *const *values);

/* Elements as numbers.  Loads: integers beyond 2^53 lose bits in _f64; stores: to nearest even for floats, wrapped for integers. */
double vrs_load_f64(enum vrs_dtype dtype, const void *data, size_t i);
int64_t vrs_load_i64(enum vrs_dtype dtype, const void *data, size_t i);
void vrs_store_f64(enum vrs_dtype dtype, void *data, size_t i, double value); /* floats; integers take the truncated value, saturated */
void vrs_store_i64(enum vrs_dtype dtype, void *data, size_t i, int64_t value);
bool vrs_dtype_is_float(enum vrs_dtype dtype);

#endif
