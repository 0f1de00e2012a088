/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pools, resizes and other row operations of the CPU plan: find row pointers, call kernels. */
#include <string.h>

#include "backend/cpu/exec/cpu_routines.h"

void vrs_cpu_rows_pool(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
	const struct vrs_window *w = &op->window;
	for (int y = y0; y < y1; y++) {
		int rows = 0;
		for (int ky = 0; ky < w->kernel_h; ky++) {
			thread->seg[rows] = vrs_cpu_tap_row(op, thread, image, y, ky);
			rows += thread->seg[rows] != NULL;
		}
		struct vrs_pool_row row = {
			.max = plan->graph.nodes[op->node].op == VRS_OP_POOL_MAX, .rows = thread->seg, .row_count = rows, .kw = w->kernel_w,
			.stride = w->stride_w, .dilation = w->dilation_w, .pad_left = w->pad_left, .in_pixels = in->width,
			.divisor = w->count_pad ? w->kernel_h * w->kernel_w : 0, .pixels = out->width, .channels = out->channels,
			.in_px = in->channels, .out = vrs_cpu_out_row(thread, op->out, image, y), .out_px = out->channels,
		};
		plan->kernels.pool(&row);
	}
}

/* Sums of rows are added in the order of rows, whoever made them. */
void vrs_cpu_rows_global_avg(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *in = &plan->values[op->in[0]];
	size_t channels = (size_t)in->channels, first = (size_t)thread->share->c0, end = thread->share->c1 ? (size_t)thread->share->c1 : channels;
	float *total = thread->scratch + op->temp_scratch, *sum = total + channels;
	float scale = 1.0f / ((float)in->height * (float)in->width);
	const float *sums = NULL;
	if (in->sum_mem_item >= 0)
		sums = (const float *)(const void *)(thread->arena + in->sum_offset) + (size_t)image * (size_t)in->height * channels;
	(void)y0;
	(void)y1;
	memset(total + first, 0, (end - first) * sizeof *total);
	for (int y = 0; y < in->height; y++) {
		const float *row = sums ? sums + (size_t)y * channels : sum;
		if (!sums)
			plan->kernels.row_sum(vrs_cpu_row(thread, op->in[0], image, y) + first, in->channels, in->width, (int)(end - first), sum + first);
		for (size_t c = first; c < end; c++)
			total[c] += row[c];
	}
	float *out = vrs_cpu_out_row(thread, op->out, image, 0);
	for (size_t c = first; c < end; c++)
		out[c] = total[c] * scale;
}

/* Rows of any filter: some input rows become one, whose pixels become the output's. */
void vrs_cpu_rows_resize_taps(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
	const struct vrs_cpu_axis *rows = &op->rows, *columns = &op->columns;
	float *blend = thread->scratch + op->temp_scratch, outside = plan->graph.nodes[op->node].u.resize.extrapolation;
	size_t channels = (size_t)out->channels;
	for (int y = y0; y < y1; y++) {
		const int32_t *from = rows->places + (ptrdiff_t)y * rows->taps;
		float *to = vrs_cpu_out_row(thread, op->out, image, y);
		for (int k = 0; k < rows->taps && from[0] >= 0; k++)
			thread->seg[k] = vrs_cpu_row(thread, op->in[0], image, from[k]);
		if (from[0] >= 0)
			plan->kernels.blend(thread->seg, rows->weight + (ptrdiff_t)y * rows->taps, rows->taps, blend, vrs_cpu_row_floats(in));
		for (int x = 0; x < out->width; x++, to += channels) {
			const int32_t *place = columns->places + (ptrdiff_t)x * columns->taps;
			for (size_t c = 0; c < channels && (from[0] < 0 || place[0] < 0); c++)
				to[c] = outside;
			if (from[0] < 0 || place[0] < 0)
				continue;
			for (int k = 0; k < columns->taps; k++)
				thread->seg[k] = blend + (size_t)place[k] * channels;
			plan->kernels.blend(thread->seg, columns->weight + (ptrdiff_t)x * columns->taps, columns->taps, to, channels);
		}
	}
}

