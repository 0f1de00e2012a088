/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reductions over any axes on the CPU.  Neighbouring axes that both stay or both go are one; what stays innermost is a line of columns, which are
 * reduced row by row, otherwise the innermost axis is reduced as a line.  Results of some hundred values are floats, those of them doubles.
 */
#include <math.h>
#include <string.h>

#include "backend/cpu/exec/cpu_flat.h"
#include "backend/cpu/exec/cpu_routines.h"
#include "backend/cpu/plan/cpu_plan_flat.h"
#include "base/assert.h"
#include "graph/eval_ops.h"

enum {
	LINE = 4096,
	ROWS = 256,
	SHORT_LINE = 128, /* shorter ones are reduced many at a time */
};

/* Axes of a reduction, merged; those of 1 are left out, unless a batch of more would part others: sums have one order for any batch. */
struct axes {
	int count;
	int64_t dims[VRS_MAX_RANK], steps[VRS_MAX_RANK];
	bool gone[VRS_MAX_RANK];
};

static struct axes axes_of(const struct vrs_graph_tensor *x, uint32_t mask)
{
	struct axes a = {.count = 0};
	int64_t step = 1;
	int first = VRS_MAX_RANK; /* filled from the end */
	for (int i = x->rank - 1; i >= 0; i--) {
		bool gone = mask >> i & 1;
		if (x->dims[i] == 1 && !(x->batch_dims >> i & 1))
			continue;
		if (first < VRS_MAX_RANK && a.gone[first] == gone) {
			a.dims[first] *= x->dims[i];
		} else {
			first--;
			a.dims[first] = x->dims[i];
			a.steps[first] = step;
			a.gone[first] = gone;
		}
		step *= x->dims[i];
	}
	a.count = VRS_MAX_RANK - first;
	memmove(a.dims, a.dims + first, (size_t)a.count * sizeof *a.dims);
	memmove(a.steps, a.steps + first, (size_t)a.count * sizeof *a.steps);
	memmove(a.gone, a.gone + first, (size_t)a.count * sizeof *a.gone);
	return a;
}

/* One operation: `inner` columns stay, `n` rows `step` apart go, and what is outside of both is counted. */
struct reduction {
	const struct vrs_kernels *kernels;
	enum vrs_reduce op;
	const float *in;
	struct axes outer;
	int64_t inner, n, step, kept, gone; /* kept, gone: combinations of the outer axes */
	bool columns;
	double *sums;
	float *part, *most;
};

static struct reduction reduction_of(const struct vrs_eval *e, uint32_t mask)
{
	struct reduction r = {.op = e->node->u.reduce.op, .in = e->in[0], .inner = 1, .n = 1, .kept = 1, .gone = 1};
	r.outer = axes_of(vrs_eval_in(e, 0), mask);
	struct axes *a = &r.outer;
	r.columns = a->count > 0 && !a->gone[a->count - 1];
	if (r.columns)
		r.inner = a->dims[--a->count];
	r.step = r.inner;
	if (a->count > 0 && a->gone[a->count - 1])
		r.n = a->dims[--a->count];
	for (int i = 0; i < a->count; i++)
		*(a->gone[i] ? &r.gone : &r.kept) *= a->dims[i];
	return r;
}

/* Element at which combination `index` of the outer axes of one kind begins. */
static int64_t outer_start(const struct axes *a, bool gone, int64_t index)
{
	int64_t from = 0;
	for (int i = a->count - 1; i >= 0; i--) {
		if (a->gone[i] != gone)
			continue;
		from += index % a->dims[i] * a->steps[i];
		index /= a->dims[i];
	}
	return from;
}

static enum vrs_kernel_reduce kernel_of(enum vrs_reduce op)
{
	switch (op) {
	case VRS_REDUCE_MAX: return VRS_KRED_MAX;
	case VRS_REDUCE_MIN: return VRS_KRED_MIN;
	case VRS_REDUCE_PROD: return VRS_KRED_PRODUCT;
	case VRS_REDUCE_L1: return VRS_KRED_ABS;
	case VRS_REDUCE_L2:
	case VRS_REDUCE_SUM_SQUARE: return VRS_KRED_SQUARE;
	default: return VRS_KRED_SUM;
	}
}

static double start_of(enum vrs_kernel_reduce op)
{
	return op == VRS_KRED_MAX ? -INFINITY : op == VRS_KRED_MIN ? INFINITY : op == VRS_KRED_PRODUCT ? 1 : 0;
}

