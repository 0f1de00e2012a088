/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "backend/cpu/plan/cpu_plan_reach.h"

#include "base/assert.h"

#define SCALED_PIXELS 64 /* at a time: a whole map of 7x7 */

static int clamp_int(int64_t x, int lo, int hi)
{
	return x < lo ? lo : x > hi ? hi : (int)x;
}

static void window_rows(const struct vrs_cpu_op *op, const struct vrs_cpu_value *in, int y0, int y1, int *begin, int *end)
{
	const struct vrs_window *w = &op->window;
	int64_t b, e;
	if (op->kind == VRS_CPU_DECONV) {
		int64_t first = (int64_t)y0 + w->pad_top - (int64_t)(w->kernel_h - 1) * w->dilation_h;
		b = first > 0 ? (first + w->stride_h - 1) / w->stride_h : 0;
		e = ((int64_t)y1 - 1 + w->pad_top) / w->stride_h + 1;
	} else {
		b = (int64_t)y0 * w->stride_h - w->pad_top;
		e = (int64_t)(y1 - 1) * w->stride_h - w->pad_top + (int64_t)(w->kernel_h - 1) * w->dilation_h + 1;
	}
	*begin = clamp_int(b, 0, in->height);
	*end = clamp_int(e, *begin, in->height);
}

/* Whole tiles, also where only some of their rows are asked for. */
static void tile_rows(const struct vrs_cpu_op *op, const struct vrs_cpu_value *in, int y0, int y1, int *begin, int *end)
{
	int64_t dilation = op->window.dilation_h, unit = op->tile * dilation;
	*begin = clamp_int(y0 / unit * unit - op->window.pad_top, 0, in->height);
	*end = clamp_int((y1 + unit - 1) / unit * unit - op->window.pad_top + (op->window.kernel_h - 1) * dilation, *begin, in->height);
}

static bool takes(const struct vrs_cpu_op *op, int value)
{
	for (int i = 0; i < op->inputs; i++)
		if (op->in[i] == value)
			return true;
	return false;
}

void vrs_cpu_slice_along(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, int dim, int64_t *start, int64_t *step)
{
	const struct vrs_node *node = &plan->graph.nodes[op->node];
	int axis = dim - (4 - plan->graph.tensors[node->out].rank);
	*start = axis >= 0 ? node->u.slice.start[axis] : 0;
	*step = axis >= 0 ? node->u.slice.step[axis] : 1;
}

static void slice_rows(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, int y0, int y1, int *begin, int *end)
{
	int64_t start, step;
	vrs_cpu_slice_along(plan, op, 1, &start, &step);
	*begin = (int)(start + y0 * step);
	*end = (int)(start + (y1 - 1) * step) + 1;
}

void vrs_cpu_op_rows(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, int value, int y0, int y1, int *begin, int *end)
{
	const struct vrs_cpu_value *in = &plan->values[value];
	bool windowed = op->kind == VRS_CPU_WINOGRAD ? takes(op, value) : op->in[0] == value;
	VRS_ASSERT(y0 >= 0 && y0 < y1);
	VRS_ASSERT(vrs_cpu_op_reads(op, value));
	*begin = y0;
	*end = y1;
	if (windowed) {
		switch (op->kind) {
		case VRS_CPU_CONV:
		case VRS_CPU_DWCONV:
		case VRS_CPU_DECONV:
		case VRS_CPU_POOL: window_rows(op, in, y0, y1, begin, end); break;
		case VRS_CPU_WINOGRAD: tile_rows(op, in, y0, y1, begin, end); break;
		case VRS_CPU_RESIZE:
			*begin = op->rows.index0[y0];
			*end = op->rows.index1[y1 - 1] + 1;
			break;
		case VRS_CPU_SLICE: slice_rows(plan, op, y0, y1, begin, end); break;
		case VRS_CPU_GLOBAL_AVG:
		case VRS_CPU_FLAT:
			*begin = 0;
			*end = in->height;
			break;
		default: break;
		}
	}
	if (op->residual == value) {
		*begin = y0 < *begin ? y0 : *begin;
		*end = y1 > *end ? y1 : *end;
	}
	if (op->scale == value || (in->height == 1 && plan->values[op->out].height > 1 && !windowed)) {
		*begin = 0;
		*end = in->height;
	}
	VRS_ASSERT(*begin >= 0 && *begin <= *end && *end <= in->height);
}

bool vrs_cpu_op_reads(const struct vrs_cpu_op *op, int value)
{
	return takes(op, value) || op->residual == value || op->scale == value;
}

