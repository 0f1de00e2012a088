/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dense convolutions with bfloat16 products: rows of the input become bfloat16 once (unless the arena has them so), with their zero columns and the
 * factors of a squeeze-excitation, and lie in a small ring of the thread's scratch while windows need them.  All inputs are rounded, whatever
 * region made them, so that results do not depend on regions.
 */
#include <string.h>

#include "backend/cpu/exec/cpu_routines.h"
#include "backend/cpu/plan/cpu_plan_conv.h"
#include "backend/cpu/plan/cpu_plan_reach.h"
#include "base/assert.h"

/* Row iy of the input as bfloat16 with its zero columns. */
static const uint16_t *bf16_row(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int iy)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *in = &plan->values[op->in[0]];
	int slot = iy % op->temp_rows;
	uint16_t *ring = (uint16_t *)(void *)(thread->scratch + op->temp_scratch), *row = ring + (ptrdiff_t)slot * op->temp_px;
	float *tag = thread->scratch + op->tag_scratch + slot;
	float *scaled = thread->scratch + op->temp_scratch + ((size_t)op->temp_rows * (size_t)op->temp_px + 1) / 2;
	size_t left = (size_t)op->window.pad_left * (size_t)in->channels, count = vrs_cpu_row_floats(in);
	VRS_ASSERT(iy >= 0 && iy < in->height && left + count <= (size_t)op->temp_px);
	if (*tag == (float)(iy + 1))
		return row;
	bool stored = in->half && in->region != op->region;
	const float *from = stored ? scaled : vrs_cpu_row(thread, op->in[0], image, iy);
	const uint16_t *halves = (const uint16_t *)(const void *)(stored ? vrs_cpu_arena_row(thread, in, image, iy) : NULL);
	memset(row, 0, left * sizeof *row);
	memset(row + left + count, 0, ((size_t)op->temp_px - left - count) * sizeof *row);
	if (stored && op->scale < 0) {
		memcpy(row + left, halves, count * sizeof *row);
	} else {
		if (stored)
			plan->widen(halves, scaled, count);
		if (op->scale >= 0) {
			plan->kernels.eltwise(&(struct vrs_eltwise_row){
				.op = VRS_KBIN_MUL, .a = from, .a_px = in->channels, .a_ch = 1, .b_ch = 1, .pixels = in->width, .channels = in->channels,
				.b = vrs_cpu_scale_row(op, thread, image), .out = scaled, .out_px = in->channels,
			});
			from = scaled;
		}
		plan->narrow(from, row + left, count);
	}
	*tag = (float)(iy + 1);
	return row;
}

/* Rows of windows: KH segments of KW * Cin, or KH * KW of Cin when dilated. */
static void segments(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y, const uint16_t **seg)
{
	const struct vrs_window *w = &op->window;
	int height = thread->plan->values[op->in[0]].height, each = w->dilation_w == 1 ? 1 : w->kernel_w;
	for (int ky = 0; ky < w->kernel_h; ky++) {
		int64_t iy = (int64_t)y * w->stride_h - w->pad_top + (int64_t)ky * w->dilation_h;
		const uint16_t *row = (const uint16_t *)(const void *)thread->plan->zeros;
		if (iy >= 0 && iy < height)
			row = bf16_row(op, thread, image, (int)iy);
		for (int kx = 0; kx < each; kx++)
			seg[ky * each + kx] = row + (ptrdiff_t)kx * w->dilation_w * op->group_in;
	}
}

/* Output rows from y that one call can make: those of a pointwise convolution whose rows lie in the ring one after the other. */
static int rows_at_once(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int y, int y1)
{
	int most = vrs_cpu_op_is_pointwise(thread->plan, op) ? op->temp_rows - y % op->temp_rows : 1, rows = y1 - y < most ? y1 - y : most;
	bool dense = rows > 1 && vrs_cpu_rows_dense(thread, op->out, y, y + rows) &&
		     (!op->fused_residual || vrs_cpu_rows_dense(thread, op->residual, y, y + rows));
	return dense ? rows : 1;
}

void vrs_cpu_rows_conv_bf16(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *out = &plan->values[op->out];
	const uint16_t **seg = (const uint16_t **)(void *)thread->seg;
	int klen, segs = vrs_cpu_conv_segments(op, &klen);
	for (int y = y0; y < y1;) {
		int rows = rows_at_once(op, thread, y, y1);
		for (int i = rows - 1; i >= 0; i--) /* the first row last: seg stays with it */
			segments(op, thread, image, y + i, seg);
		struct vrs_conv_bf16_row row = {
			.seg = seg, .segs = segs, .klen = klen,
			.in_px = (ptrdiff_t)op->window.stride_w * op->group_in, .pixels = out->width * rows, .n = op->group_out,
			.weights = plan->half_weights + op->weights_offset, .bias = plan->weights + op->bias_offset,
			.out = vrs_cpu_out_row(thread, op->out, image, y), .out_px = out->channels, .epilogue = vrs_cpu_epilogue(op, thread, image, y, 0),
		};
		plan->kernels.conv_bf16(&row);
		y += rows;
	}
}
