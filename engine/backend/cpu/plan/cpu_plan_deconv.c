/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "backend/cpu/plan/cpu_plan_deconv.h"

#include <string.h>

#include "backend/cpu/plan/cpu_plan_reach.h"
#include "base/assert.h"
#include "base/mem.h"
#include "kernels/weight_pack.h"

#define FEW_CHANNELS 4

/* Along an axis: the input pixels that output pixel `at` reads, with taps last_tap, last_tap - stride and so on. */
struct reach {
	int first, taps, last_tap;
};

static struct reach reach_of(int at, int kernel, int stride, int pad)
{
	int tap = (int)(((int64_t)at + pad) % stride), last = (int)(((int64_t)at + pad) / stride);
	int taps = (kernel - tap + stride - 1) / stride;
	return (struct reach){last - taps + 1, taps, tap + (taps - 1) * stride};
}

static struct reach column_reach(const struct vrs_cpu_op *op, int x)
{
	return reach_of(x, op->window.kernel_w, op->window.stride_w, op->window.pad_left);
}

static struct reach row_reach(const struct vrs_cpu_op *op, int y)
{
	return reach_of(y, op->window.kernel_h, op->window.stride_h, op->window.pad_top);
}

int vrs_cpu_deconv_row_taps(const struct vrs_cpu_op *op, int y, int *ret_first)
{
	struct reach reach = row_reach(op, y);
	*ret_first = reach.first;
	return reach.taps;
}

int vrs_cpu_deconv_period(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	int width = plan->values[op->out].width;
	return op->window.stride_w < width ? op->window.stride_w : width;
}

static int between(int64_t x, int lo, int hi)
{
	return x < lo ? lo : x > hi ? hi : (int)x;
}

struct vrs_cpu_phases vrs_cpu_deconv_phases(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, int begin)
{
	int width = plan->values[op->out].width, stride = op->window.stride_w, period = vrs_cpu_deconv_period(plan, op);
	struct reach reach = column_reach(op, begin);
	struct vrs_cpu_phases p = {.begin = begin, .end = begin + 1, .first = reach.first, .taps = reach.taps};
	VRS_ASSERT(begin >= 0 && begin < period);
	p.pixels = (width - begin + stride - 1) / stride;
	for (; p.end < period && (width - p.end + stride - 1) / stride == p.pixels; p.end++) {
		struct reach next = column_reach(op, p.end);
		if (next.first != reach.first || next.taps != reach.taps)
			break;
	}
	p.inner_begin = between(-(int64_t)p.first, 0, p.pixels);
	p.inner_end = between((int64_t)plan->values[op->in[0]].width - p.taps - p.first + 1, p.inner_begin, p.pixels);
	return p;
}

static int channels_of(const struct vrs_cpu_op *op, const struct vrs_cpu_phases *p)
{
	return (p->end - p->begin) * op->group_out;
}

size_t vrs_cpu_deconv_weights(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, int phase)
{
	size_t floats = 0;
	int period = vrs_cpu_deconv_period(plan, op);
	for (int x = 0; x < period;) {
		struct vrs_cpu_phases p = vrs_cpu_deconv_phases(plan, op, x);
		for (int y = 0; y < phase; y++)
			floats += vrs_pack_size(channels_of(op, &p), row_reach(op, y).taps * p.taps * op->group_in, plan->kernels.lanes);
		x = p.end;
	}
	return floats;
}

/* Columns that are copied for the pixels at the borders, of each row; and the floats of the packed bias. */
static void phase_sizes(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, size_t *ret_columns, size_t *ret_bias)
{
	int period = vrs_cpu_deconv_period(plan, op);
	*ret_columns = *ret_bias = 0;
	for (int x = 0; x < period;) {
		struct vrs_cpu_phases p = vrs_cpu_deconv_phases(plan, op, x);
		int left = p.inner_begin, right = p.pixels - p.inner_end, most = left > right ? left : right;
		size_t columns = most > 0 ? (size_t)(most - 1 + p.taps) : 0;
		*ret_columns = columns > *ret_columns ? columns : *ret_columns;
		*ret_bias += vrs_pack_size(channels_of(op, &p), 1, plan->kernels.lanes);
		x = p.end;
	}
}

bool vrs_cpu_deconv_has_planes(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	return op->routine == VRS_CPU_RUN_DECONV && op->groups == 1 && op->group_out < FEW_CHANNELS && vrs_cpu_deconv_overlaps(plan, op);
}

