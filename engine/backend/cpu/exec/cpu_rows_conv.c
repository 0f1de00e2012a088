/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convolutions of the CPU plan: row pointers for the kernels, borders, groups. */
#include <string.h>

#include "backend/cpu/exec/cpu_routines.h"
#include "backend/cpu/plan/cpu_plan_reach.h"
#include "base/assert.h"

/* Segments of a row of input windows; rows[ky] points at the first pixel of the first window. */
static void conv_segments(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, struct vrs_conv_row *row)
{
	const struct vrs_window *w = &op->window;
	ptrdiff_t channels = thread->plan->values[op->in[0]].channels;
	row->seg = thread->seg;
	row->segs = w->kernel_h;
	row->klen = w->kernel_w * op->group_in;
	row->in_px = w->stride_w * channels;
	if (w->dilation_w == 1 && op->groups == 1)
		return;
	/* Taps that do not touch: a segment each, filled from the back, where the row pointers are still needed. */
	VRS_ASSERT((size_t)w->kernel_h * (size_t)w->kernel_w <= thread->plan->max_segs);
	row->segs = w->kernel_h * w->kernel_w;
	row->klen = op->group_in;
	for (int ky = w->kernel_h - 1; ky >= 0; ky--) {
		const float *in = thread->seg[ky];
		for (int kx = w->kernel_w - 1; kx >= 0; kx--)
			thread->seg[ky * w->kernel_w + kx] = in + (ptrdiff_t)kx * w->dilation_w * channels;
	}
}

/* Row pointers for output pixels [p0, p1) of row y: into the input where the windows are inside, else to copied columns. */
static void conv_rows(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y, int p0, int p1)
{
	const struct vrs_cpu_value *in = &thread->plan->values[op->in[0]];
	const struct vrs_window *w = &op->window;
	bool copied = op->edges && (p0 < op->inner_begin || p1 > op->inner_end);
	int64_t x0 = (int64_t)p0 * w->stride_w - w->pad_left;
	int64_t x1 = (int64_t)(p1 - 1) * w->stride_w - w->pad_left + (int64_t)(w->kernel_w - 1) * w->dilation_w + 1;
	float *columns = thread->scratch + op->temp_scratch;
	for (int ky = 0; ky < w->kernel_h; ky++) {
		const float *row = vrs_cpu_tap_row(op, thread, image, y, ky);
		thread->seg[ky] = row ? row + x0 * in->channels : thread->plan->zeros;
		if (!copied)
			continue;
		vrs_cpu_copy_columns(in, row, x0, x1, columns);
		thread->seg[ky] = columns;
		columns += (x1 - x0) * in->channels;
	}
}

static void conv_groups(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, struct vrs_conv_row *row)
{
	const struct vrs_kernels *kernels = &thread->plan->kernels;
	size_t weights = op->weights_count / (size_t)op->groups, bias = op->bias_count / (size_t)op->groups;
	for (int g = 0; g < op->groups; g++) {
		kernels->conv(row);
		for (int s = 0; s < row->segs; s++)
			thread->seg[s] += op->group_in;
		row->weights += weights;
		row->bias += bias;
		row->out += op->group_out;
		if (row->epilogue.residual)
			row->epilogue.residual += op->group_out;
	}
}

/*
 * End of the rows from y0 on that a pointwise convolution takes as one long row, so that they share each panel of weights and whole tiles: they lie
 * one after the other, in the output perhaps with the padding of its reader in between.
 */
static int rows_together(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int y0, int y1, ptrdiff_t *ret_gap)
{
	int end = vrs_cpu_rows_run(thread, op->out, y0, y1, ret_gap);
	int inputs[] = {op->in[0], op->fused_residual ? op->residual : op->in[0]};
	for (int i = 0; i < 2; i++) {
		ptrdiff_t gap;
		int run = vrs_cpu_rows_run(thread, inputs[i], y0, y1, &gap);
		run = gap != 0 ? y0 + 1 : run;
		end = run < end ? run : end;
	}
	return end;
}

