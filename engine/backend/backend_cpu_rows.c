/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Row functions of the CPU plan: find row pointers, call kernels. */
#include <string.h>

#include "backend/cpu_plan.h"
#include "base/clock.h"

static size_t row_floats(const struct vrs_cpu_value *value)
{
	return (size_t)value->width * (size_t)value->channels;
}

static char *arena_row(const struct vrs_cpu_thread *thread, const struct vrs_cpu_value *value, int image, int y)
{
	size_t element = ((size_t)image * (size_t)value->height + (size_t)y) * row_floats(value);
	return thread->plan->arena + value->arena_offset + element * (value->half ? sizeof(uint16_t) : sizeof(float));
}

static float *ring_row(const struct vrs_cpu_thread *thread, const struct vrs_cpu_value *value, int y)
{
	return thread->scratch + value->ring_offset + (size_t)(y % value->ring_rows) * value->ring_stride +
	       (size_t)value->pad_left * (size_t)value->channels;
}

static bool in_ring(const struct vrs_cpu_thread *thread, const struct vrs_cpu_value *value, int y)
{
	if (!value->ring_rows || value->region != thread->region)
		return false;
	return !value->in_arena || value->copied || y >= thread->own_end[value - thread->plan->values];
}

float *vrs_cpu_out_row(const struct vrs_cpu_thread *thread, int id, int image, int y)
{
	const struct vrs_cpu_value *value = &thread->plan->values[id];
	return in_ring(thread, value, y) ? ring_row(thread, value, y) : (float *)(void *)arena_row(thread, value, image, y);
}

const float *vrs_cpu_row(const struct vrs_cpu_thread *thread, int id, int image, int y)
{
	const struct vrs_cpu_value *value = &thread->plan->values[id];
	if (value->constant)
		return value->constant + ((size_t)image * (size_t)value->height + (size_t)y) * row_floats(value);
	return vrs_cpu_out_row(thread, id, image, y);
}

bool vrs_cpu_rows_dense(const struct vrs_cpu_thread *thread, int id, int y0, int y1)
{
	const struct vrs_cpu_value *value = &thread->plan->values[id];
	bool first = in_ring(thread, value, y0), last = in_ring(thread, value, y1 - 1);
	if (first != last)
		return false;
	return !first || (value->pad_left + value->pad_right == 0 && y0 % value->ring_rows + (y1 - y0) <= value->ring_rows);
}

static struct vrs_epilogue epilogue(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int image, int y)
{
	struct vrs_epilogue e = { .act = op->fused_act, .lo = op->lo, .hi = op->hi, .residual_before = op->residual_before };
	if (op->fused_residual) {
		e.residual = vrs_cpu_row(thread, op->residual, image, y);
		e.residual_px = thread->plan->values[op->residual].channels;
	}
	return e;
}

static const float *op_weights(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread)
{
	return op->prepared ? thread->scratch + op->weights_scratch : thread->plan->weights + op->weights_offset;
}

/* Row y of a convolution's input with its zero columns, from column x = -pad_left; rows outside the picture are zero. */
static const float *padded_row(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int image, int64_t y)
{
	const struct vrs_cpu_value *in = &thread->plan->values[op->in[0]];
	if (y < 0 || y >= in->height)
		return thread->plan->zeros;
	return vrs_cpu_row(thread, op->in[0], image, (int)y) - (ptrdiff_t)op->window.pad_left * in->channels;
}

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
	row->segs = w->kernel_h * w->kernel_w;
	row->klen = op->group_in;
	for (int ky = w->kernel_h - 1; ky >= 0; ky--) {
		const float *in = thread->seg[ky];
		for (int kx = w->kernel_w - 1; kx >= 0; kx--)
			thread->seg[ky * w->kernel_w + kx] = in + (ptrdiff_t)kx * w->dilation_w * channels;
	}
}

