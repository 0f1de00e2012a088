/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a graph with the reference operators: what passes are compared by. */
#ifndef TESTS_GRAPH_RUN_H
#define TESTS_GRAPH_RUN_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "graph/eval.h"
#include "graph/ir.h"

struct graph_run {
	const struct vrs_graph *graph;
	void **values;             /* [tensor] constants are the graph's own */
};

static inline size_t graph_run_bytes(const struct vrs_graph_tensor *tensor)
{
	return vrs_tensor_elements(tensor) * vrs_dtype_size(tensor->dtype);
}

/* All nodes with random inputs of a seed; float inputs are -1..1, those of other types 0..4. */
static inline struct graph_run graph_run(const struct vrs_graph *graph, uint64_t seed)
{
	struct graph_run run = {.graph = graph, .values = calloc((size_t)graph->tensor_count + 1, sizeof(void *))}; /* libc: test scratch */
	struct vrs_rng rng;

	if (run.values == NULL)
		abort();
	vrs_rng_init(&rng, seed);
	for (int i = 0; i < graph->input_count; i++) {
		const struct vrs_graph_tensor *tensor = &graph->tensors[graph->inputs[i]];

		run.values[graph->inputs[i]] = calloc(1, graph_run_bytes(tensor) + 1);
		for (size_t k = 0; k < vrs_tensor_elements(tensor); k++)
			vrs_store_f64(tensor->dtype, run.values[graph->inputs[i]], k,
				      vrs_dtype_is_float(tensor->dtype) ? vrs_rng_unit(&rng) * 2 - 1 : (double)vrs_rng_below(&rng, 5));
	}
	for (int32_t i = 0; i < graph->tensor_count; i++)
		if (graph->tensors[i].data != NULL)
			run.values[i] = (void *)(uintptr_t)graph->tensors[i].data;
	for (int32_t i = 0; i < graph->node_count; i++) {
		const struct vrs_node *node = &graph->nodes[i];
		struct vrs_eval e;

		if (node->dead)
			continue;
		run.values[node->out] = calloc(1, graph_run_bytes(&graph->tensors[node->out]) + 1);
		e = vrs_eval_from_values(graph, node, run.values);
		vrs_node_eval(&e);
	}
	return run;
}

static inline void graph_run_free(struct graph_run *run)
{
	for (int32_t i = 0; i < run->graph->tensor_count; i++)
		if (run->graph->tensors[i].data == NULL)
			free(run->values[i]);
	free(run->values);
}

/* Largest difference of output i, as a part of the larger of 1 and the value; -1: shape or type differ. */
static inline double graph_run_error(const struct graph_run *a, const struct graph_run *b, int i)
{
	int32_t ia = a->graph->outputs[i], ib = b->graph->outputs[i];
	const struct vrs_graph_tensor *ta = &a->graph->tensors[ia], *tb = &b->graph->tensors[ib];
	double worst = 0;

	if (ta->rank != tb->rank || ta->dtype != tb->dtype || memcmp(ta->dims, tb->dims, (size_t)ta->rank * sizeof *ta->dims) != 0)
		return -1;
	for (size_t k = 0; k < vrs_tensor_elements(ta); k++) {
		double x = vrs_load_f64(ta->dtype, a->values[ia], k), y = vrs_load_f64(ta->dtype, b->values[ib], k);
		double error = fabs(x - y) / (fabs(x) > 1 ? fabs(x) : 1);

		if ((isnan(x) && isnan(y)) || x == y)
			continue;
		worst = error > worst || isnan(error) ? error : worst;
		if (isnan(error))
			return INFINITY;
	}
	return worst;
}

#endif
