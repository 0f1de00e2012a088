/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Products of activations on the CPU: columns of the right matrix are packed as weights are, a block at a time, for the kernel of pointwise
 * convolutions.  For a few rows they are read as they lie, with the same order of additions: rows may be images, whose bits must not depend on how
 * many there are.  One or two columns are dot products: a panel that is zero but for a column would cost more than they do.
 */
#include <string.h>

#include "backend/cpu/exec/cpu_flat.h"
#include "backend/cpu/exec/cpu_routines.h"
#include "backend/cpu/plan/cpu_plan_flat.h"
#include "base/assert.h"
#include "kernels/weight_pack.h"

/* One pair of matrices: element (i, j) of a at i * a_row + j * a_column, b the same. */
struct product {
	const float *a, *b;
	float *out;
	int64_t m, n, k, a_row, a_column;
	bool b_turned; /* [n][k] */
};

/* Element where matrix number `index` of the output's leading dims begins in an operand whose leading dims may be repeated. */
static int64_t matrix_start(const struct vrs_graph_tensor *y, int matrix_dims, const struct vrs_graph_tensor *x, int x_dims, int64_t index)
{
	int64_t from = 0, step = 1;
	for (int i = 0; i < x_dims; i++)
		step *= x->dims[x->rank - 1 - i];
	for (int i = y->rank - matrix_dims - 1, at = x->rank - x_dims - 1; i >= 0; i--, at--) {
		int64_t place = index % y->dims[i];
		index /= y->dims[i];
		if (at < 0)
			continue;
		from += x->dims[at] > 1 ? place * step : 0;
		step *= x->dims[at];
	}
	return from;
}

static struct product product_of(const struct vrs_eval *e, int64_t index)
{
	const struct vrs_graph_tensor *xa = &e->graph->tensors[e->node->in[0]], *xb = &e->graph->tensors[e->node->in[1]];
	const struct vrs_graph_tensor *y = &e->graph->tensors[e->node->out];
	int dims_a = xa->rank > 1 ? 2 : 1, dims_b = xb->rank > 1 ? 2 : 1;
	bool ta = e->node->u.matmul.transpose_a && dims_a > 1;
	struct product p = {.m = 1, .n = 1, .k = xa->dims[xa->rank - (ta ? 2 : 1)], .b_turned = dims_b == 1 || e->node->u.matmul.transpose_b};
	if (dims_a > 1)
		p.m = xa->dims[xa->rank - (ta ? 1 : 2)];
	if (dims_b > 1)
		p.n = xb->dims[xb->rank - (p.b_turned ? 2 : 1)];
	p.a_row = ta ? 1 : p.k;
	p.a_column = ta ? p.m : 1;
	p.a = (const float *)e->in[0] + matrix_start(y, dims_a + dims_b - 2, xa, dims_a, index);
	p.b = (const float *)e->in[1] + matrix_start(y, dims_a + dims_b - 2, xb, dims_b, index);
	p.out = (float *)e->out + index * p.m * p.n;
	return p;
}

/* Columns [n0, n1) of b in the panels of weight_pack.h; missing ones are zero. */
static void pack_columns(const struct product *p, int64_t n0, int64_t n1, int lanes, float *to)
{
	int left = (int)((n1 - n0 + lanes - 1) / lanes);
	for (int64_t first = n0; left > 0;) {
		int64_t panel = (int64_t)VRS_PANEL_VECTORS(left) * lanes, count = n1 - first < panel ? n1 - first : panel;
		if (count < panel)
			memset(to, 0, (size_t)(panel * p->k) * sizeof *to);
		if (p->b_turned)
			vrs_cpu_transpose_plane(to, panel, p->b + first * p->k, p->k, count, p->k);
		for (int64_t j = 0; !p->b_turned && j < p->k; j++)
			memcpy(to + j * panel, p->b + j * p->n + first, (size_t)count * sizeof *to);
		to += panel * p->k;
		first += panel;
		left -= (int)(panel / lanes);
	}
}

/* Not by the rows, as another order of additions has other bits; two short columns take less time in a panel. */
static bool is_dots(const struct product *p)
{
	return p->n == 1 || (p->n == 2 && p->k >= 16);
}

/* Not worth packing for. */
static bool is_few_rows(const struct product *p)
{
	return p->m <= VRS_PRODUCT_ROWS;
}

/* Columns that the kernel of few rows reads as they lie, in whole vectors. */
static bool is_lines(const struct product *p, int lanes)
{
	return p->b_turned && p->k >= 4 && p->n >= lanes;
}

