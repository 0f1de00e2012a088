/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reductions over axes. Sums of floats in double, integers in 64 bits. */
#include <math.h>

#include "graph/eval_ops.h"
#include "graph/eval_rows.h"

/* The strides of x along the axes that stay, and a tensor with the dims of those that go. */
struct split {
	int64_t kept[VRS_MAX_RANK], gone[VRS_MAX_RANK];
	struct vrs_graph_tensor inner;
};

static void split_axes(const struct vrs_eval *e, uint32_t mask, bool keep_dims, struct split *split)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0);
	int64_t strides[VRS_MAX_RANK];
	int kept = 0;

	split->inner.rank = 0;
	vrs_dense_strides(x, strides);
	for (int i = 0; i < x->rank; i++)
		if (mask & 1u << i) {
			split->gone[split->inner.rank] = strides[i];
			split->inner.dims[split->inner.rank++] = x->dims[i];
			if (keep_dims)
				split->kept[kept++] = 0;
		} else {
			split->kept[kept++] = strides[i];
		}
}

/* Call make for each output: its number, and the element of x where its inner space starts. */
static void make_outputs(const struct vrs_eval *e, uint32_t mask, bool keep_dims,
			 void (*make)(const struct vrs_eval *e, const struct split *split, size_t to, int64_t first))
{
	struct split split = {.inner = {.rank = 0}};
	struct vrs_rows rows;
	size_t to = 0;

	split_axes(e, mask, keep_dims, &split);
	vrs_rows_init(&rows, vrs_eval_out(e));
	vrs_rows_add_strides(&rows, split.kept, 0);
	if (!vrs_rows_start(&rows))
		return;
	do
		for (int64_t i = 0; i < rows.n; i++)
			make(e, &split, to++, rows.offset[0] + i * rows.step[0]);
	while (vrs_rows_next(&rows));
}

struct sum {
	double value;
	int64_t integer;
	bool any;
};

/* NaN stays. */
static void add_float(enum vrs_reduce op, struct sum *sum, double x, double most)
{
	switch (op) {
	case VRS_REDUCE_MEAN:
	case VRS_REDUCE_SUM:
	case VRS_REDUCE_LOG_SUM: sum->value += x; break;
	case VRS_REDUCE_MAX: sum->value = !sum->any || x > sum->value || isnan(x) ? x : sum->value; break;
	case VRS_REDUCE_MIN: sum->value = !sum->any || x < sum->value || isnan(x) ? x : sum->value; break;
	case VRS_REDUCE_PROD: sum->value *= x; break;
	case VRS_REDUCE_L1: sum->value += fabs(x); break;
	case VRS_REDUCE_L2:
	case VRS_REDUCE_SUM_SQUARE: sum->value += x * x; break;
	case VRS_REDUCE_LOG_SUM_EXP: sum->value += exp(x - most); break;
	case VRS_REDUCE_COUNT: break;
	}
	sum->any = true;
}

static void add_integer(enum vrs_reduce op, struct sum *sum, int64_t x, bool is_unsigned)
{
	uint64_t ux = (uint64_t)x, have = (uint64_t)sum->integer;
	bool more = is_unsigned ? ux > have : x > sum->integer, less = is_unsigned ? ux < have : x < sum->integer;

	switch (op) {
	case VRS_REDUCE_MAX: sum->integer = !sum->any || more ? x : sum->integer; break;
	case VRS_REDUCE_MIN: sum->integer = !sum->any || less ? x : sum->integer; break;
	case VRS_REDUCE_PROD: sum->integer = (int64_t)(have * ux); break;
	case VRS_REDUCE_L1: sum->integer = (int64_t)(have + (x < 0 && !is_unsigned ? 0 - ux : ux)); break;
	case VRS_REDUCE_SUM_SQUARE: sum->integer = (int64_t)(have + ux * ux); break;
	default: sum->integer = (int64_t)(have + ux); break;
	}
	sum->any = true;
}

/* Add all elements of the inner space that starts at element `first` of x. */
static struct sum reduce_at(const struct vrs_eval *e, const struct split *split, int64_t first, enum vrs_reduce op, bool floats, double most)
{
	enum vrs_dtype dtype = vrs_eval_in(e, 0)->dtype;
	struct sum sum = {.value = op == VRS_REDUCE_PROD, .integer = op == VRS_REDUCE_PROD};
	struct vrs_rows rows;