void vrs_cpu_rows_resize(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
	const float *factor = vrs_cpu_scale_row(op, thread, image);
	for (int y = y0; y < y1; y++) {
		struct vrs_resize_row row = {
			.row0 = vrs_cpu_row(thread, op->in[0], image, op->rows.index0[y]), .row1 = vrs_cpu_row(thread, op->in[0], image, op->rows.index1[y]),
			.wy = op->rows.weight[y], .x0 = op->columns.index0, .x1 = op->columns.index1, .wx = op->columns.weight,
			.in_pixels = in->width, .pixels = out->width, .channels = out->channels, .in_px = in->channels,
			.blend = thread->scratch + op->temp_scratch, .out = vrs_cpu_out_row(thread, op->out, image, y), .out_px = out->channels,
			.epilogue = vrs_cpu_epilogue(op, thread, image, y, 0), .residual_scale = factor,
		};
		plan->kernels.resize(&row);
	}
}

void vrs_cpu_rows_binary(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_value *out = &thread->plan->values[op->out];
	for (int y = y0, begin, end; y < y1; y++) {
		vrs_cpu_share_columns(op, thread, y, y0, y1, &begin, &end);
		struct vrs_eltwise_row row = {
			.op = op->binary, .pixels = end - begin, .channels = out->channels,
			.out = vrs_cpu_out_row(thread, op->out, image, y) + (ptrdiff_t)begin * out->channels, .out_px = out->channels,
			.epilogue = vrs_cpu_epilogue(op, thread, image, y, begin),
		};
		row.a = vrs_cpu_operand_row(thread, op->in[0], image, y, &row.a_px, &row.a_ch);
		row.b = vrs_cpu_operand_row(thread, op->in[1], image, y, &row.b_px, &row.b_ch);
		row.a += begin * row.a_px;
		row.b += begin * row.b_px;
		thread->plan->kernels.eltwise(&row);
	}
}

void vrs_cpu_rows_unary(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const ptrdiff_t channels = thread->plan->values[op->out].channels;
	for (int y = y0, begin, end; y < y1; y++) {
		vrs_cpu_share_columns(op, thread, y, y0, y1, &begin, &end);
		struct vrs_act_row row = {
			.act = op->fused_act, .lo = op->lo, .hi = op->hi, .in = vrs_cpu_row(thread, op->in[0], image, y) + begin * channels,
			.out = vrs_cpu_out_row(thread, op->out, image, y) + begin * channels, .count = (size_t)((end - begin) * channels),
		};
		thread->plan->kernels.act(&row);
	}
}

void vrs_cpu_rows_softmax(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_value *out = &thread->plan->values[op->out];
	bool log = thread->plan->graph.nodes[op->node].u.softmax.log;
	for (int y = y0; y < y1; y++)
		thread->plan->kernels.softmax(vrs_cpu_row(thread, op->in[0], image, y), vrs_cpu_out_row(thread, op->out, image, y), out->width,
					      out->channels, log);
}

void vrs_cpu_rows_concat(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_value *out = &thread->plan->values[op->out];
	for (int y = y0; y < y1; y++) {
		float *to = vrs_cpu_out_row(thread, op->out, image, y);
		for (int k = 0; k < op->inputs; k++) {
			int channels = thread->plan->values[op->in[k]].channels;
			vrs_cpu_copy_pixels(vrs_cpu_row(thread, op->in[k], image, y), channels, to, out->channels, out->width, channels);
			to += channels;
		}
	}
}

void vrs_cpu_rows_load(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_value *in = &thread->plan->values[op->in[0]];
	for (int y = y0; y < y1; y++) {
		float *to = vrs_cpu_out_row(thread, op->out, image, y);
		const char *from = vrs_cpu_arena_row(thread, in, in->images > 1 ? image : 0, y);
		if (in->half)
			thread->plan->widen((const uint16_t *)(const void *)from, to, vrs_cpu_row_floats(in));
		else
			memcpy(to, from, vrs_cpu_row_floats(in) * vrs_cpu_value_size(in));
	}
}
