/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products of matrices, with the leading dims repeated as numpy does. */
#include "graph/eval_ops.h"
#include "graph/eval_rows.h"

/* One operand: steps in elements from row to row, column to column, and matrix to matrix. */
struct operand {
	const float *data;
	int64_t row, column, matrix;
};

static struct operand operand_of(const struct vrs_graph_tensor *x, const float *data, bool left, bool transpose)
{
	struct operand o = {.data = data, .row = left ? 0 : 1, .column = left ? 1 : 0};

	if (x->rank == 1)
		return o;
	o.row = transpose ? 1 : x->dims[x->rank - 1];
	o.column = transpose ? x->dims[x->rank - 1] : 1;
	o.matrix = x->dims[x->rank - 1] * x->dims[x->rank - 2];
	return o;
}

/* The leading dims as a shape of their own. */
static struct vrs_graph_tensor lead_of(const struct vrs_graph_tensor *x, int matrix_dims)
{
	struct vrs_graph_tensor lead = {.rank = x->rank - matrix_dims};

	for (int i = 0; i < lead.rank; i++)
		lead.dims[i] = x->dims[i];
	return lead;
}

static void multiply(float *out, const struct operand *a, const struct operand *b, int64_t m, int64_t n, int64_t k)
{
	for (int64_t row = 0; row < m; row++)
		for (int64_t column = 0; column < n; column++) {
			double sum = 0;

			for (int64_t j = 0; j < k; j++)
				sum += (double)a->data[row * a->row + j * a->column] * (double)b->data[j * b->row + column * b->column];
			*out++ = (float)sum;
		}
}

void vrs_eval_matmul(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *xa = vrs_eval_in(e, 0), *xb = vrs_eval_in(e, 1), *y = vrs_eval_out(e);
	bool ta = e->node->u.matmul.transpose_a && xa->rank > 1, tb = e->node->u.matmul.transpose_b && xb->rank > 1;
	int64_t m = xa->rank > 1 ? xa->dims[xa->rank - (ta ? 1 : 2)] : 1, n = xb->rank > 1 ? xb->dims[xb->rank - (tb ? 2 : 1)] : 1;
	int64_t k = xa->dims[xa->rank - (ta ? 2 : 1)];
	int dims_a = xa->rank > 1 ? 2 : 1, dims_b = xb->rank > 1 ? 2 : 1;
	struct vrs_graph_tensor lead = lead_of(y, dims_a + dims_b - 2), lead_a = lead_of(xa, dims_a), lead_b = lead_of(xb, dims_b);
	float *out = e->out;
	struct vrs_rows rows;

	vrs_rows_init(&rows, &lead);
	vrs_rows_add(&rows, &lead_a);
	vrs_rows_add(&rows, &lead_b);
	if (!vrs_rows_start(&rows))
		return;
	do
		for (int64_t i = 0; i < rows.n; i++, out += m * n) {
			struct operand a = operand_of(xa, e->in[0], true, ta), b = operand_of(xb, e->in[1], false, tb);

			a.data += (rows.offset[0] + i * rows.step[0]) * a.matrix;
			b.data += (rows.offset[1] + i * rows.step[1]) * b.matrix;
			multiply(out, &a, &b, m, n, k);
		}
	while (vrs_rows_next(&rows));
}