int64_t vrs_cpu_op_columns(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	const struct vrs_window *w = &op->window;
	return (int64_t)(plan->values[op->out].width - 1) * w->stride_w + (int64_t)(w->kernel_w - 1) * w->dilation_w + 1;
}

void vrs_cpu_op_pads(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, int *left, int *right)
{
	*left = *right = 0;
	if ((op->kind != VRS_CPU_CONV && op->kind != VRS_CPU_DWCONV) || op->dot || op->routine == VRS_CPU_RUN_DWCONV_SPREAD) /* whose own rows have them */
		return;
	int64_t over = vrs_cpu_op_columns(plan, op) - op->window.pad_left - plan->values[op->in[0]].width;
	*left = op->window.pad_left;
	*right = over > 0 ? (int)over : 0;
	VRS_ASSERT(*left >= 0);
}

/*
 * Few pixels at a border take as long as about three more, for the latency of their sums; copying whole rows with their zeros may cost less: two
 * cycles a vector, against one for two products of the kernel.
 */
static bool copies_rows(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	const struct vrs_window *w = &op->window;
	int lanes = plan->kernels.lanes, width = plan->values[op->out].width, borders = (op->inner_begin > 0) + (op->inner_end < width);
	double channels = op->group_in, vectors = (op->group_out + lanes - 1) / lanes;
	double lost = 3.0 * borders * w->kernel_h * w->kernel_w * channels * vectors / 2.0;
	double copied = w->kernel_h * ((double)width * w->stride_w + w->kernel_w) * channels / lanes * 2.0;
	return op->groups == 1 && lost > copied;
}

bool vrs_cpu_op_is_pointwise(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
	const struct vrs_window *w = &op->window;
	bool one = w->kernel_h == 1 && w->kernel_w == 1 && w->stride_h == 1 && w->stride_w == 1;
	return one && in->height == out->height && in->width == out->width;
}

/*
 * A dense convolution reads a float tensor in the arena where it lies: only the few output pixels whose window leaves the picture are computed
 * from copied columns.
 */
void vrs_cpu_op_use_edges(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op)
{
	const struct vrs_window *w = &op->window;
	const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
	int64_t reach = (int64_t)(w->kernel_w - 1) * w->dilation_w, last = (int64_t)in->width - 1 - reach + w->pad_left;
	op->edges = true;
	op->inner_begin = clamp_int(((int64_t)w->pad_left + w->stride_w - 1) / w->stride_w, 0, out->width);
	VRS_ASSERT(op->kind == VRS_CPU_CONV && !op->dot);
	op->inner_end = last < 0 ? op->inner_begin : clamp_int(last / w->stride_w + 1, op->inner_begin, out->width);
	if (copies_rows(plan, op))
		op->inner_begin = op->inner_end = out->width;
	int left = op->inner_begin, right = out->width - op->inner_end, most = left > right ? left : right;
	size_t columns = (size_t)(most - 1 > 0 ? most - 1 : 0) * (size_t)w->stride_w + (size_t)reach + 1;
	op->temp_count = (size_t)w->kernel_h * columns * (size_t)in->channels;
}

void vrs_cpu_op_scale_input(const struct vrs_cpu_plan *plan, struct vrs_cpu_op *op)
{
	const struct vrs_cpu_value *out = &plan->values[op->out];
	if (op->scale < 0 || op->kind != VRS_CPU_CONV || op->u8 || op->dot || op->groups != 1 || !vrs_cpu_op_is_pointwise(plan, op))
		return;
	/* Every thread scales all the weights of a band, from the last-level cache and back to its own; but only the pixels of its band. */
	if (2 * (int64_t)out->height * out->width > op->group_out)
		return;
	int rows = SCALED_PIXELS / out->width;
	op->scaled_rows = clamp_int(rows, 1, out->height);
	op->prepared = op->half_weights;
	op->temp_count = (size_t)op->scaled_rows * (size_t)out->width * (size_t)op->group_in;
}

bool vrs_cpu_deconv_is_depthwise(const struct vrs_cpu_op *op)
{
	return op->kind == VRS_CPU_DECONV && op->groups > 1 && op->group_in == 1 && op->group_out == 1;
}

bool vrs_cpu_deconv_overlaps(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
	const struct vrs_window *w = &op->window;
	if (vrs_cpu_deconv_is_depthwise(op) || w->dilation_h != 1 || w->dilation_w != 1)
		return true;
	return w->kernel_h != w->stride_h || w->kernel_w != w->stride_w || (int64_t)out->height + w->pad_top > (int64_t)in->height * w->stride_h ||
	       (int64_t)out->width + w->pad_left > (int64_t)in->width * w->stride_w;
}