/* Input pixels, from pixel p0 of row y on, each channel times its factor. */
static const float *scaled_input(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int image, int y, int p0, int pixels)
{
	const struct vrs_cpu_value *in = &thread->plan->values[op->in[0]];
	float *to = thread->scratch + op->temp_scratch;
	struct vrs_eltwise_row product = {
		.op = VRS_KBIN_MUL, .a = vrs_cpu_row(thread, op->in[0], image, y) + (ptrdiff_t)p0 * in->channels,
		.b = vrs_cpu_scale_row(op, thread, image), .a_px = in->channels, .a_ch = 1, .b_ch = 1, .pixels = pixels,
		.channels = in->channels, .out = to, .out_px = in->channels,
	};
	thread->plan->kernels.eltwise(&product);
	return to;
}

/*
 * Columns [*begin, *end) of rows [y, *next) that a pointwise convolution makes as one: from the first of the first row to the end of the last one.  A
 * gap lies behind whole rows, so rows that are cut are then alone.
 */
static void cut_rows(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int y, int y0, int y1, ptrdiff_t gap, int *next, int *begin,
		     int *end)
{
	int width = thread->plan->values[op->out].width, unused;
	vrs_cpu_share_columns(op, thread, y, y0, y1, begin, end);
	if (gap != 0 && *begin > 0)
		*next = y + 1;
	vrs_cpu_share_columns(op, thread, *next - 1, y0, y1, &unused, end);
	if (gap == 0 || *end == width || *next == y + 1)
		return;
	*next -= 1;
	*end = width;
}

/* Only the channels of the item. */
static void conv_share(const struct vrs_cpu_op *op, const struct vrs_cpu_share *share, struct vrs_conv_row *row)
{
	if (!share->c1)
		return;
	VRS_ASSERT(share->c0 < share->c1 && share->c1 <= op->group_out && op->groups == 1);
	row->n = share->c1 - share->c0;
	row->weights += (ptrdiff_t)share->c0 * op->group_in * op->window.kernel_h * op->window.kernel_w;
	row->bias += share->c0;
	row->out += share->c0;
	if (row->epilogue.residual)
		row->epilogue.residual += share->c0;
}

void vrs_cpu_rows_conv(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *out = &plan->values[op->out];
	bool pointwise = !op->edges && vrs_cpu_op_is_pointwise(plan, op);
	int cuts[] = {0, op->edges ? op->inner_begin : 0, op->edges ? op->inner_end : out->width, out->width};
	for (int y = y0, next; y < y1; y = next) {
		ptrdiff_t gap = 0;
		int most = op->scaled_rows && y1 - y > op->scaled_rows ? y + op->scaled_rows : y1;
		next = pointwise ? rows_together(op, thread, y, most, &gap) : y + 1;
		if (pointwise)
			cut_rows(op, thread, y, y0, y1, gap, &next, &cuts[1], &cuts[2]);
		int whole = out->width * (next - y - 1);
		for (int part = 0; part < 3; part++) {
			int p0 = cuts[part], p1 = cuts[part + 1];
			if ((part != 1 && !op->edges) || p0 == p1 + whole)
				continue;
			struct vrs_conv_row row = {
				.pixels = p1 - p0 + whole, .n = op->group_out, .weights = vrs_cpu_op_weights(op, thread),
				.bias = plan->weights + op->bias_offset, .out = vrs_cpu_out_row(thread, op->out, image, y) + (ptrdiff_t)p0 * out->channels,
				.out_px = out->channels, .wrap = gap != 0 ? out->width : 0, .gap = gap, .epilogue = vrs_cpu_epilogue(op, thread, image, y, p0),
			};
			conv_share(op, thread->share, &row);
			conv_rows(op, thread, image, y, p0, p1);
			if (op->scaled_rows)
				thread->seg[0] = scaled_input(op, thread, image, y, p0, row.pixels);
			conv_segments(op, thread, &row);
			conv_groups(op, thread, &row);
		}
	}
}

/*
 * One row of a depthwise convolution.  With a dilation of d and no stride, every d-th output pixel reads every d-th input pixel: d convolutions
 * without dilation, for which there are kernels with weights in registers (5x5, d = 2, 960 channels on Zen 3: 7 times as fast).
 */