/* Columns [x0, x1) of a picture row into `to`, zero outside the picture. */
static void copy_columns(const struct vrs_cpu_value *in, const float *row, int64_t x0, int64_t x1, float *to)
{
	size_t channels = (size_t)in->channels, bytes = channels * sizeof *to;
	int64_t first = x0 < 0 ? 0 : x0, last = x1 > in->width ? in->width : x1;
	memset(to, 0, (size_t)(x1 - x0) * bytes);
	if (row && first < last)
		memcpy(to + (size_t)(first - x0) * channels, row + (size_t)first * channels, (size_t)(last - first) * bytes);
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
		int64_t iy = (int64_t)y * w->stride_h - w->pad_top + (int64_t)ky * w->dilation_h;
		const float *row = iy < 0 || iy >= in->height ? NULL : vrs_cpu_row(thread, op->in[0], image, (int)iy);
		thread->seg[ky] = row ? row + x0 * in->channels : thread->plan->zeros;
		if (!copied)
			continue;
		copy_columns(in, row, x0, x1, columns);
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

void vrs_cpu_rows_conv(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *out = &plan->values[op->out];
	const struct vrs_window *w = &op->window;
	/* A pointwise convolution takes rows that lie one after the other as one long row. */
	bool pointwise = w->kernel_h == 1 && w->kernel_w == 1 && w->stride_h == 1 && w->stride_w == 1 && plan->values[op->in[0]].height == out->height &&
			 plan->values[op->in[0]].width == out->width;
	bool together = pointwise && y1 - y0 > 1 && vrs_cpu_rows_dense(thread, op->in[0], y0, y1) && vrs_cpu_rows_dense(thread, op->out, y0, y1) &&
			(!op->fused_residual || vrs_cpu_rows_dense(thread, op->residual, y0, y1));
	int cuts[] = { 0, op->edges ? op->inner_begin : 0, op->edges ? op->inner_end : out->width, out->width };
	for (int y = y0; y < y1; y += together ? y1 - y0 : 1) {
		for (int part = 0; part < 3; part++) {
			int p0 = cuts[part], p1 = cuts[part + 1];
			if (p0 == p1)
				continue;
			struct vrs_conv_row row = {
				.pixels = together ? out->width * (y1 - y0) : p1 - p0, .n = op->group_out, .weights = op_weights(op, thread),
				.bias = plan->weights + op->bias_offset, .out = vrs_cpu_out_row(thread, op->out, image, y) + (ptrdiff_t)p0 * out->channels,
				.out_px = out->channels, .epilogue = epilogue(op, thread, image, y),
			};
			if (row.epilogue.residual)
				row.epilogue.residual += (ptrdiff_t)p0 * out->channels;
			conv_rows(op, thread, image, y, p0, p1);
			conv_segments(op, thread, &row);
			conv_groups(op, thread, &row);
		}
	}
}

void vrs_cpu_rows_dwconv(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_value *out = &thread->plan->values[op->out];
	const struct vrs_window *w = &op->window;
	for (int y = y0; y < y1; y++) {
		for (int ky = 0; ky < w->kernel_h; ky++)
			thread->seg[ky] = padded_row(op, thread, image, (int64_t)y * w->stride_h - w->pad_top + (int64_t)ky * w->dilation_h);
		struct vrs_dwconv_row row = {
			.rows = thread->seg, .kh = w->kernel_h, .kw = w->kernel_w, .step = (ptrdiff_t)w->stride_w * out->channels,
			.tap = (ptrdiff_t)w->dilation_w * out->channels, .pixels = out->width, .channels = out->channels,
			.weights = op_weights(op, thread), .out = vrs_cpu_out_row(thread, op->out, image, y), .out_px = out->channels,
			.epilogue = epilogue(op, thread, image, y),
		};
		thread->plan->kernels.dwconv(&row);
	}
}

/* The product of input row iy with all taps, [width][KH][KW][Cout], pixels padded to whole vectors; the last few are kept. */
static const float *deconv_product(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int iy)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *in = &plan->values[op->in[0]];
	int n = op->temp_px, slot = iy % op->temp_rows;
	float *product = thread->scratch + op->temp_scratch + (size_t)slot * (size_t)in->width * (size_t)n;
	float *tag = thread->scratch + op->tag_scratch + slot;
	if (*tag == (float)(iy + 1))
		return product;
	const float *seg = vrs_cpu_row(thread, op->in[0], image, iy);
	struct vrs_conv_row row = {
		.seg = &seg, .segs = 1, .klen = in->channels, .in_px = in->channels, .pixels = in->width, .n = n,
		.weights = op_weights(op, thread), .bias = plan->weights + op->bias_offset, .out = product, .out_px = n,
	};
	plan->kernels.conv(&row);
	*tag = (float)(iy + 1);
	return product;
}