	vrs_rows_init(&rows, &split->inner);
	vrs_rows_add_strides(&rows, split->gone, first);
	if (!vrs_rows_start(&rows))
		return sum;
	do {
		for (int64_t i = 0; i < rows.n; i++) {
			size_t k = (size_t)(rows.offset[0] + i * rows.step[0]);

			if (dtype == VRS_F32)
				add_float(op, &sum, (double)((const float *)e->in[0])[k], most);
			else if (floats)
				add_float(op, &sum, vrs_load_f64(dtype, e->in[0], k), most);
			else
				add_integer(op, &sum, vrs_load_i64(dtype, e->in[0], k), dtype == VRS_U64);
		}
	} while (vrs_rows_next(&rows));
	return sum;
}

static double finish_float(enum vrs_reduce op, const struct sum *sum, double count, double most)
{
	switch (op) {
	case VRS_REDUCE_MEAN: return sum->value / count;
	case VRS_REDUCE_MAX: return sum->any ? sum->value : -INFINITY;
	case VRS_REDUCE_MIN: return sum->any ? sum->value : INFINITY;
	case VRS_REDUCE_L2: return sqrt(sum->value);
	case VRS_REDUCE_LOG_SUM: return log(sum->value);
	case VRS_REDUCE_LOG_SUM_EXP: return sum->any ? most + log(sum->value) : -INFINITY;
	default: return sum->value;
	}
}

/* Functions with a root or a logarithm go through double also for integers. */
static bool in_double(enum vrs_reduce op, enum vrs_dtype dtype)
{
	return vrs_dtype_is_float(dtype) || op == VRS_REDUCE_L2 || op == VRS_REDUCE_LOG_SUM || op == VRS_REDUCE_LOG_SUM_EXP;
}

static void reduce_one(const struct vrs_eval *e, const struct split *split, size_t to, int64_t first)
{
	size_t count = vrs_tensor_elements(&split->inner);
	enum vrs_dtype dtype = vrs_eval_out(e)->dtype;
	enum vrs_reduce op = e->node->u.reduce.op;
	bool floats = in_double(op, dtype);
	double most = 0;
	struct sum sum;

	if (op == VRS_REDUCE_LOG_SUM_EXP) {
		sum = reduce_at(e, split, first, VRS_REDUCE_MAX, floats, 0);
		most = sum.any && isfinite(sum.value) ? sum.value : 0;
	}
	sum = reduce_at(e, split, first, op, floats, most);
	if (floats)
		vrs_store_f64(dtype, e->out, to, finish_float(op, &sum, (double)count, most));
	else
		vrs_store_i64(dtype, e->out, to, op == VRS_REDUCE_MEAN && count > 0 ? sum.integer / (int64_t)count : sum.integer);
}

void vrs_eval_reduce(const struct vrs_eval *e)
{
	make_outputs(e, vrs_reduce_axes(e->node, vrs_eval_in(e, 0)->rank), e->node->u.reduce.keep_dims, reduce_one);
}

/* Does element a of x beat element b? */
static bool beats(const struct vrs_eval *e, int64_t a, int64_t b)
{
	enum vrs_dtype dtype = vrs_eval_in(e, 0)->dtype;
	bool smallest = e->node->u.arg.smallest, last = e->node->u.arg.last;

	if (vrs_dtype_is_float(dtype)) {
		double x = vrs_load_f64(dtype, e->in[0], (size_t)a), y = vrs_load_f64(dtype, e->in[0], (size_t)b);

		return x == y ? last : smallest ? x < y : x > y;
	} else {
		int64_t x = vrs_load_i64(dtype, e->in[0], (size_t)a), y = vrs_load_i64(dtype, e->in[0], (size_t)b);
		bool less = dtype == VRS_U64 ? (uint64_t)x < (uint64_t)y : x < y;

		return x == y ? last : less == smallest;
	}
}

static void find_best(const struct vrs_eval *e, const struct split *split, size_t to, int64_t first)
{
	int64_t best = 0;

	for (int64_t k = 1; k < split->inner.dims[0]; k++)
		if (beats(e, first + k * split->gone[0], first + best * split->gone[0]))
			best = k;
	((int64_t *)e->out)[to] = best;
}

void vrs_eval_arg_reduce(const struct vrs_eval *e)
{
	make_outputs(e, 1u << e->node->u.arg.axis, e->node->u.arg.keep_dims, find_best);
}