struct vrs_deconv_row vrs_cpu_deconv_row(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	const struct vrs_window *w = &op->window;
	return (struct vrs_deconv_row){
		.px = op->temp_px, .pixels = plan->values[op->in[0]].width, .taps = w->kernel_w, .stride = w->stride_w, .dilation = w->dilation_w,
		.pad = w->pad_left, .channels = op->group_out, .width = plan->values[op->out].width,
		.margin = vrs_deconv_margin(w->kernel_w, w->stride_w, w->dilation_w, w->pad_left),
	};
}

/*
 * The product with all taps has the fewest multiplications where channels are few, but each of its sums is stored and added up by row and tap: worth
 * half of them.
 */
static bool phases_win(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, size_t weights)
{
	int taps = op->window.kernel_h * op->window.kernel_w;
	return (double)weights <= 1.5 * (double)vrs_pack_size(op->group_out * taps, op->group_in, plan->kernels.lanes);
}

bool vrs_cpu_lower_deconv_phases(const struct vrs_cpu_plan *plan, struct vrs_cpu_op *op)
{
	const struct vrs_window *w = &op->window;
	if (op->groups != 1 || op->scale >= 0 || w->dilation_h != 1 || w->dilation_w != 1 || w->pad_top < 0 || w->pad_left < 0)
		return false;
	if (w->kernel_h < w->stride_h || w->kernel_w < w->stride_w) /* some pixels have no taps */
		return false;
	if (plan->int8 && !vrs_cpu_deconv_overlaps(plan, op)) /* may become a product of 8 bits */
		return false;
	size_t weights = vrs_cpu_deconv_weights(plan, op, w->stride_h), columns, bias;
	if (!phases_win(plan, op, weights))
		return false;
	phase_sizes(plan, op, &columns, &bias);
	op->routine = VRS_CPU_RUN_DECONV_PHASES;
	op->weights_count = weights;
	op->bias_count = bias;
	op->temp_count = columns * (size_t)w->kernel_h * (size_t)op->group_in;
	return true;
}

/* Rows n = column of the phases * O + o of the inputs in their order: from row `rows.first` on, columns, channels. */
static void order_taps(const struct vrs_cpu_op *op, const float *weights, struct reach rows, const struct vrs_cpu_phases *p, float *ordered)
{
	const struct vrs_window *w = &op->window;
	size_t in = (size_t)op->group_in;
	for (int x = p->begin; x < p->end; x++) {
		int last_tap = column_reach(op, x).last_tap;
		for (int o = 0; o < op->group_out; o++)
			for (int i = 0; i < rows.taps * p->taps; i++, ordered += in) {
				int ky = rows.last_tap - i / p->taps * w->stride_h, kx = last_tap - i % p->taps * w->stride_w;
				memcpy(ordered, weights + (((size_t)o * (size_t)w->kernel_h + (size_t)ky) * (size_t)w->kernel_w + (size_t)kx) * in,
				       in * sizeof *ordered);
			}
	}
}

enum vrs_status vrs_cpu_pack_deconv_phases(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, const float *weights, const float *bias)
{
	float *dst = plan->weights + op->weights_offset, *dst_bias = plan->weights + op->bias_offset;
	int lanes = plan->kernels.lanes, period = vrs_cpu_deconv_period(plan, op);
	for (int y = 0; y < op->window.stride_h; y++) {
		struct reach rows = row_reach(op, y);
		for (int x = 0; x < period;) {
			struct vrs_cpu_phases p = vrs_cpu_deconv_phases(plan, op, x);
			size_t k = (size_t)rows.taps * (size_t)p.taps * (size_t)op->group_in;
			float *ordered = vrs_realloc_array(NULL, (size_t)channels_of(op, &p) * k, sizeof *ordered);
			if (!ordered)
				return VRS_ENOMEM;
			order_taps(op, weights, rows, &p, ordered);
			vrs_pack_conv(dst, ordered, channels_of(op, &p), (int)k, k, lanes);
			dst += vrs_pack_size(channels_of(op, &p), (int)k, lanes);
			vrs_free(ordered);
			for (int n = 0; n < channels_of(op, &p) && bias && y == 0; n++)
				dst_bias[n] = bias[n % op->group_out];
			dst_bias += y == 0 ? vrs_pack_size(channels_of(op, &p), 1, lanes) : 0;
			x = p.end;
		}
	}
	return VRS_OK;
}
