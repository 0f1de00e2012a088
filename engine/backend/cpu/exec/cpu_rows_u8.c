/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations of the CPU plan on u8 values: row pointers for the kernels. */
#include <math.h>

#include "backend/cpu/exec/cpu_routines.h"
#include "backend/cpu/plan/cpu_plan_reach.h"
#include "base/assert.h"
#include "kernels/weight_pack_u8.h"

static const uint8_t *u8_row(const struct vrs_cpu_thread *thread, int id, int image, int y)
{
	return (const uint8_t *)(const void *)vrs_cpu_row(thread, id, image, y);
}

static uint8_t *u8_out_row(const struct vrs_cpu_thread *thread, int id, int image, int y)
{
	return (uint8_t *)(void *)vrs_cpu_out_row(thread, id, image, y);
}

static struct vrs_epilogue_u8 u8_epilogue(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int image, int y)
{
	VRS_ASSERT(!op->fused_residual || vrs_cpu_value_is_u8(&thread->plan->values[op->residual]));
	struct vrs_epilogue_u8 e = op->u8->epilogue;
	if (op->fused_residual) {
		e.residual = u8_row(thread, op->residual, image, y);
		e.residual_px = thread->plan->values[op->residual].channels;
	}
	return e;
}

/* Places in scratch of what scaled weights need: packed weights, then mult, bias, scales, sums and one more of working memory, stride floats each. */
struct scaled {
	int8_t *weights;
	float *mult, *bias, *scales, *work;
	int32_t *sums;
};

static struct scaled scaled_at(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread)
{
	const struct vrs_cpu_u8 *u8 = op->u8;
	float *at = thread->scratch + op->temp_scratch;
	size_t stride = (size_t)u8->stride;
	return (struct scaled){
		.mult = at, .bias = at + stride, .scales = at + 2 * stride, .sums = (int32_t *)(void *)(at + 3 * stride), .work = at + 4 * stride,
		.weights = (int8_t *)(void *)(at + 6 * stride),
	};
}

void vrs_cpu_u8_prepare(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_u8 *u8 = op->u8;
	struct scaled s = scaled_at(op, thread);
	const float *factors = vrs_cpu_scale_row(op, thread, image);
	vrs_scale_conv_u8(s.weights, s.scales, s.sums, u8->real_weights, u8->stride, factors, op->group_in, u8->k, u8->n, plan->kernels_u8.lanes, s.work);
	for (int n = 0; n < u8->stride; n++) {
		float m = u8->in_scale * s.scales[n];
		s.mult[n] = m / u8->unit;
		s.bias[n] = (u8->real_bias[n] - m * u8->in_zero * (float)s.sums[n]) / u8->unit + u8->offset;
	}
}

static void conv_weights(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, struct vrs_conv_row_u8 *row)
{
	struct scaled s = {.weights = op->u8->weights, .mult = op->u8->mult, .bias = op->u8->bias};
	if (op->scale >= 0)
		s = scaled_at(op, thread);
	row->weights = s.weights;
	row->mult = s.mult;
	row->bias = s.bias;
}

/* Row pointers of the windows of output row y, from the first column with padding on. */
static const uint8_t **window_rows(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y)
{
	const struct vrs_cpu_value *in = &thread->plan->values[op->in[0]];
	const uint8_t **rows = (const uint8_t **)(void *)thread->seg;
	for (int ky = 0; ky < op->window.kernel_h; ky++) {
		const uint8_t *row = (const uint8_t *)(const void *)vrs_cpu_tap_row(op, thread, image, y, ky);
		rows[ky] = row ? row - (ptrdiff_t)op->window.pad_left * in->channels : op->u8->pad_row;
	}
	return rows;
}