static double join(enum vrs_kernel_reduce op, double a, double b)
{
	switch (op) {
	case VRS_KRED_MAX: return b > a || isnan(b) ? b : a;
	case VRS_KRED_MIN: return b < a || isnan(b) ? b : a;
	case VRS_KRED_PRODUCT: return a * b;
	default: return a + b;
	}
}

/* A line whose result is one value. */
static double along(const struct reduction *r, enum vrs_kernel_reduce op, const float *x, double total)
{
	for (int64_t i = 0; i < r->n; i += LINE)
		total = join(op, total, (double)r->kernels->reduce_line(op, x + i, (size_t)(r->n - i < LINE ? r->n - i : LINE), 0.0f));
	return total;
}

/* Columns of rows into sums. */
static void down(const struct reduction *r, enum vrs_kernel_reduce op, const float *x, int width)
{
	for (int64_t i = 0; i < r->n; i += ROWS) {
		r->kernels->reduce_rows(op, x + i * r->step, r->step, (int)(r->n - i < ROWS ? r->n - i : ROWS), width, NULL, r->part);
		for (int c = 0; c < width; c++)
			r->sums[c] = join(op, r->sums[c], (double)r->part[c]);
	}
}

/* The sum of exponentials of a line less its largest value. */
static void exponentials_along(const struct reduction *r, const float *x)
{
	for (int64_t i = 0; i < r->n; i += VRS_CPU_REDUCE_COLUMNS) {
		size_t count = (size_t)(r->n - i < VRS_CPU_REDUCE_COLUMNS ? r->n - i : VRS_CPU_REDUCE_COLUMNS);
		for (size_t k = 0; k < count; k++)
			r->part[k] = x[i + (int64_t)k] - r->most[0];
		r->kernels->act(&(struct vrs_act_row){.act = VRS_KACT_EXP, .in = r->part, .out = r->part, .count = count});
		r->sums[0] += (double)r->kernels->reduce_line(VRS_KRED_SUM, r->part, count, 0.0f);
	}
}

/* Sums of exponentials of rows less the largest value of their column. */
static void exponentials(const struct reduction *r, const float *x, int width)
{
	for (int64_t i = 0; i < r->n; i++, x += r->step) {
		for (int c = 0; c < width; c++)
			r->part[c] = x[c] - r->most[c];
		r->kernels->act(&(struct vrs_act_row){.act = VRS_KACT_EXP, .in = r->part, .out = r->part, .count = (size_t)width});
		for (int c = 0; c < width; c++)
			r->sums[c] += (double)r->part[c];
	}
}

/* r->sums of `width` columns from column c on. */
static void reduce_columns(const struct reduction *r, enum vrs_kernel_reduce op, int64_t kept, int64_t c, int width, bool exponential)
{
	for (int i = 0; i < width; i++)
		r->sums[i] = start_of(op);
	for (int64_t g = 0; g < r->gone; g++) {
		const float *x = r->in + outer_start(&r->outer, false, kept) + outer_start(&r->outer, true, g) + c;
		if (exponential && !r->columns)
			exponentials_along(r, x);
		else if (exponential)
			exponentials(r, x, width);
		else if (!r->columns)
			r->sums[0] = along(r, op, x, r->sums[0]);
		else
			down(r, op, x, width);
	}
}

static float finish(const struct reduction *r, double sum, float most)
{
	switch (r->op) {
	case VRS_REDUCE_MEAN: return (float)(sum / ((double)r->n * (double)r->gone));
	case VRS_REDUCE_L2: return (float)sqrt(sum);
	case VRS_REDUCE_LOG_SUM: return (float)log(sum);
	case VRS_REDUCE_LOG_SUM_EXP: return (float)((double)most + log(sum));
	default: return (float)sum;
	}
}

/* Short lines one after the other, as the channels of pixels are.  Quotients of floats are those of doubles, rounded. */
static void reduce_short_lines(const struct reduction *r, int64_t first, int64_t end, float *out)
{
	float count = (float)r->n;
	int lines = (int)(end - first);
	r->kernels->reduce_lines(kernel_of(r->op), r->in + first * r->n, (int)r->n, (size_t)lines, out + first);
	if (r->op == VRS_REDUCE_MEAN) {
		r->kernels->eltwise(&(struct vrs_eltwise_row){
			.op = VRS_KBIN_DIV, .a = out + first, .a_px = 1, .a_ch = 1, .b = &count, .pixels = 1, .channels = lines, .out = out + first, .out_px = lines,
		});
		return;
	}
	for (int64_t i = first; i < end && (r->op == VRS_REDUCE_L2 || r->op == VRS_REDUCE_LOG_SUM); i++)
		out[i] = finish(r, (double)out[i], 0.0f);
}