/* Without overlap every output element has one source (the bias is in the product). */
static void deconv_scatter(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, const float *product, int ky, float *out, bool add)
{
	const struct vrs_window *w = &op->window;
	int in_width = thread->plan->values[op->in[0]].width, width = thread->plan->values[op->out].width;
	int channels = thread->plan->values[op->out].channels, taps = w->kernel_w * channels;
	product += (ptrdiff_t)ky * taps;
	if (!add && w->pad_left == 0 && taps == 2 && w->stride_w * channels == 2 && width * channels == 2 * in_width) {
		for (int x = 0; x < in_width; x++, product += op->temp_px)
			memcpy(out + 2 * (ptrdiff_t)x, product, 2 * sizeof *out);
		return;
	}
	for (int x = 0; x < in_width; x++, product += op->temp_px) {
		for (int kx = 0; kx < w->kernel_w; kx++) {
			int64_t to = (int64_t)x * w->stride_w - w->pad_left + kx;
			if (to < 0 || to >= width)
				continue;
			for (int c = 0; c < channels; c++) {
				float value = product[kx * channels + c];
				float *at = out + to * channels + c;
				*at = add ? *at + value : value;
			}
		}
	}
}

bool vrs_cpu_deconv_overlaps(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
	const struct vrs_window *w = &op->window;
	return w->kernel_h != w->stride_h || w->kernel_w != w->stride_w || (int64_t)out->height + w->pad_top > (int64_t)in->height * w->stride_h ||
	       (int64_t)out->width + w->pad_left > (int64_t)in->width * w->stride_w;
}

void vrs_cpu_rows_deconv(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
	const struct vrs_window *w = &op->window;
	bool overlap = vrs_cpu_deconv_overlaps(plan, op);
	/* With overlap (or pixels that no tap reaches) the row starts from the bias, which then is not in the product. */
	const float *bias = plan->weights + op->bias_offset + op->bias_count;
	for (int y = y0; y < y1; y++) {
		float *row = vrs_cpu_out_row(thread, op->out, image, y);
		for (int x = 0; overlap && x < out->width; x++)
			memcpy(row + (ptrdiff_t)x * out->channels, bias, (size_t)out->channels * sizeof *row);
		for (int ky = 0; ky < w->kernel_h; ky++) {
			int64_t at = (int64_t)y + w->pad_top - ky;
			if (at < 0 || at % w->stride_h || at / w->stride_h >= in->height)
				continue;
			deconv_scatter(op, thread, deconv_product(op, thread, image, (int)(at / w->stride_h)), ky, row, overlap);
		}
	}
}