void vrs_cpu_u8_rows_conv(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
	const struct vrs_window *w = &op->window;
	bool together = vrs_cpu_op_is_pointwise(plan, op) && y1 - y0 > 1 && vrs_cpu_rows_dense(thread, op->in[0], y0, y1) &&
		vrs_cpu_rows_dense(thread, op->out, y0, y1) &&
		(!op->fused_residual || vrs_cpu_rows_dense(thread, op->residual, y0, y1));
	for (int y = y0; y < y1; y += together ? y1 - y0 : 1) {
		const uint8_t **rows = window_rows(op, thread, image, y);
		struct vrs_conv_row_u8 row = {
			.seg = rows, .segs = w->kernel_h, .klen = w->kernel_w * in->channels, .in_px = (ptrdiff_t)w->stride_w * in->channels,
			.pixels = together ? out->width * (y1 - y0) : out->width, .n = out->channels, .out_px = out->channels,
			.epilogue = u8_epilogue(op, thread, image, y),
		};
		if (w->dilation_w > 1) {
			row.segs *= w->kernel_w;
			row.klen = in->channels;
			for (int t = row.segs - 1; t >= 0; t--)
				rows[t] = rows[t / w->kernel_w] + (ptrdiff_t)(t % w->kernel_w) * w->dilation_w * in->channels;
		}
		if (vrs_cpu_value_is_u8(out))
			row.out = u8_out_row(thread, op->out, image, y);
		else
			row.out_float = vrs_cpu_out_row(thread, op->out, image, y);
		conv_weights(op, thread, &row);
		plan->kernels_u8.conv(&row);
	}
}

void vrs_cpu_u8_product(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int image, int iy, float *product)
{
	const struct vrs_cpu_value *in = &thread->plan->values[op->in[0]];
	const uint8_t *seg = u8_row(thread, op->in[0], image, iy);
	struct vrs_conv_row_u8 row = {
		.seg = &seg, .segs = 1, .klen = in->channels, .in_px = in->channels, .pixels = in->width, .n = op->temp_px, .weights = op->u8->weights,
		.mult = op->u8->mult, .bias = op->u8->bias, .out_float = product, .out_px = op->temp_px,
	};
	thread->plan->kernels_u8.conv(&row);
}

void vrs_cpu_u8_rows_dwconv(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_value *out = &thread->plan->values[op->out];
	const struct vrs_window *w = &op->window;
	for (int y = y0; y < y1; y++) {
		struct vrs_dwconv_row_u8 row = {
			.rows = window_rows(op, thread, image, y), .kh = w->kernel_h, .kw = w->kernel_w, .step = (ptrdiff_t)w->stride_w * out->channels,
			.tap = (ptrdiff_t)w->dilation_w * out->channels, .pixels = out->width, .channels = out->channels, .weights = op->u8->weights,
			.mult = op->u8->mult, .bias = op->u8->bias, .out = u8_out_row(thread, op->out, image, y), .out_px = out->channels,
			.epilogue = u8_epilogue(op, thread, image, y),
		};
		thread->plan->kernels_u8.dwconv(&row);
	}
}

void vrs_cpu_u8_rows_resize(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
	const float *factor = vrs_cpu_scale_row(op, thread, image);
	for (int y = y0; y < y1; y++) {
		struct vrs_resize_row_u8 row = {
			.row0 = u8_row(thread, op->in[0], image, op->rows.index0[y]), .row1 = u8_row(thread, op->in[0], image, op->rows.index1[y]),
			.wy = (int)lrintf(op->rows.weight[y] * 128.0f), .x0 = op->columns.index0, .x1 = op->columns.index1, .wx = op->u8->wx,
			.in_pixels = in->width, .pixels = out->width, .channels = out->channels, .in_px = in->channels,
			.blend = (uint16_t *)(void *)(thread->scratch + op->temp_scratch), .scale = op->u8->scale, .zero = op->u8->zero,
			.residual_factor = factor, .out = u8_out_row(thread, op->out, image, y), .out_px = out->channels,
			.epilogue = u8_epilogue(op, thread, image, y),
		};
		plan->kernels_u8.resize(&row);
	}
}

