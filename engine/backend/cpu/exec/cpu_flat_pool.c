/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pools that have no row kernel: averages whose last window counts fewer padded places, and the places of the largest values. */
#include <math.h>
#include <string.h>

#include "backend/cpu/exec/cpu_flat.h"
#include "backend/cpu/exec/cpu_routines.h"
#include "graph/eval_ops.h"

/* One window: its valid taps are rows [y0, y1) and columns [x0, x1) of the kernel; `counted` places make the average. */
struct pool_window {
	int64_t top, left;
	int y0, y1, x0, x1, counted;
};

/* Taps [*first, *end) that are at least 0 and below n, and how many are below n + pad_end too. */
static int valid_taps(int64_t at, int kernel, int dilation, int64_t n, int64_t pad_end, int *first, int *end)
{
	int counted = 0;
	*first = kernel;
	*end = 0;
	for (int k = 0; k < kernel; k++) {
		int64_t place = at + (int64_t)k * dilation;
		counted += place < n + pad_end;
		if (place < 0 || place >= n)
			continue;
		*first = k < *first ? k : *first;
		*end = k + 1;
	}
	return counted;
}

static struct pool_window window_at(const struct vrs_window *w, const struct vrs_graph_tensor *x, int64_t oy, int64_t ox)
{
	struct pool_window p = {.top = oy * w->stride_h - w->pad_top, .left = ox * w->stride_w - w->pad_left};
	int rows = valid_taps(p.top, w->kernel_h, w->dilation_h, x->dims[1], w->pad_bottom, &p.y0, &p.y1);
	int columns = valid_taps(p.left, w->kernel_w, w->dilation_w, x->dims[2], w->pad_right, &p.x0, &p.x1);
	bool any = p.y1 > p.y0 && p.x1 > p.x0;
	p.counted = w->count_pad ? rows * columns : any ? (p.y1 - p.y0) * (p.x1 - p.x0) : 0;
	return p;
}

static void average(const struct vrs_eval *e, const struct pool_window *p, const float *in, float *out)
{
	const struct vrs_window *w = &e->node->u.window;
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0);
	int64_t channels = x->dims[3];
	memset(out, 0, (size_t)channels * sizeof *out);
	for (int ky = p->y0; ky < p->y1; ky++)
		for (int kx = p->x0; kx < p->x1; kx++) {
			const float *from = in + ((p->top + (int64_t)ky * w->dilation_h) * x->dims[2] + p->left + (int64_t)kx * w->dilation_w) * channels;
			for (int64_t c = 0; c < channels; c++)
				out[c] += from[c];
		}
	for (int64_t c = 0; c < channels; c++)
		out[c] /= (float)(p->counted > 0 ? p->counted : 1);
}

/* Places count through [N][C][H][W], or with column_major [N][C][W][H]; without any valid tap the place is 0. */
static void places(const struct vrs_eval *e, const struct pool_window *p, const float *in, int64_t map, float *most, int64_t *out)
{
	const struct vrs_window *w = &e->node->u.window;
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0);
	int64_t channels = x->dims[3], pixels = x->dims[1] * x->dims[2];
	memset(out, 0, (size_t)channels * sizeof *out);
	for (int ky = p->y0; ky < p->y1; ky++)
		for (int kx = p->x0; kx < p->x1; kx++) {
			int64_t y = p->top + (int64_t)ky * w->dilation_h, column = p->left + (int64_t)kx * w->dilation_w;
			int64_t place = w->column_major ? column * x->dims[1] + y : y * x->dims[2] + column;
			const float *from = in + (y * x->dims[2] + column) * channels;
			bool start = ky == p->y0 && kx == p->x0;
			for (int64_t c = 0; c < channels; c++) {
				bool better = start | (from[c] > most[c]);
				most[c] = better ? from[c] : most[c];
				out[c] = better ? (map + c) * pixels + place : out[c];
			}
		}
}

/* The unit of work: a row of the output. */
void vrs_cpu_flat_pool(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	struct vrs_eval e = vrs_cpu_whole(op, thread);
	const struct vrs_graph_tensor *x = vrs_eval_in(&e, 0), *y = vrs_eval_out(&e);
	int64_t channels = y->dims[3], row, end;
	(void)image;
	vrs_cpu_part_units(op, y->dims[0] * y->dims[1], y0, y1, &row, &end);
	for (; row < end; row++)
		for (int64_t ox = 0; ox < y->dims[2]; ox++) {
			int64_t n = row / y->dims[1], to = (row * y->dims[2] + ox) * channels;
			struct pool_window p = window_at(&e.node->u.window, x, row % y->dims[1], ox);
			const float *in = (const float *)e.in[0] + n * x->dims[1] * x->dims[2] * channels;
			if (e.node->op == VRS_OP_POOL_INDEX)
				places(&e, &p, in, n * channels, thread->scratch + op->temp_scratch, (int64_t *)e.out + to);
			else
				average(&e, &p, in, (float *)e.out + to);
		}
}
