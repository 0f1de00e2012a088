/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Normalisations and products of activations on the CPU.  Sums run in LANES partial sums, which compilers turn into vectors, and are added in a fixed
 * order.  Variances are taken around the mean in a second pass: a single pass over squares loses digits where the mean is large.
 */
#include <math.h>
#include <string.h>

#include "backend/cpu/exec/cpu_routines.h"

enum { LANES = 8 };

static float add_lanes(const float lanes[LANES])
{
	return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

static float sum_of(const float *x, size_t count)
{
	float lanes[LANES] = {0};
	size_t i = 0;
	for (; i + LANES <= count; i += LANES)
		for (int k = 0; k < LANES; k++)
			lanes[k] += x[i + (size_t)k];
	for (int k = 0; i < count; i++, k++)
		lanes[k] += x[i];
	return add_lanes(lanes);
}

static float squares_around(const float *x, size_t count, float mean)
{
	float lanes[LANES] = {0};
	size_t i = 0;
	for (; i + LANES <= count; i += LANES)
		for (int k = 0; k < LANES; k++) {
			float d = x[i + (size_t)k] - mean;
			lanes[k] += d * d;
		}
	for (int k = 0; i < count; i++, k++)
		lanes[k] += (x[i] - mean) * (x[i] - mean);
	return add_lanes(lanes);
}

void vrs_cpu_layer_norm(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *x = &e->graph->tensors[e->node->in[0]];
	const float *scale = e->in[1], *bias = e->in[2];
	int axis = e->node->u.norm.axis < 0 ? e->node->u.norm.axis + x->rank : e->node->u.norm.axis;
	size_t count = 1, rows;
	for (int i = axis; i < x->rank; i++)
		count *= (size_t)x->dims[i];
	rows = count > 0 ? vrs_tensor_elements(x) / count : 0;
	for (size_t r = 0; r < rows; r++) {
		const float *from = (const float *)e->in[0] + r * count;
		float *to = (float *)e->out + r * count;
		float mean = sum_of(from, count) / (float)count;
		float factor = 1.0f / sqrtf(squares_around(from, count, mean) / (float)count + e->node->u.norm.epsilon);
		for (size_t i = 0; i < count; i++)
			to[i] = (from[i] - mean) * factor;
		for (size_t i = 0; scale && i < count; i++)
			to[i] *= scale[i];
		for (size_t i = 0; bias && i < count; i++)
			to[i] += bias[i];
	}
}

/* Channels are taken in blocks, whose sums stay in registers while the pixels pass. */
enum { CHANNELS = 16 };

struct block {
	const float *in;        /* first pixel, first channel of the block */
	int64_t pixels, stride; /* stride: channels of the map */
	int count;              /* channels of the block */
};

static void block_sums(const struct block *b, const float *mean, double *sums)
{
	enum { ROUND = 256 }; /* pixels whose sum is a float: longer sums lose digits */
	memset(sums, 0, CHANNELS * sizeof *sums);
	for (int64_t p0 = 0; p0 < b->pixels; p0 += ROUND) {
		int64_t p1 = p0 + ROUND < b->pixels ? p0 + ROUND : b->pixels;
		float part[CHANNELS] = {0};
		for (int64_t p = p0; p < p1; p++)
			for (int c = 0; c < b->count; c++) {
				float v = b->in[p * b->stride + c];
				part[c] += mean ? (v - mean[c]) * (v - mean[c]) : v;
			}
		for (int c = 0; c < b->count; c++)
			sums[c] += (double)part[c];
	}
}

/* One value a channel: the mean of values over each group of `group` neighbours. */
static void share(double *values, int64_t channels, int64_t group, double count)
{
	for (int64_t g = 0; g < channels; g += group) {
		double sum = 0;
		for (int64_t c = g; c < g + group; c++)
			sum += values[c];
		for (int64_t c = g; c < g + group; c++)
			values[c] = sum / (count * (double)group);
	}
}

/* One batch entry whose groups have at most CHANNELS channels, which begin at `first`. */
static void normalise(const struct vrs_eval *e, const struct block *b, float *out, int64_t first, int64_t group)
{
	const float *scale = (const float *)e->in[1] + first, *bias = (const float *)e->in[2] + first;
	double sums[CHANNELS];
	float mean[CHANNELS] = {0}, factor[CHANNELS] = {0};
	block_sums(b, NULL, sums);
	share(sums, b->count, group, (double)b->pixels);
	for (int c = 0; c < b->count; c++)
		mean[c] = (float)sums[c];
	block_sums(b, mean, sums);
	share(sums, b->count, group, (double)b->pixels);
	for (int c = 0; c < b->count; c++)
		factor[c] = scale[c] / sqrtf((float)sums[c] + e->node->u.norm.epsilon);
	for (int64_t p = 0; p < b->pixels; p++)
		for (int c = 0; c < b->count; c++)
			out[p * b->stride + c] = (b->in[p * b->stride + c] - mean[c]) * factor[c] + bias[c];
}

void vrs_cpu_instance_norm(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *x = &e->graph->tensors[e->node->in[0]];
	int64_t channels = x->dims[3], pixels = x->dims[1] * x->dims[2], group = e->node->u.norm.groups > 0 ? channels / e->node->u.norm.groups : 1;
	if (group > CHANNELS) {
		vrs_node_eval(e);
		return;
	}
	int64_t each = CHANNELS / group * group;
	for (int64_t n = 0; n < x->dims[0]; n++)
		for (int64_t c = 0; c < channels; c += each) {
			int64_t count = channels - c < each ? channels - c : each;
			struct block b = {(const float *)e->in[0] + n * pixels * channels + c, pixels, channels, (int)count};
			normalise(e, &b, (float *)e->out + n * pixels * channels + c, c, group);
		}
}

/* out[m][n] of one pair of matrices, the right one with its columns side by side: rows of b are added up with factors from a. */
static void add_rows(float *out, const float *a, int64_t a_row, int64_t a_column, const float *b, int64_t m, int64_t n, int64_t k)
{
	for (int64_t i = 0; i < m; i++) {
		float *to = out + i * n;
		memset(to, 0, (size_t)n * sizeof *to);
		for (int64_t j = 0; j < k; j++) {
			float factor = a[i * a_row + j * a_column];
			const float *from = b + j * n;
			for (int64_t c = 0; c < n; c++)
				to[c] += factor * from[c];
		}
	}
}

static float dot(const float *a, const float *b, int64_t count)
{
	float lanes[LANES] = {0};
	int64_t i = 0;
	for (; i + LANES <= count; i += LANES)
		for (int k = 0; k < LANES; k++)
			lanes[k] += a[i + k] * b[i + k];
	for (int k = 0; i < count; i++, k++)
		lanes[k] += a[i] * b[i];
	return add_lanes(lanes);
}

/* Batches of equal number on both sides, or one matrix on the right. Others are for the reference. */
void vrs_cpu_matmul(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *a = &e->graph->tensors[e->node->in[0]], *b = &e->graph->tensors[e->node->in[1]];
	bool ta = e->node->u.matmul.transpose_a, tb = e->node->u.matmul.transpose_b;
	bool same = a->rank == b->rank && a->rank >= 2;
	for (int i = 0; same && i < a->rank - 2; i++)
		same = a->dims[i] == b->dims[i];
	if (a->rank < 2 || b->rank < 2 || !(same || b->rank == 2) || (ta && tb)) {
		vrs_node_eval(e);
		return;
	}
	int64_t rows = a->dims[a->rank - 2], columns = a->dims[a->rank - 1], m = ta ? columns : rows, k = ta ? rows : columns;
	int64_t n = b->dims[b->rank - (tb ? 2 : 1)], matrices = 1;
	for (int i = 0; i < a->rank - 2; i++)
		matrices *= a->dims[i];
	for (int64_t i = 0; i < matrices; i++) {
		const float *pa = (const float *)e->in[0] + i * m * k, *pb = (const float *)e->in[1] + (b->rank == 2 ? 0 : i * k * n);
		float *out = (float *)e->out + i * m * n;
		if (!tb)
			add_rows(out, pa, ta ? 1 : k, ta ? m : 1, pb, m, n, k);
		else
			for (int64_t r = 0; r < m; r++)
				for (int64_t c = 0; c < n; c++)
					out[r * n + c] = dot(pa + r * k, pb + c * k, k);
	}
}
