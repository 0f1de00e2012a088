/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "backend/ref_ops.h"

#include <math.h>
#include <string.h>

#include "backend/ref_map_ops.h"

/* Dims aligned at the end of VRS_MAX_RANK, missing ones 1, so that all shapes can be walked by the same loops. */
static void align_dims(const struct vrs_graph_tensor *tensor, int64_t dims[VRS_MAX_RANK])
{
	for (int i = 0; i < VRS_MAX_RANK; i++) {
		int k = i - (VRS_MAX_RANK - tensor->rank);

		dims[i] = k >= 0 ? tensor->dims[k] : 1;
	}
}

/* Advance the position `at` by one element; the last dim runs fastest. */
static void advance(int64_t at[VRS_MAX_RANK], const int64_t dims[VRS_MAX_RANK])
{
	for (int i = VRS_MAX_RANK - 1; i >= 0 && ++at[i] == dims[i]; i--)
		at[i] = 0;
}

static size_t index_of(const int64_t at[VRS_MAX_RANK], const int64_t dims[VRS_MAX_RANK])
{
	size_t index = 0;

	for (int i = 0; i < VRS_MAX_RANK; i++)
		index = index * (size_t)dims[i] + (dims[i] == 1 ? 0 : (size_t)at[i]);
	return index;
}

static double binary_value(enum vrs_binary op, double a, double b)
{
	switch (op) {
	case VRS_ADD: return a + b;
	case VRS_SUB: return a - b;
	case VRS_MUL: return a * b;
	case VRS_DIV: return a / b;
	case VRS_MIN: return a < b ? a : b;
	case VRS_MAX: return a > b ? a : b;
	}
	return a;
}

static void run_binary(const struct vrs_graph *graph, const struct vrs_node *node, float *const *values)
{
	const float *a = values[node->in[0]], *b = values[node->in[1]];
	int64_t a_dims[VRS_MAX_RANK], b_dims[VRS_MAX_RANK], dims[VRS_MAX_RANK], at[VRS_MAX_RANK] = { 0 };
	size_t n = vrs_tensor_elements(&graph->tensors[node->out]);

	align_dims(&graph->tensors[node->in[0]], a_dims);
	align_dims(&graph->tensors[node->in[1]], b_dims);
	align_dims(&graph->tensors[node->out], dims);
	for (size_t i = 0; i < n; i++, advance(at, dims))
		vrs_ref_store(node, values, i, binary_value(node->u.binary.op, (double)a[index_of(at, a_dims)], (double)b[index_of(at, b_dims)]));
}

static void run_unary(const struct vrs_graph *graph, const struct vrs_node *node, float *const *values)
{
	const float *x = values[node->in[0]];
	size_t n = vrs_tensor_elements(&graph->tensors[node->out]);

	for (size_t i = 0; i < n; i++)
		vrs_ref_store(node, values, i, (double)x[i]);
}

/* Each input is outer blocks of (its axis x inner) values; the output interleaves the blocks. */
static void run_concat(const struct vrs_graph *graph, const struct vrs_node *node, float *const *values)
{
	const struct vrs_graph_tensor *y = &graph->tensors[node->out];
	size_t outer = 1, inner = 1, offset = 0;

	for (int i = 0; i < node->u.concat.axis; i++)
		outer *= (size_t)y->dims[i];
	for (int i = node->u.concat.axis + 1; i < y->rank; i++)
		inner *= (size_t)y->dims[i];
	for (int k = 0; k < node->inputs; k++) {
		size_t block = (size_t)graph->tensors[node->in[k]].dims[node->u.concat.axis] * inner;
		size_t row = (size_t)y->dims[node->u.concat.axis] * inner;

		for (size_t i = 0; i < outer; i++)
			memcpy(values[node->out] + i * row + offset, values[node->in[k]] + i * block, block * sizeof(float));
		offset += block;
	}
}

static void run_softmax(const struct vrs_graph *graph, const struct vrs_node *node, float *const *values)
{
	const struct vrs_graph_tensor *y = &graph->tensors[node->out];
	size_t n = (size_t)y->dims[y->rank - 1], rows = vrs_tensor_elements(y) / n;

	for (size_t r = 0; r < rows; r++) {
		const float *x = values[node->in[0]] + r * n;
		double most = (double)x[0], sum = 0;

		for (size_t i = 1; i < n; i++)
			most = (double)x[i] > most ? (double)x[i] : most;
		for (size_t i = 0; i < n; i++)
			sum += exp((double)x[i] - most);
		for (size_t i = 0; i < n; i++)
			values[node->out][r * n + i] = (float)(exp((double)x[i] - most) / sum);
	}
}

static void run_pad(const struct vrs_graph *graph, const struct vrs_node *node, float *const *values)
{
	const struct vrs_graph_tensor *x = &graph->tensors[node->in[0]], *y = &graph->tensors[node->out];
	int shift = VRS_MAX_RANK - y->rank;
	int64_t x_dims[VRS_MAX_RANK], dims[VRS_MAX_RANK], at[VRS_MAX_RANK] = { 0 };
	size_t n = vrs_tensor_elements(y);

	align_dims(x, x_dims);
	align_dims(y, dims);
	for (size_t i = 0; i < n; i++, advance(at, dims)) {
		size_t index = 0;
		bool inside = true;

		for (int k = 0; k < VRS_MAX_RANK; k++) {
			int64_t from = at[k] - (k >= shift ? node->u.pad.before[k - shift] : 0);

			inside = inside && from >= 0 && from < x_dims[k];
			index = index * (size_t)x_dims[k] + (inside ? (size_t)from : 0);
		}
		values[node->out][i] = inside ? values[node->in[0]][index] : node->u.pad.value;
	}
}

void vrs_ref_run_node(const struct vrs_graph *graph, const struct vrs_node *node, float *const *values)
{
	switch (node->op) {
	case VRS_OP_CONV: vrs_ref_conv(graph, node, values); return;
	case VRS_OP_DECONV: vrs_ref_deconv(graph, node, values); return;
	case VRS_OP_POOL_MAX:
	case VRS_OP_POOL_AVG: vrs_ref_pool(graph, node, values); return;
	case VRS_OP_GLOBAL_AVG: vrs_ref_global_avg(graph, node, values); return;
	case VRS_OP_RESIZE: vrs_ref_resize(graph, node, values); return;
	case VRS_OP_BINARY: run_binary(graph, node, values); return;
	case VRS_OP_UNARY: run_unary(graph, node, values); return;
	case VRS_OP_CONCAT: run_concat(graph, node, values); return;
	case VRS_OP_SOFTMAX: run_softmax(graph, node, values); return;
	case VRS_OP_PAD: run_pad(graph, node, values); return;
	case VRS_OP_RESHAPE:
		memcpy(values[node->out], values[node->in[0]], vrs_tensor_elements(&graph->tensors[node->out]) * sizeof(float));
		return;
	case VRS_OP_COUNT: return;
	}
}