void vrs_cpu_rows_pool(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
	const struct vrs_window *w = &op->window;
	for (int y = y0; y < y1; y++) {
		int rows = 0;
		for (int ky = 0; ky < w->kernel_h; ky++) {
			int64_t iy = (int64_t)y * w->stride_h - w->pad_top + (int64_t)ky * w->dilation_h;
			if (iy >= 0 && iy < in->height)
				thread->seg[rows++] = vrs_cpu_row(thread, op->in[0], image, (int)iy);
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
	size_t channels = (size_t)in->channels;
	float *total = thread->scratch + op->temp_scratch, *sum = total + channels;
	float scale = 1.0f / ((float)in->height * (float)in->width);
	const float *sums = in->sum_mem_item >= 0 ? (const float *)(const void *)(plan->arena + in->sum_offset) + (size_t)image * (size_t)in->height * channels
						  : NULL;
	(void)y0;
	(void)y1;
	memset(total, 0, channels * sizeof *total);
	for (int y = 0; y < in->height; y++) {
		const float *row = sums ? sums + (size_t)y * channels : sum;
		if (!sums)
			plan->kernels.row_sum(vrs_cpu_row(thread, op->in[0], image, y), in->channels, in->width, in->channels, sum);
		for (size_t c = 0; c < channels; c++)
			total[c] += row[c];
	}
	float *out = vrs_cpu_out_row(thread, op->out, image, 0);
	for (size_t c = 0; c < channels; c++)
		out[c] = total[c] * scale;
}

void vrs_cpu_rows_resize(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
	const float *factor = op->scale >= 0 ? vrs_cpu_row(thread, op->scale, plan->values[op->scale].images > 1 ? image : 0, 0) : NULL;
	for (int y = y0; y < y1; y++) {
		struct vrs_resize_row row = {
			.row0 = vrs_cpu_row(thread, op->in[0], image, op->rows.index0[y]), .row1 = vrs_cpu_row(thread, op->in[0], image, op->rows.index1[y]),
			.wy = op->rows.weight[y], .x0 = op->columns.index0, .x1 = op->columns.index1, .wx = op->columns.weight,
			.in_pixels = in->width, .pixels = out->width, .channels = out->channels, .in_px = in->channels,
			.blend = thread->scratch + op->temp_scratch, .out = vrs_cpu_out_row(thread, op->out, image, y), .out_px = out->channels,
			.epilogue = epilogue(op, thread, image, y), .residual_scale = factor,
		};
		plan->kernels.resize(&row);
	}
}

/* An operand of a binary row with the steps that broadcasting asks for. */
static const float *operand_row(const struct vrs_cpu_thread *thread, int id, int image, int y, ptrdiff_t *px, int *ch)
{
	const struct vrs_cpu_value *value = &thread->plan->values[id];
	*px = value->width > 1 ? value->channels : 0;
	*ch = value->channels > 1;
	return vrs_cpu_row(thread, id, value->images > 1 ? image : 0, value->height > 1 ? y : 0);
}

void vrs_cpu_rows_binary(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_value *out = &thread->plan->values[op->out];
	for (int y = y0; y < y1; y++) {
		struct vrs_eltwise_row row = {
			.op = op->binary, .pixels = out->width, .channels = out->channels, .out = vrs_cpu_out_row(thread, op->out, image, y),
			.out_px = out->channels, .epilogue = epilogue(op, thread, image, y),
		};
		row.a = operand_row(thread, op->in[0], image, y, &row.a_px, &row.a_ch);
		row.b = operand_row(thread, op->in[1], image, y, &row.b_px, &row.b_ch);
		thread->plan->kernels.eltwise(&row);
	}
}

void vrs_cpu_rows_unary(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	for (int y = y0; y < y1; y++) {
		struct vrs_act_row row = {
			.act = op->fused_act, .lo = op->lo, .hi = op->hi, .in = vrs_cpu_row(thread, op->in[0], image, y),
			.out = vrs_cpu_out_row(thread, op->out, image, y), .count = row_floats(&thread->plan->values[op->out]),
		};
		thread->plan->kernels.act(&row);
	}
}

void vrs_cpu_rows_softmax(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_value *out = &thread->plan->values[op->out];
	for (int y = y0; y < y1; y++)
		thread->plan->kernels.softmax(vrs_cpu_row(thread, op->in[0], image, y), vrs_cpu_out_row(thread, op->out, image, y), out->width, out->channels);
}

void vrs_cpu_rows_concat(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_value *out = &thread->plan->values[op->out];
	for (int y = y0; y < y1; y++) {
		float *to = vrs_cpu_out_row(thread, op->out, image, y);
		for (int k = 0; k < op->inputs; k++) {
			size_t channels = (size_t)thread->plan->values[op->in[k]].channels;
			const float *from = vrs_cpu_row(thread, op->in[k], image, y);
			for (int x = 0; x < out->width; x++)
				memcpy(to + (ptrdiff_t)x * out->channels, from + (size_t)x * channels, channels * sizeof *to);
			to += channels;
		}
	}
}

void vrs_cpu_rows_load(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_value *in = &thread->plan->values[op->in[0]];
	for (int y = y0; y < y1; y++) {
		float *to = vrs_cpu_out_row(thread, op->out, image, y);
		const char *from = arena_row(thread, in, image, y);
		if (in->half)
			thread->plan->kernels.half_to_float((const uint16_t *)(const void *)from, to, row_floats(in));
		else
			memcpy(to, from, row_floats(in) * sizeof *to);
	}
}

/* What the kernel could not do of the epilogue, on the finished rows. */
static void finish_rows(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_kernels *kernels = &thread->plan->kernels;
	bool add = op->residual >= 0 && !op->fused_residual;
	size_t count = row_floats(&thread->plan->values[op->out]);
	for (int y = y0; y < y1; y++) {
		float *row = vrs_cpu_out_row(thread, op->out, image, y);
		struct vrs_eltwise_row sum = {
			.op = VRS_KBIN_ADD, .a = row, .a_ch = 1, .b_ch = 1, .pixels = 1, .channels = (int)count, .out = row,
			.b = add ? vrs_cpu_row(thread, op->residual, image, y) : NULL,
		};
		if (add && op->residual_before)
			kernels->eltwise(&sum);
		if (op->finish_act != VRS_KACT_NONE)
			kernels->act(&(struct vrs_act_row){ .act = op->finish_act, .lo = op->lo, .hi = op->hi, .in = row, .out = row, .count = count });
		if (add && !op->residual_before)
			kernels->eltwise(&sum);
	}
}

/* Owned rows: into the arena, and their channel sums. */
static void keep_rows(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *out = &plan->values[op->out];
	for (int y = y0; y < y1; y++) {
		const float *row = vrs_cpu_row(thread, op->out, image, y);
		char *to = arena_row(thread, out, image, y);
		if (out->copied && out->half)
			plan->kernels.float_to_half(row, (uint16_t *)(void *)to, row_floats(out));
		else if (out->copied)
			memcpy(to, row, row_floats(out) * sizeof *row);
		if (out->sum_mem_item >= 0) {
			float *sums = (float *)(void *)(plan->arena + out->sum_offset);
			plan->kernels.row_sum(row, out->channels, out->width, out->channels,
					      sums + ((size_t)image * (size_t)out->height + (size_t)y) * (size_t)out->channels);
		}
	}
}

/* At the start of a band: zero columns of the ring, widened and scaled weights, no products yet. */
static void prepare(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *out = &plan->values[op->out];
	size_t left = (size_t)out->pad_left * (size_t)out->channels, right = (size_t)out->pad_right * (size_t)out->channels;
	for (int y = 0; y < out->ring_rows && left + right > 0; y++) {
		float *row = ring_row(thread, out, y);
		memset(row - left, 0, left * sizeof *row);
		memset(row + row_floats(out), 0, right * sizeof *row);
	}
	memset(thread->scratch + op->tag_scratch, 0, (size_t)op->temp_rows * sizeof *thread->scratch);
	if (!op->prepared)
		return;
	float *to = thread->scratch + op->weights_scratch;
	const float *from = plan->weights + op->weights_offset;
	if (plan->half) {
		plan->kernels.half_to_float(plan->half_weights + op->weights_offset, to, op->weights_count);
		from = to;
	}
	if (op->scale < 0)
		return;
	const struct vrs_cpu_value *scale = &plan->values[op->scale];
	const float *factors = vrs_cpu_row(thread, op->scale, scale->images > 1 ? image : 0, 0);
	size_t group = op->weights_count / (size_t)op->groups;
	int k = op->group_in * op->window.kernel_h * op->window.kernel_w;
	for (int g = 0; g < op->groups; g++)
		plan->kernels.conv_scale(to + (size_t)g * group, from + (size_t)g * group, factors + (ptrdiff_t)g * op->group_in, op->group_in, k,
					 op->group_out, plan->kernels.lanes);
}

static void run_item(struct vrs_cpu_thread *thread, const struct vrs_cpu_item *item)
{
	const struct vrs_cpu_op *op = &thread->plan->ops[item->op];
	const struct vrs_cpu_value *out = &thread->plan->values[op->out];
	thread->region = op->region;
	thread->own_end[op->out] = item->own_end;
	if (item->y1 < 0) {
		prepare(op, thread, item->image);
		return;
	}
	op->run(op, thread, item->image, item->y0, item->y1);
	if (op->kind == VRS_CPU_FLAT)
		return;
	if (op->finish_act != VRS_KACT_NONE || (op->residual >= 0 && !op->fused_residual))
		finish_rows(op, thread, item->image, item->y0, item->y1);
	if (out->copied || out->sum_mem_item >= 0)
		keep_rows(op, thread, item->image, item->y0, item->y1 < item->own_end ? item->y1 : item->own_end);
}

void vrs_cpu_run_unit(struct vrs_cpu_thread *thread, const struct vrs_cpu_unit *unit)
{
	const struct vrs_cpu_item *items = thread->plan->items + unit->first;
	for (size_t i = 0; i < unit->count; i++) {
		if (thread->op_ns) {
			uint64_t start = vrs_now_ns();
			run_item(thread, &items[i]);
			thread->op_ns[items[i].op] += vrs_now_ns() - start;
		} else {
			run_item(thread, &items[i]);
		}
	}
}

const char *vrs_cpu_kernel_name(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	switch (op->kind) {
	case VRS_CPU_CONV:
	case VRS_CPU_DECONV: return plan->kernels.conv_name;
	case VRS_CPU_DWCONV: return plan->kernels.dwconv_name;
	case VRS_CPU_POOL: return plan->kernels.pool_name;
	case VRS_CPU_RESIZE: return plan->kernels.resize_name;
	case VRS_CPU_BINARY: return plan->kernels.eltwise_name;
	case VRS_CPU_UNARY: return plan->kernels.act_name;
	case VRS_CPU_GLOBAL_AVG: return "global_avg_f32";
	case VRS_CPU_SOFTMAX: return "softmax_f32_rows__ref";
	case VRS_CPU_CONCAT: return "copy";
	case VRS_CPU_LOAD: return plan->half ? "widen" : "copy";
	case VRS_CPU_FLAT: return "whole_tensor";
	}
	return "";
}