void vrs_cpu_u8_rows_binary(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *a = &plan->values[op->in[0]], *b = &plan->values[op->in[1]], *out = &plan->values[op->out];
	const struct vrs_epilogue_u8 *e = &op->u8->epilogue;
	for (int y = y0; y < y1; y++) {
		struct vrs_eltwise_row_u8 row = {
			.op = op->binary, .a = u8_row(thread, op->in[0], image, y), .b = u8_row(thread, op->in[1], image, y), .a_scale = a->scale,
			.a_zero = -a->scale * a->zero, .b_scale = b->scale, .b_zero = -b->scale * b->zero, .a_px = a->channels, .b_px = b->channels,
			.out_px = out->channels, .pixels = out->width, .channels = out->channels, .act = e->act, .lo = e->lo, .hi = e->hi,
			.out_scale = e->out_scale, .out_zero = e->out_zero, .out = u8_out_row(thread, op->out, image, y),
		};
		plan->kernels_u8.eltwise(&row);
	}
}

void vrs_cpu_u8_rows_concat(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *out = &plan->values[op->out];
	for (int y = y0; y < y1; y++) {
		uint8_t *to = u8_out_row(thread, op->out, image, y);
		for (int k = 0; k < op->inputs; k++) {
			const struct vrs_cpu_value *in = &plan->values[op->in[k]];
			struct vrs_eltwise_row_u8 row = {
				.copy = true, .a = u8_row(thread, op->in[k], image, y), .a_scale = in->scale, .a_zero = -in->scale * in->zero,
				.a_px = in->channels, .out_px = out->channels, .pixels = out->width, .channels = in->channels,
				.out_scale = 1.0f / out->scale, .out_zero = out->zero, .out = to,
			};
			plan->kernels_u8.eltwise(&row);
			to += in->channels;
		}
	}
}

void vrs_cpu_u8_rows_pool(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_value *in = &thread->plan->values[op->in[0]], *out = &thread->plan->values[op->out];
	const struct vrs_window *w = &op->window;
	for (int y = y0; y < y1; y++) {
		const uint8_t **rows = (const uint8_t **)(void *)thread->seg;
		int count = 0;
		for (int ky = 0; ky < w->kernel_h; ky++) {
			rows[count] = (const uint8_t *)(const void *)vrs_cpu_tap_row(op, thread, image, y, ky);
			count += rows[count] != NULL;
		}
		struct vrs_pool_row_u8 row = {
			.rows = rows, .row_count = count, .kw = w->kernel_w, .stride = w->stride_w, .dilation = w->dilation_w, .pad_left = w->pad_left,
			.in_pixels = in->width, .pixels = out->width, .channels = out->channels, .in_px = in->channels,
			.out = u8_out_row(thread, op->out, image, y), .out_px = out->channels,
		};
		thread->plan->kernels_u8.max_pool(&row);
	}
}

void vrs_cpu_u8_rows_quantize(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_value *in = &thread->plan->values[op->in[0]];
	for (int y = y0; y < y1; y++) {
		/* The kernel only reads f; the argument is shared with the way back. */
		float *f = (float *)(uintptr_t)vrs_cpu_row(thread, op->in[0], image, y);
		thread->plan->kernels_u8.quantize(&(struct vrs_convert_row_u8){.f = f, .q = u8_out_row(thread, op->out, image, y), .pixels = in->width,
			.channels = in->channels, .scale = op->u8->scale, .zero = op->u8->zero});
	}
}

void vrs_cpu_u8_rows_dequantize(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_value *out = &thread->plan->values[op->out];
	for (int y = y0; y < y1; y++) {
		uint8_t *q = (uint8_t *)(uintptr_t)u8_row(thread, op->in[0], image, y);
		thread->plan->kernels_u8.dequantize(&(struct vrs_convert_row_u8){.f = vrs_cpu_out_row(thread, op->out, image, y), .q = q,
			.pixels = out->width, .channels = out->channels, .scale = op->u8->scale, .zero = op->u8->zero});
	}
}

void vrs_cpu_u8_row_sums(const struct vrs_cpu_thread *thread, const struct vrs_cpu_value *value, const uint8_t *row, float *sums)
{
	int32_t block[64];
	for (int c = 0; c < value->channels; c += 64) {
		int count = value->channels - c < 64 ? value->channels - c : 64;
		thread->plan->kernels_u8.row_sum(row + c, value->channels, value->width, count, block);
		for (int i = 0; i < count; i++)
			sums[c + i] = ((float)block[i] - value->zero * (float)value->width) * value->scale;
	}
}
