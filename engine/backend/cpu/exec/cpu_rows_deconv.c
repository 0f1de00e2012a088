/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Transposed convolutions of the CPU plan as one product of each input row with all taps, of which output rows add up what falls on them: by the
 * kernel for few channels, or tap by tap.  With one input and one output channel a group the taps are multiplied where they are added.
 */
#include <string.h>

#include "backend/cpu/exec/cpu_routines.h"
#include "backend/cpu/plan/cpu_plan_deconv.h"
#include "backend/cpu/plan/cpu_plan_reach.h"
#include "base/assert.h"

#define MIN_VECTOR 4 /* channels of a group: fewer are added one by one */

/* The product of input row iy with all taps, [width][group][KH][KW][Cout / groups], groups padded to whole vectors; the last few rows are kept. */
static const float *deconv_product(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int iy)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *in = &plan->values[op->in[0]];
	VRS_ASSERT(op->temp_rows > 0 && iy >= 0 && iy < in->height);
	int n = op->temp_px / op->groups, slot = iy % op->temp_rows;
	float *product = thread->scratch + op->temp_scratch + (size_t)slot * (size_t)in->width * (size_t)op->temp_px;
	float *tag = thread->scratch + op->tag_scratch + slot;
	if (*tag == (float)(iy + 1))
		return product;
	*tag = (float)(iy + 1);
	if (op->u8) {
		vrs_cpu_u8_product(op, thread, image, iy, product);
		return product;
	}
	const float *seg = vrs_cpu_row(thread, op->in[0], image, iy);
	struct vrs_conv_row row = {
		.seg = &seg, .segs = 1, .klen = op->group_in, .in_px = in->channels, .pixels = in->width, .n = n,
		.weights = vrs_cpu_op_weights(op, thread), .bias = plan->weights + op->bias_offset, .out = product, .out_px = op->temp_px,
	};
	for (int g = 0; g < op->groups; g++) {
		plan->kernels.conv(&row);
		seg += op->group_in;
		row.weights += op->weights_count / (size_t)op->groups;
		row.bias += n;
		row.out += n;
	}
	return product;
}

/* The input row that falls on output row y with the taps of row ky; -1: none. */
static int input_row(const struct vrs_cpu_op *op, const struct vrs_cpu_value *in, int y, int ky)
{
	const struct vrs_window *w = &op->window;
	int64_t at = (int64_t)y + w->pad_top - (int64_t)ky * w->dilation_h;
	return at < 0 || at % w->stride_h || at / w->stride_h >= in->height ? -1 : (int)(at / w->stride_h);
}

/* Input columns [*begin, *end) whose tap kx falls into the output row: x * stride + kx * dilation - pad. False: none. */
static bool columns_of_tap(const struct vrs_window *w, int kx, int in_width, int width, int *begin, int *end)
{
	int64_t shift = (int64_t)w->pad_left - (int64_t)kx * w->dilation_w, last = (int64_t)width - 1 + shift;
	int64_t first = shift > 0 ? (shift + w->stride_w - 1) / w->stride_w : 0;
	*begin = first < in_width ? (int)first : in_width;
	*end = last < 0 ? 0 : last / w->stride_w + 1 < in_width ? (int)(last / w->stride_w + 1) : in_width;
	return *begin < *end;
}

/* One tap of one group: out[x] += (or =) product[x] for `pixels` of them. */
static void put_tap(const struct vrs_kernels *kernels, const float *product, ptrdiff_t from_px, float *out, ptrdiff_t out_px, int pixels,
		    int channels, bool add)
{
	if (add && channels >= MIN_VECTOR) {
		kernels->eltwise(&(struct vrs_eltwise_row){
			.op = VRS_KBIN_ADD, .a = product, .a_px = from_px, .a_ch = 1, .b = out, .b_px = out_px, .b_ch = 1, .pixels = pixels,
			.channels = channels, .out = out, .out_px = out_px,
		});
		return;
	}
	for (int x = 0; x < pixels; x++, product += from_px, out += out_px)
		for (int c = 0; c < channels; c++)
			out[c] = add ? out[c] + product[c] : product[c];
}

/* Without overlap every output element has one source (the bias is in the product), and the taps of a row lie side by side. */
static bool copy_taps(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, const float *product, float *out)
{
	int in_width = thread->plan->values[op->in[0]].width, width = thread->plan->values[op->out].width;
	int taps = op->window.kernel_w * op->group_out;
	if (op->groups != 1 || op->window.pad_left != 0 || width != in_width * op->window.stride_w)
		return false;
	vrs_cpu_copy_pixels(product, op->temp_px, out, taps, in_width, taps);
	return true;
}