/* The unit of work: a block of columns that stay, of one combination of the outer axes that stay. */
void vrs_cpu_flat_reduce(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	struct vrs_eval e = vrs_cpu_whole(op, thread);
	struct reduction r = reduction_of(&e, vrs_reduce_axes(e.node, vrs_eval_in(&e, 0)->rank));
	int64_t blocks = (r.inner + VRS_CPU_REDUCE_COLUMNS - 1) / VRS_CPU_REDUCE_COLUMNS, unit, end;
	bool exponential = r.op == VRS_REDUCE_LOG_SUM_EXP;
	(void)image;
	r.kernels = &thread->plan->kernels;
	r.sums = (double *)(void *)(thread->scratch + op->temp_scratch);
	r.part = (float *)(void *)(r.sums + VRS_CPU_REDUCE_COLUMNS);
	r.most = r.part + VRS_CPU_REDUCE_COLUMNS;
	vrs_cpu_part_units(op, r.kept * blocks, y0, y1, &unit, &end);
	bool lines = !r.columns && r.outer.count <= 1 && r.gone == 1 && !exponential; /* one after the other */
	if (lines && r.n < SHORT_LINE && unit < end) {
		reduce_short_lines(&r, unit, end, e.out);
		return;
	}
	for (; unit < end && lines; unit++) {
		double total = along(&r, kernel_of(r.op), r.in + unit * r.n, start_of(kernel_of(r.op)));
		((float *)e.out)[unit] = finish(&r, total, 0.0f);
	}
	for (; unit < end; unit++) {
		int64_t c = unit % blocks * VRS_CPU_REDUCE_COLUMNS, kept = unit / blocks;
		int width = (int)(r.inner - c < VRS_CPU_REDUCE_COLUMNS ? r.inner - c : VRS_CPU_REDUCE_COLUMNS);
		if (exponential) {
			reduce_columns(&r, VRS_KRED_MAX, kept, c, width, false);
			for (int i = 0; i < width; i++)
				r.most[i] = isfinite(r.sums[i]) ? (float)r.sums[i] : 0.0f;
		}
		reduce_columns(&r, exponential ? VRS_KRED_SUM : kernel_of(r.op), kept, c, width, exponential);
		for (int i = 0; i < width; i++)
			((float *)e.out)[kept * r.inner + c + i] = finish(&r, r.sums[i], r.most[i]);
	}
}

/* The unit of work: a block of columns, as above; or a line, where the axis is the last. */
void vrs_cpu_flat_arg_reduce(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	struct vrs_eval e = vrs_cpu_whole(op, thread);
	const struct vrs_graph_tensor *x = vrs_eval_in(&e, 0);
	const float *in = e.in[0];
	int64_t *out = e.out;
	int64_t inner = 1, n = x->rank > 0 ? x->dims[e.node->u.arg.axis] : 1, outer = (int64_t)vrs_tensor_elements(x) / n, unit, end;
	struct vrs_arg arg = {.smallest = e.node->u.arg.smallest, .last = e.node->u.arg.last};
	(void)image;
	for (int i = e.node->u.arg.axis + 1; i < x->rank; i++)
		inner *= x->dims[i];
	outer /= inner;
	if (inner == 1) {
		vrs_cpu_part_units(op, outer, y0, y1, &unit, &end);
		thread->plan->kernels.arg_lines(&arg, in + unit * n, (int)n, (size_t)(end - unit), out + unit);
		return;
	}
	int64_t blocks = (inner + VRS_CPU_REDUCE_COLUMNS - 1) / VRS_CPU_REDUCE_COLUMNS;
	vrs_cpu_part_units(op, outer * blocks, y0, y1, &unit, &end);
	for (; unit < end; unit++) {
		int64_t c = unit % blocks * VRS_CPU_REDUCE_COLUMNS, o = unit / blocks;
		int width = (int)(inner - c < VRS_CPU_REDUCE_COLUMNS ? inner - c : VRS_CPU_REDUCE_COLUMNS);
		thread->plan->kernels.arg_rows(&arg, in + o * n * inner + c, inner, (int)n, width, out + o * inner + c);
	}
}
