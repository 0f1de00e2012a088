/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Normalisations on the CPU.  Variances are taken around the mean in a second pass: a single pass over squares loses digits where the mean is large.
 */
#include <math.h>
#include <string.h>

#include "backend/cpu/exec/cpu_flat.h"
#include "backend/cpu/exec/cpu_routines.h"
#include "backend/cpu/plan/cpu_plan_flat.h"
#include "graph/eval_ops.h"

enum { LINE = 4096, ROUND = 256 }; /* values, and pixels, whose sum is a float: longer sums lose digits */

static double line_sum(const struct vrs_kernels *kernels, enum vrs_kernel_reduce op, const float *x, size_t count, float shift)
{
	double sum = 0;
	for (size_t i = 0; i < count; i += LINE)
		sum += (double)kernels->reduce_line(op, x + i, count - i < LINE ? count - i : LINE, shift);
	return sum;
}

/* One line: `count` values that have one mean. */
static void normalise_line(const struct vrs_kernels *kernels, const struct vrs_eval *e, const float *from, float *to, size_t count)
{
	float mean = (float)(line_sum(kernels, VRS_KRED_SUM, from, count, 0.0f) / (double)count);
	double squares = line_sum(kernels, VRS_KRED_SQUARE, from, count, mean);
	float factor = 1.0f / sqrtf((float)(squares / (double)count) + e->node->u.norm.epsilon);
	kernels->norm_line(from, count, mean, factor, e->in[1], e->in[2], to);
}

/* The unit of work is a line. */
void vrs_cpu_flat_layer_norm(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	struct vrs_eval e = vrs_cpu_whole(op, thread);
	const struct vrs_graph_tensor *x = vrs_eval_in(&e, 0);
	int axis = e.node->u.norm.axis < 0 ? e.node->u.norm.axis + x->rank : e.node->u.norm.axis;
	int64_t count = 1, first, end;
	(void)image;
	for (int i = axis; i < x->rank; i++)
		count *= x->dims[i];
	vrs_cpu_part_units(op, (int64_t)vrs_tensor_elements(x) / count, y0, y1, &first, &end);
	for (int64_t r = first; r < end; r++)
		normalise_line(&thread->plan->kernels, &e, (const float *)e.in[0] + r * count, (float *)e.out + r * count, (size_t)count);
}

/* Some channels of one batch entry, and room for their sums, means and factors. */
struct block {
	const struct vrs_kernels *kernels;
	const float *in;
	int64_t pixels, stride; /* stride: channels of the map */
	int count;              /* channels of the block */
	double *sums;
	float *part, *mean, *factor;
};

static void block_sums(const struct block *b, enum vrs_kernel_reduce op, const float *shift)
{
	memset(b->sums, 0, (size_t)b->count * sizeof *b->sums);
	for (int64_t p = 0; p < b->pixels; p += ROUND) {
		int rows = (int)(b->pixels - p < ROUND ? b->pixels - p : ROUND);
		b->kernels->reduce_rows(op, b->in + p * b->stride, b->stride, rows, b->count, shift, b->part);
		for (int c = 0; c < b->count; c++)
			b->sums[c] += (double)b->part[c];
	}
}

/* One value a channel: the mean of sums over each group of `group` neighbours. */
static void share(const struct block *b, int64_t group)
{
	for (int64_t g = 0; g < b->count; g += group) {
		double sum = 0;
		for (int64_t c = g; c < g + group; c++)
			sum += b->sums[c];
		for (int64_t c = g; c < g + group; c++)
			b->sums[c] = sum / ((double)b->pixels * (double)group);
	}
}

static void normalise(const struct vrs_eval *e, const struct block *b, float *out, int64_t first, int64_t group)
{
	const float *scale = (const float *)e->in[1] + first, *bias = (const float *)e->in[2] + first;
	block_sums(b, VRS_KRED_SUM, NULL);
	share(b, group);
	for (int c = 0; c < b->count; c++)
		b->mean[c] = (float)b->sums[c];
	block_sums(b, VRS_KRED_SQUARE, b->mean);
	share(b, group);
	for (int c = 0; c < b->count; c++)
		b->factor[c] = scale[c] / sqrtf((float)b->sums[c] + e->node->u.norm.epsilon);
	for (int64_t p = 0; p < b->pixels; p += ROUND) /* as the kernel counts pixels */
		b->kernels->norm_rows(b->in + p * b->stride, b->stride, (int)(b->pixels - p < ROUND ? b->pixels - p : ROUND), b->count, b->mean, b->factor,
				      bias, out + p * b->stride);
}

/* The unit of work is a block of groups of one batch entry. */
void vrs_cpu_flat_instance_norm(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	struct vrs_eval e = vrs_cpu_whole(op, thread);
	const struct vrs_graph_tensor *x = vrs_eval_in(&e, 0);
	int64_t channels = x->dims[3], pixels = x->dims[1] * x->dims[2], group = e.node->u.norm.groups > 0 ? channels / e.node->u.norm.groups : 1;
	int64_t each = vrs_cpu_norm_block(channels, group), blocks = (channels + each - 1) / each, unit, end;
	struct block b = {.kernels = &thread->plan->kernels, .pixels = pixels, .stride = channels};
	(void)image;
	b.sums = (double *)(void *)(thread->scratch + op->temp_scratch);
	b.part = (float *)(void *)(b.sums + each);
	b.mean = b.part + each;
	b.factor = b.mean + each;
	vrs_cpu_part_units(op, x->dims[0] * blocks, y0, y1, &unit, &end);
	for (; unit < end; unit++) {
		int64_t c = unit % blocks * each, at = unit / blocks * pixels * channels + c;
		b.in = (const float *)e.in[0] + at;
		b.count = (int)(channels - c < each ? channels - c : each);
		normalise(&e, &b, (float *)e.out + at, c, group);
	}
}
