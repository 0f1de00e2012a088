/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far the results of two right backends may lie apart: computed from how much each operator sums up, and how large values become on the way. */
#ifndef TESTS_FUZZ_NETWORK_ROUNDING_H
#define TESTS_FUZZ_NETWORK_ROUNDING_H

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "graph/eval.h"
#include "network_fill.h"

#define WINOGRAD_TERMS 64 /* what the transformations of Winograd's convolutions add to the error of a sum, in terms of the sum */

/* Within the limit, the same infinity, or no number both. */
static inline bool network_is_near(float got, float want, float limit)
{
	return fabsf(got - want) <= limit || got == want || (isnan(got) && isnan(want));
}

/* What one element of the node's output sums up. */
static inline double network_terms(const struct vrs_graph *graph, const struct vrs_node *node)
{
	const struct vrs_graph_tensor *x = &graph->tensors[node->in[0]], *out = &graph->tensors[node->out];
	double in = (double)vrs_tensor_elements(x), outs = (double)vrs_tensor_elements(out);

	if (node->op == VRS_OP_CONV || node->op == VRS_OP_DECONV)
		return (double)vrs_tensor_elements(&graph->tensors[node->in[1]]) / fmax(1, (double)out->dims[3]) + WINOGRAD_TERMS;
	if (node->op == VRS_OP_POOL_AVG)
		return node->u.window.kernel_h * node->u.window.kernel_w;
	if (node->op == VRS_OP_MATMUL || node->op == VRS_OP_SOFTMAX)
		return x->rank > 0 ? (double)x->dims[x->rank - 1] : 1;
	return 4 + (outs > 0 && in > outs ? in / outs : 0);
}

/* Is a value of what the node reads no finite number? */
static inline bool network_reads_strange(const struct vrs_graph *graph, const struct vrs_node *node, void *const *values)
{
	const struct vrs_graph_tensor *x = &graph->tensors[node->in[0]];
	size_t count = vrs_tensor_elements(x);

	for (size_t i = 0; x->dtype == VRS_F32 && i < count; i++)
		if (!isfinite(((const float *)values[node->in[0]])[i]))
			return true;
	return false;
}

/*
 * Run the network of one size on the inputs of a tame session.  False: results cannot be compared, since a convolution or a resize reads what is no
 * number: Winograd's convolutions spread that over a whole tile, and between two infinities ONNX names no value.
 */
static inline bool network_rounding(const struct vrs_graph *graph, float *ret_limit)
{
	void **values = calloc((size_t)graph->tensor_count + 1, sizeof *values); /* libc: data of a test */
	double largest = 1, terms = 0;
	bool comparable = true;

	for (int32_t i = 0; i < graph->tensor_count; i++) {
		const struct vrs_graph_tensor *t = &graph->tensors[i];
		size_t bytes = vrs_tensor_elements(t) * vrs_dtype_size(t->dtype);

		values[i] = calloc(bytes + 1, 1);
		if (values[i] == NULL)
			abort();
		if (t->data != NULL)
			memcpy(values[i], t->data, bytes);
	}
	for (int32_t i = 0; i < graph->input_count; i++)
		network_fill(values[graph->inputs[i]], VRS_F32, vrs_tensor_elements(&graph->tensors[graph->inputs[i]]), NETWORK_SEED + (unsigned)i, false);
	for (int32_t i = 0; i < graph->node_count; i++) {
		const struct vrs_node *node = &graph->nodes[i];
		struct vrs_eval e;

		if (node->dead)
			continue;
		e = vrs_eval_from_values(graph, node, values);
		vrs_node_eval(&e);
		terms += network_terms(graph, node);
		comparable = comparable && ((node->op != VRS_OP_CONV && node->op != VRS_OP_RESIZE) || !network_reads_strange(graph, node, values));
		for (size_t k = 0; k < vrs_tensor_elements(&graph->tensors[node->out]); k++)
			if (graph->tensors[node->out].dtype == VRS_F32 && isfinite(((float *)values[node->out])[k]))
				largest = fmax(largest, fabs((double)((float *)values[node->out])[k]));
	}
	for (int32_t i = 0; i < graph->tensor_count; i++)
		free(values[i]);
	free(values); /* libc: see above */
	*ret_limit = (float)(terms * FLT_EPSILON * largest);
	return comparable;
}

#endif
