/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators on single elements, and softmax. */
#include <math.h>

#include "graph/eval_ops.h"

double vrs_binary_apply(enum vrs_binary op, double a, double b)
{
	switch (op) {
	case VRS_ADD: return a + b;
	case VRS_SUB: return a - b;
	case VRS_MUL: return a * b;
	case VRS_DIV: return a / b;
	case VRS_MIN: return a < b ? a : b;
	case VRS_MAX: return a > b ? a : b;
	case VRS_POW: return pow(a, b);
	case VRS_MOD: return a - floor(a / b) * b;
	case VRS_FMOD: return fmod(a, b);
	case VRS_PRELU: return a < 0 ? a * b : a;
	case VRS_EQUAL: return a == b;
	case VRS_LESS: return a < b;
	case VRS_LESS_EQUAL: return a <= b;
	case VRS_GREATER: return a > b;
	case VRS_GREATER_EQUAL: return a >= b;
	case VRS_AND: return a != 0 && b != 0;
	case VRS_OR: return a != 0 || b != 0;
	case VRS_XOR: return (a != 0) != (b != 0);
	case VRS_BINARY_COUNT: break;
	}
	return a;
}

void vrs_eval_binary(const struct vrs_eval *e)
{
	const float *a = e->in[0], *b = e->in[1];
	int64_t a_strides[VRS_MAX_RANK], b_strides[VRS_MAX_RANK];
	size_t n = vrs_tensor_elements(vrs_eval_out(e));
	struct vrs_walk walk;

	vrs_walk_init(&walk, vrs_eval_out(e));
	vrs_walk_strides(vrs_eval_in(e, 0), a_strides);
	vrs_walk_strides(vrs_eval_in(e, 1), b_strides);
	for (size_t i = 0; i < n; i++, vrs_walk_next(&walk))
		vrs_eval_store(e, i, vrs_binary_apply(e->node->u.binary.op, (double)a[vrs_walk_index(&walk, a_strides)],
						      (double)b[vrs_walk_index(&walk, b_strides)]));
}

void vrs_eval_unary(const struct vrs_eval *e)
{
	const float *x = e->in[0];
	size_t n = vrs_tensor_elements(vrs_eval_out(e));

	for (size_t i = 0; i < n; i++)
		vrs_eval_store(e, i, (double)x[i]);
}

void vrs_eval_softmax(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *y = vrs_eval_out(e);
	size_t n = (size_t)y->dims[y->rank - 1], rows = vrs_tensor_elements(y) / n;

	for (size_t r = 0; r < rows; r++) {
		const float *x = (const float *)e->in[0] + r * n;
		float *to = (float *)e->out + r * n;
		double most = (double)x[0], sum = 0;

		for (size_t i = 1; i < n; i++)
			most = (double)x[i] > most ? (double)x[i] : most;
		for (size_t i = 0; i < n; i++)
			sum += exp((double)x[i] - most);
		for (size_t i = 0; i < n; i++)
			to[i] = (float)(e->node->u.softmax.log ? (double)x[i] - most - log(sum) : exp((double)x[i] - most) / sum);
	}
}
