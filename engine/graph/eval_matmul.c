/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products of matrices, with the leading dims repeated as numpy does. */
#include "graph/eval_ops.h"

/* One operand: steps in elements from row to row and column to column, and from matrix to matrix (dims aligned at the end of VRS_MAX_RANK). */
struct operand {
	const float *data;
	int64_t row, column, lead[VRS_MAX_RANK];
};

static struct operand operand_of(const struct vrs_graph_tensor *x, const float *data, bool left, bool transpose)
{
	struct operand o = {.data = data, .row = left ? 0 : 1, .column = left ? 1 : 0};
	int64_t step;

	if (x->rank == 1)
		return o;
	o.row = transpose ? 1 : x->dims[x->rank - 1];
	o.column = transpose ? x->dims[x->rank - 1] : 1;
	step = x->dims[x->rank - 1] * x->dims[x->rank - 2];
	for (int i = x->rank - 3, k = VRS_MAX_RANK - 1; i >= 0; i--, k--) {
		o.lead[k] = x->dims[i] > 1 ? step : 0;
		step *= x->dims[i];
	}
	return o;
}

/* The leading dims of the result as a shape of their own. */
static struct vrs_graph_tensor lead_of(const struct vrs_graph_tensor *y, int matrix_dims)
{
	struct vrs_graph_tensor lead = {.rank = y->rank - matrix_dims};

	for (int i = 0; i < lead.rank; i++)
		lead.dims[i] = y->dims[i];
	return lead;
}

void vrs_eval_matmul(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *xa = vrs_eval_in(e, 0), *xb = vrs_eval_in(e, 1), *y = vrs_eval_out(e);
	bool ta = e->node->u.matmul.transpose_a && xa->rank > 1, tb = e->node->u.matmul.transpose_b && xb->rank > 1;
	struct operand a = operand_of(xa, e->in[0], true, ta), b = operand_of(xb, e->in[1], false, tb);
	int64_t m = xa->rank > 1 ? xa->dims[xa->rank - (ta ? 1 : 2)] : 1, n = xb->rank > 1 ? xb->dims[xb->rank - (tb ? 2 : 1)] : 1;
	int64_t k = xa->dims[xa->rank - (ta ? 2 : 1)];
	struct vrs_graph_tensor lead = lead_of(y, (xa->rank > 1) + (xb->rank > 1));
	size_t matrices = vrs_tensor_elements(&lead);
	float *out = e->out;
	struct vrs_walk walk;

	vrs_walk_init(&walk, &lead);
	for (size_t i = 0; i < matrices; i++, vrs_walk_next(&walk)) {
		const float *pa = a.data + vrs_walk_index(&walk, a.lead), *pb = b.data + vrs_walk_index(&walk, b.lead);

		for (int64_t row = 0; row < m; row++)
			for (int64_t column = 0; column < n; column++) {
				double sum = 0;

				for (int64_t j = 0; j < k; j++)
					sum += (double)pa[row * a.row + j * a.column] * (double)pb[j * b.row + column * b.column];
				*out++ = (float)sum;
			}
	}
}