/* Columns [n0, n1) as block() wants them. */
static void put_columns(const struct product *p, int64_t n0, int64_t n1, int lanes, float *to)
{
	if (is_dots(p)) {
		if (!p->b_turned && p->n > 1)
			vrs_cpu_transpose_plane(to, p->k, p->b, p->n, p->k, p->n);
	} else if (is_few_rows(p)) {
		if (p->b_turned && !is_lines(p, lanes))
			vrs_cpu_transpose_plane(to, n1 - n0, p->b + n0 * p->k, p->k, n1 - n0, p->k);
	} else {
		pack_columns(p, n0, n1, lanes, to);
	}
}

static void dot_columns(const struct product *p, struct vrs_cpu_thread *thread, const float *a, const float *columns, int64_t m0, int64_t m1)
{
	const float *b = p->b_turned || p->n == 1 ? p->b : columns;
	for (int64_t j = 0; j < p->n; j++)
		thread->plan->kernels.dot(a, p->k, (int)(m1 - m0), b + j * p->k, (int)p->k, p->out + m0 * p->n + j, p->n);
}

static void few_rows(const struct product *p, struct vrs_cpu_thread *thread, const float *a, const float *columns, int64_t n0, int64_t n1)
{
	int64_t lanes = thread->plan->kernels.lanes;
	struct vrs_product_rows rows = {
		.a = a, .b = p->b + n0, .a_px = p->k, .b_step = p->n, .rows = (int)p->m, .k = (int)p->k, .end = (int)(n1 - n0), .out = p->out + n0,
		.out_px = p->n,
	};
	if (is_lines(p, (int)lanes)) { /* the last vector may need columns of the block before */
		rows.first = (int)(n0 < lanes ? n0 : lanes);
		rows.end += rows.first;
		rows.b = p->b + (n0 - rows.first) * p->k;
		rows.b_step = p->k;
		rows.turned = true;
		rows.out -= rows.first;
	} else if (p->b_turned) {
		rows.b = columns;
		rows.b_step = n1 - n0;
	}
	thread->plan->kernels.product(&rows);
}

/* Rows [m0, m1) times the packed columns; rows of a turned matrix are put right first. */
static void block(const struct product *p, struct vrs_cpu_thread *thread, const float *packed, float *turned, int64_t m0, int64_t m1, int64_t n0,
		  int64_t n1)
{
	const float *a = p->a + m0 * p->a_row;
	if (p->a_column != 1) {
		vrs_cpu_transpose_plane(turned, p->k, a, m1 - m0, p->k, p->a_column);
		a = turned;
	}
	if (is_dots(p)) {
		dot_columns(p, thread, a, packed, m0, m1);
		return;
	}
	if (is_few_rows(p)) {
		few_rows(p, thread, a, packed, n0, n1);
		return;
	}
	struct vrs_conv_row row = {
		.seg = &a, .segs = 1, .klen = (int)p->k, .in_px = p->k, .pixels = (int)(m1 - m0), .n = (int)(n1 - n0), .weights = packed,
		.bias = thread->plan->zeros, .out = p->out + m0 * p->n + n0, .out_px = p->n,
	};
	VRS_ASSERT(thread->plan->zero_floats >= VRS_CPU_MATMUL_COLUMNS);
	thread->plan->kernels.conv(&row);
}

/* The unit of work: a chunk of rows of a block of columns of a matrix, rows first, so that a block is packed once by a thread. */
void vrs_cpu_flat_matmul(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	struct vrs_eval e = vrs_cpu_whole(op, thread);
	struct product p = product_of(&e, 0);
	int64_t chunks = (p.m + VRS_CPU_MATMUL_ROWS - 1) / VRS_CPU_MATMUL_ROWS, blocks = (p.n + VRS_CPU_MATMUL_COLUMNS - 1) / VRS_CPU_MATMUL_COLUMNS;
	int64_t matrices = (int64_t)vrs_tensor_elements(&e.graph->tensors[e.node->out]) / (p.m * p.n), unit, end, packed = -1;
	float *columns = thread->scratch + op->temp_scratch, *turned = columns + (size_t)p.k * VRS_CPU_MATMUL_COLUMNS;
	(void)image;
	vrs_cpu_part_units(op, matrices * blocks * chunks, y0, y1, &unit, &end);
	for (; unit < end; unit++) {
		int64_t m0 = unit % chunks * VRS_CPU_MATMUL_ROWS, n0 = unit / chunks % blocks * VRS_CPU_MATMUL_COLUMNS;
		int64_t m1 = m0 + VRS_CPU_MATMUL_ROWS < p.m ? m0 + VRS_CPU_MATMUL_ROWS : p.m;
		int64_t n1 = n0 + VRS_CPU_MATMUL_COLUMNS < p.n ? n0 + VRS_CPU_MATMUL_COLUMNS : p.n;
		p = product_of(&e, unit / (chunks * blocks));
		if (packed != unit / chunks)
			put_columns(&p, n0, n1, thread->plan->kernels.lanes, columns);
		packed = unit / chunks;
		block(&p, thread, columns, turned, m0, m1, n0, n1);
	}
}
