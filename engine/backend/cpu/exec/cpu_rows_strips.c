/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * 3x3 convolutions of the CPU plan by strips of four rows in bfloat16 (kernels.h): pieces of strips, each with the columns that its taps reach beyond
 * it, go through input transform, products and output transform together.
 *
 * Strips lie on a grid fixed to the picture and a sum has one order, so that an output does not depend on the bands.  Where two pieces meet, two
 * columns of products belong to neither and are not read.
 */
#include <string.h>

#include "backend/cpu/exec/cpu_routines.h"
#include "backend/cpu/plan/cpu_plan_conv.h"
#include "base/assert.h"

#define BEYOND 2   /* columns that the taps of a piece reach beyond it */
#define MAX_PIECES 16

struct piece {
	int y, x0, x1;
	int at;            /* its first pixel among the transformed ones */
};

struct strips {
	const struct vrs_cpu_op *op;
	struct vrs_cpu_thread *thread;
	int image, y0, y1;
	struct piece pieces[MAX_PIECES];
	int count, pixels; /* pixels: of all pieces so far */
};

static uint16_t *transformed(const struct strips *s)
{
	return (uint16_t *)(void *)(s->thread->scratch + s->op->temp_scratch);
}

/* Columns outside the picture: zeros at each point. */
static void clear_columns(const struct strips *s, int at, int64_t columns)
{
	const struct vrs_cpu_op *op = s->op;
	for (int i = 0; i < VRS_STRIP_POINTS && columns > 0; i++)
		memset(transformed(s) + (ptrdiff_t)i * op->temp_px + (ptrdiff_t)at * op->group_in, 0,
		       (size_t)columns * (size_t)op->group_in * sizeof(uint16_t));
}

static void transform(const struct strips *s, const struct piece *piece)
{
	const struct vrs_cpu_op *op = s->op;
	const struct vrs_cpu_value *values = s->thread->plan->values;
	int64_t begin = (int64_t)piece->x0 - op->window.pad_left, end = (int64_t)piece->x1 - op->window.pad_left + BEYOND;
	int64_t width = values[op->in[0]].width, first = begin < 0 ? 0 : begin > width ? width : begin, last = end > width ? width : end;
	if (last <= first) {
		clear_columns(s, piece->at, end - begin);
		return;
	}
	clear_columns(s, piece->at, first - begin);
	clear_columns(s, piece->at + (int)(last - begin), end - last);
	uint16_t *to = transformed(s) + (piece->at + (first - begin)) * op->group_in;
	for (int k = 0; k < op->inputs; to += values[op->in[k++]].channels) {
		const struct vrs_cpu_value *in = &values[op->in[k]];
		struct vrs_strip_input strip = {
			.in_px = in->channels, .pixels = (int)(last - first), .channels = in->channels, .out = to, .out_px = op->group_in, .point = op->temp_px,
		};
		for (int i = 0; i < VRS_STRIP_POINTS; i++) {
			int64_t y = (int64_t)piece->y - op->window.pad_top + i;
			bool inside = y >= 0 && y < in->height;
			strip.rows[i] = inside ? vrs_cpu_row(s->thread, op->in[k], s->image, (int)y) + first * in->channels : s->thread->plan->zeros;
		}
		s->thread->plan->kernels.strip_input(&strip);
	}
}

static void finish(const struct strips *s, const struct piece *piece)
{
	const struct vrs_cpu_op *op = s->op;
	const struct vrs_cpu_plan *plan = s->thread->plan;
	ptrdiff_t n = op->group_out, point = vrs_cpu_strip_products(plan, op), px = point / op->block;
	struct vrs_strip_output strip = {
		.products = s->thread->scratch + op->temp_scratch + op->border_scratch + piece->at * px, .px = px, .point = point,
		.pixels = piece->x1 - piece->x0, .channels = op->group_out, .bias = plan->weights + op->bias_offset, .out_px = n,
		.epilogue = vrs_cpu_epilogue(op, s->thread, s->image, s->y0, 0),
	};
	for (int i = 0; i < VRS_STRIP_ROWS; i++) {
		int y = piece->y + i;
		bool wanted = y >= s->y0 && y < s->y1;
		strip.out[i] = wanted ? vrs_cpu_out_row(s->thread, op->out, s->image, y) + piece->x0 * n : NULL;
		if (wanted && op->fused_residual)
			strip.residual[i] = vrs_cpu_row(s->thread, op->residual, s->image, y) + piece->x0 * n;
	}
	plan->kernels.strip_output(&strip);
}

/* The products of all pieces, and their outputs. */
static void flush(struct strips *s)
{
	const struct vrs_cpu_op *op = s->op;
	const struct vrs_cpu_plan *plan = s->thread->plan;
	ptrdiff_t point = vrs_cpu_strip_products(plan, op);
	for (int i = 0; i < VRS_STRIP_POINTS && s->count > 0; i++) {
		const uint16_t *in = transformed(s) + (ptrdiff_t)i * op->temp_px;
		plan->kernels.conv_bf16(&(struct vrs_conv_bf16_row){
			.seg = &in, .segs = 1, .klen = (BEYOND + 1) * op->group_in, .in_px = op->group_in, .pixels = s->pixels - BEYOND, .n = op->group_out,
			.weights = plan->half_weights + op->weights_offset + (ptrdiff_t)(op->weights_count / VRS_STRIP_POINTS) * i, .bias = plan->zeros,
			.out = s->thread->scratch + op->temp_scratch + op->border_scratch + point * i, .out_px = point / op->block,
		});
	}
	for (int i = 0; i < s->count; i++)
		finish(s, &s->pieces[i]);
	s->count = s->pixels = 0;
}

void vrs_cpu_rows_strips(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	struct strips s = {.op = op, .thread = thread, .image = image, .y0 = y0, .y1 = y1};
	for (int y = y0 / VRS_STRIP_ROWS * VRS_STRIP_ROWS; y < y1; y += VRS_STRIP_ROWS) {
		int x, end;
		vrs_cpu_share_columns(op, thread, y, y0, y1, &x, &end);
		while (x < end) {
			if (s.count == MAX_PIECES || (s.count > 0 && end - x > op->block - s.pixels - BEYOND))
				flush(&s);
			int columns = op->block - s.pixels - BEYOND;
			columns = columns < end - x ? columns : end - x;
			VRS_ASSERT(columns > 0);
			struct piece *piece = &s.pieces[s.count++];
			*piece = (struct piece){y, x, x + columns, s.pixels};
			s.pixels += columns + BEYOND;
			x += columns;
			transform(&s, piece);
		}
	}
	flush(&s);
}