static void run_dwconv(const struct vrs_kernels *kernels, struct vrs_dwconv_row row, const float **rows, int dilation, int stride)
{
	int phases = stride == 1 && dilation < row.pixels ? dilation : 1, pixels = row.pixels;
	row.rows = rows;
	row.step *= phases;
	row.out_px *= phases;
	row.epilogue.residual_px *= phases;
	for (int phase = 0; phase < phases; phase++) {
		row.pixels = (pixels - phase + phases - 1) / phases;
		kernels->dwconv(&row);
		row.out += row.channels;
		row.epilogue.residual = row.epilogue.residual ? row.epilogue.residual + row.channels : NULL;
		for (int ky = 0; ky < row.kh; ky++)
			rows[ky] += row.channels;
	}
}

void vrs_cpu_rows_dwconv(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_value *out = &thread->plan->values[op->out];
	const struct vrs_window *w = &op->window;
	for (int y = y0, begin, end; y < y1; y++) {
		vrs_cpu_share_columns(op, thread, y, y0, y1, &begin, &end);
		for (int ky = 0; ky < w->kernel_h; ky++) {
			const float *in = vrs_cpu_tap_row(op, thread, image, y, ky);
			thread->seg[ky] = in ? in + ((ptrdiff_t)begin * w->stride_w - w->pad_left) * out->channels : thread->plan->zeros;
		}
		struct vrs_dwconv_row row = {
			.kh = w->kernel_h, .kw = w->kernel_w, .step = (ptrdiff_t)w->stride_w * out->channels,
			.tap = (ptrdiff_t)w->dilation_w * out->channels, .pixels = end - begin, .channels = out->channels,
			.weights = vrs_cpu_op_weights(op, thread), .out = vrs_cpu_out_row(thread, op->out, image, y) + (ptrdiff_t)begin * out->channels,
			.out_px = out->channels, .epilogue = vrs_cpu_epilogue(op, thread, image, y, begin),
		};
		run_dwconv(&thread->plan->kernels, row, thread->seg, w->dilation_w, w->stride_w);
	}
}

/* Row iy of the input, each channel once for every output that it has, with zero columns beside the picture. */
static const float *spread_row(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int iy)
{
	const struct vrs_cpu_value *in = &thread->plan->values[op->in[0]];
	int slot = iy % op->temp_rows, each = op->group_out;
	float *row = thread->scratch + op->temp_scratch + (ptrdiff_t)slot * op->temp_px, *tag = thread->scratch + op->tag_scratch + slot;
	size_t count = vrs_cpu_row_floats(in), left = (size_t)op->window.pad_left * (size_t)in->channels * (size_t)each;
	VRS_ASSERT(left + count * (size_t)each <= (size_t)op->temp_px);
	if (*tag == (float)(iy + 1))
		return row;
	*tag = (float)(iy + 1);
	const float *from = vrs_cpu_row(thread, op->in[0], image, iy);
	memset(row, 0, left * sizeof *row);
	memset(row + left + count * (size_t)each, 0, ((size_t)op->temp_px - left - count * (size_t)each) * sizeof *row);
	float *to = row + left;
	for (size_t i = 0; i < count && each == 2; i++)
		to[2 * i] = to[2 * i + 1] = from[i];
	for (size_t i = 0; i < count && each != 2; i++)
		for (int k = 0; k < each; k++)
			*to++ = from[i];
	return row;
}

void vrs_cpu_rows_dwconv_spread(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_value *in = &thread->plan->values[op->in[0]], *out = &thread->plan->values[op->out];
	const struct vrs_window *w = &op->window;
	for (int y = y0; y < y1; y++) {
		for (int ky = 0; ky < w->kernel_h; ky++) {
			int64_t iy = (int64_t)y * w->stride_h - w->pad_top + (int64_t)ky * w->dilation_h;
			bool inside = iy >= 0 && iy < in->height;
			thread->seg[ky] = inside ? spread_row(op, thread, image, (int)iy) : thread->plan->zeros;
		}
		struct vrs_dwconv_row row = {
			.kh = w->kernel_h, .kw = w->kernel_w, .step = (ptrdiff_t)w->stride_w * out->channels,
			.tap = (ptrdiff_t)w->dilation_w * out->channels, .pixels = out->width, .channels = out->channels,
			.weights = vrs_cpu_op_weights(op, thread), .out = vrs_cpu_out_row(thread, op->out, image, y), .out_px = out->channels,
			.epilogue = vrs_cpu_epilogue(op, thread, image, y, 0),
		};
		run_dwconv(&thread->plan->kernels, row, thread->seg, w->dilation_w, w->stride_w);
	}
}