static void put_taps(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, const float *product, int ky, float *out, bool add)
{
	const struct vrs_cpu_value *to = &thread->plan->values[op->out];
	const struct vrs_window *w = &op->window;
	int in_width = thread->plan->values[op->in[0]].width, n = op->temp_px / op->groups;
	product += (ptrdiff_t)ky * w->kernel_w * op->group_out;
	if (!add && copy_taps(op, thread, product, out))
		return;
	for (int kx = 0, begin, end; kx < w->kernel_w; kx++) {
		if (!columns_of_tap(w, kx, in_width, to->width, &begin, &end))
			continue;
		ptrdiff_t first = (ptrdiff_t)begin * w->stride_w - w->pad_left + (ptrdiff_t)kx * w->dilation_w;
		for (int g = 0; g < op->groups; g++)
			put_tap(&thread->plan->kernels, product + (ptrdiff_t)begin * op->temp_px + (ptrdiff_t)g * n + (ptrdiff_t)kx * op->group_out,
				op->temp_px, out + first * to->channels + (ptrdiff_t)g * op->group_out, (ptrdiff_t)w->stride_w * to->channels, end - begin,
				op->group_out, add);
	}
}

/* Depthwise: out[x * stride + kx] += in[x] * w[ky][kx], all channels at once. */
static void add_products(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, const float *in, int ky, float *out)
{
	const struct vrs_cpu_value *to = &thread->plan->values[op->out];
	const struct vrs_window *w = &op->window;
	ptrdiff_t channels = to->channels;
	for (int kx = 0, begin, end; kx < w->kernel_w; kx++) {
		if (!columns_of_tap(w, kx, thread->plan->values[op->in[0]].width, to->width, &begin, &end))
			continue;
		float *at = out + ((ptrdiff_t)begin * w->stride_w - w->pad_left + (ptrdiff_t)kx * w->dilation_w) * channels;
		thread->plan->kernels.eltwise(&(struct vrs_eltwise_row){
			.op = VRS_KBIN_MUL, .a = in + begin * channels, .a_px = channels, .a_ch = 1,
			.b = vrs_cpu_op_weights(op, thread) + ((ptrdiff_t)ky * w->kernel_w + kx) * channels, .b_ch = 1, .pixels = end - begin,
			.channels = to->channels, .out = at, .out_px = w->stride_w * channels,
			.epilogue = {.residual = at, .residual_px = w->stride_w * channels, .residual_before = true},
		});
	}
}

/* A row of few channels: all products that fall on it at once. */
static void add_planes(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y, const float *bias, float *out)
{
	const struct vrs_cpu_value *in = &thread->plan->values[op->in[0]];
	const struct vrs_window *w = &op->window;
	struct vrs_deconv_row row = vrs_cpu_deconv_row(thread->plan, op);
	for (int ky = 0; ky < w->kernel_h; ky++) {
		int iy = input_row(op, in, y, ky);
		if (iy >= 0)
			thread->seg[row.rows++] = deconv_product(op, thread, image, iy) + (ptrdiff_t)ky * w->kernel_w * op->group_out;
	}
	row.products = thread->seg;
	row.bias = bias;
	row.out = out;
	row.scratch = thread->scratch + op->temp_scratch + (size_t)op->temp_rows * (size_t)in->width * (size_t)op->temp_px;
	thread->plan->kernels.deconv(&row);
}

void vrs_cpu_rows_deconv(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
	const struct vrs_window *w = &op->window;
	bool add = vrs_cpu_deconv_overlaps(plan, op), depthwise = vrs_cpu_deconv_is_depthwise(op);
	/* With overlap (or pixels that no tap reaches) the row starts from the bias, which then is not in the product. */
	const float *bias = plan->weights + op->bias_offset + op->bias_count;
	for (int y = y0; y < y1; y++) {
		float *row = vrs_cpu_out_row(thread, op->out, image, y);
		if (vrs_cpu_deconv_has_planes(plan, op)) {
			add_planes(op, thread, image, y, bias, row);
			continue;
		}
		for (int x = 0; add && x < out->width; x++)
			memcpy(row + (ptrdiff_t)x * out->channels, bias, (size_t)out->channels * sizeof *row);
		for (int ky = 0; ky < w->kernel_h; ky++) {
			int iy = input_row(op, in, y, ky);
			if (iy < 0)
				continue;
			if (depthwise)
				add_products(op, thread, vrs_cpu_row(thread, op->in[0], image, iy), ky, row);
			else
				put_taps(op, thread, deconv_product(op, thread, image, iy), ky, row, add);
		}
	}
}
