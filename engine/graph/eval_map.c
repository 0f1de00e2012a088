/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/eval_ops.h"

#include <math.h>

/* Element (n, y, x, c) of a map. */
static size_t at(const struct vrs_graph_tensor *map, int64_t n, int64_t y, int64_t x, int64_t c)
{
	return (size_t)(((n * map->dims[1] + y) * map->dims[2] + x) * map->dims[3] + c);
}

void vrs_eval_store(const struct vrs_eval *e, size_t i, double y)
{
	const struct vrs_node *node = e->node;
	const float *residual = e->residual;

	if (residual != NULL && node->residual_before)
		y += (double)residual[i];
	y = vrs_act_apply(node->act, node->act_lo, node->act_hi, y);
	if (residual != NULL && !node->residual_before)
		y += (double)residual[i];
	((float *)e->out)[i] = (float)y;
}

/* One output value: sum over the window of x * scale * w, plus bias. */
static double conv_at(const struct vrs_eval *e, int64_t n, int64_t oy, int64_t ox, int64_t o)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0), *w = vrs_eval_in(e, 1);
	const struct vrs_window *win = &e->node->u.window;
	bool depthwise = vrs_node_is_depthwise(e->graph, e->node);
	int64_t in_channels = depthwise ? 1 : w->dims[3];                                 /* that one output channel reads */
	int64_t out_channels = depthwise ? w->dims[2] : w->dims[0];
	int64_t first = o / (out_channels / win->groups) * in_channels;
	double sum = e->in[2] != NULL ? (double)((const float *)e->in[2])[o] : 0;

	for (int64_t ky = 0; ky < win->kernel_h; ky++) {
		int64_t iy = oy * win->stride_h - win->pad_top + ky * win->dilation_h;

		for (int64_t kx = 0; kx < win->kernel_w && iy >= 0 && iy < x->dims[1]; kx++) {
			int64_t ix = ox * win->stride_w - win->pad_left + kx * win->dilation_w;
			const float *from, *weights;

			if (ix < 0 || ix >= x->dims[2])
				continue;
			from = (const float *)e->in[0] + at(x, n, iy, ix, first);
			weights = (const float *)e->in[1] + (depthwise ? (ky * win->kernel_w + kx) * out_channels + o
								   : ((o * win->kernel_h + ky) * win->kernel_w + kx) * in_channels);
			for (int64_t i = 0; i < in_channels; i++) {
				double factor = e->scale != NULL ? (double)((const float *)e->scale)[n * x->dims[3] + first + i] : 1;

				sum += (double)from[i] * factor * (double)weights[i];
			}
		}
	}
	return sum;
}

void vrs_eval_conv(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *y = vrs_eval_out(e);
	size_t i = 0;

	for (int64_t n = 0; n < y->dims[0]; n++)
		for (int64_t oy = 0; oy < y->dims[1]; oy++)
			for (int64_t ox = 0; ox < y->dims[2]; ox++)
				for (int64_t o = 0; o < y->dims[3]; o++, i++)
					vrs_eval_store(e, i, conv_at(e, n, oy, ox, o));
}

/* Input pixel i reaches output pixel i * stride + k - pad with weight k; read backwards from the output. */
static double deconv_at(const struct vrs_eval *e, int64_t n, int64_t oy, int64_t ox,
			int64_t o)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0);
	const struct vrs_window *win = &e->node->u.window;
	int64_t channels = x->dims[3];
	double sum = e->in[2] != NULL ? (double)((const float *)e->in[2])[o] : 0;

	for (int64_t ky = 0; ky < win->kernel_h; ky++) {
		int64_t row = oy + win->pad_top - ky;

		if (row < 0 || row % win->stride_h != 0 || row / win->stride_h >= x->dims[1])
			continue;
		for (int64_t kx = 0; kx < win->kernel_w; kx++) {
			int64_t column = ox + win->pad_left - kx;
			const float *from, *weights;

			if (column < 0 || column % win->stride_w != 0 || column / win->stride_w >= x->dims[2])
				continue;
			from = (const float *)e->in[0] + at(x, n, row / win->stride_h, column / win->stride_w, 0);
			weights = (const float *)e->in[1] + ((o * win->kernel_h + ky) * win->kernel_w + kx) * channels;
			for (int64_t i = 0; i < channels; i++)
				sum += (double)from[i] * (double)weights[i];
		}
	}
	return sum;
}

void vrs_eval_deconv(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *y = vrs_eval_out(e);
	size_t i = 0;

	for (int64_t n = 0; n < y->dims[0]; n++)
		for (int64_t oy = 0; oy < y->dims[1]; oy++)
			for (int64_t ox = 0; ox < y->dims[2]; ox++)
				for (int64_t o = 0; o < y->dims[3]; o++, i++)
					vrs_eval_store(e, i, deconv_at(e, n, oy, ox, o));
}

static double pool_at(const struct vrs_eval *e, int64_t n, int64_t oy, int64_t ox, int64_t c)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0);
	const struct vrs_window *win = &e->node->u.window;
	double sum = 0, most = -INFINITY;
	int64_t count = 0;

	for (int64_t ky = 0; ky < win->kernel_h; ky++)
		for (int64_t kx = 0; kx < win->kernel_w; kx++) {
			int64_t iy = oy * win->stride_h - win->pad_top + ky, ix = ox * win->stride_w - win->pad_left + kx;
			double value;

			if (iy < 0 || iy >= x->dims[1] || ix < 0 || ix >= x->dims[2])
				continue;
			value = (double)((const float *)e->in[0])[at(x, n, iy, ix, c)];
			sum += value;
			most = value > most ? value : most;
			count++;
		}
	if (e->node->op == VRS_OP_POOL_MAX)
		return most;
	return sum / (double)(win->count_pad ? (int64_t)win->kernel_h * win->kernel_w : count);
}

void vrs_eval_pool(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *y = vrs_eval_out(e);
	size_t i = 0;

	for (int64_t n = 0; n < y->dims[0]; n++)
		for (int64_t oy = 0; oy < y->dims[1]; oy++)
			for (int64_t ox = 0; ox < y->dims[2]; ox++)
				for (int64_t c = 0; c < y->dims[3]; c++, i++)
					((float *)e->out)[i] = (float)pool_at(e, n, oy, ox, c);
}

void vrs_eval_global_avg(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0);
	int64_t pixels = x->dims[1] * x->dims[2];

	for (int64_t n = 0; n < x->dims[0]; n++)
		for (int64_t c = 0; c < x->dims[3]; c++) {
			double sum = 0;

			for (int64_t p = 0; p < pixels; p++)
				sum += (double)((const float *)e->in[0])[(n * pixels + p) * x->dims[3] + c];
			((float *)e->out)[n * x->dims[3] + c] = (float)(sum / (double)pixels);
		}
}

/* Source of output position i along one axis: two neighbours and the weight of the second. */
static void resize_source(const struct vrs_node *node, int64_t i, int64_t in, int64_t out, int64_t *low, int64_t *high, double *weight)
{
	bool corners = node->u.resize.align_corners, half = node->u.resize.half_pixel;
	double ratio = corners ? (out > 1 ? (double)(in - 1) / (double)(out - 1) : 0) : (double)in / (double)out;
	double source = half && !node->u.resize.nearest ? ((double)i + 0.5) * ratio - 0.5 : half ? ((double)i + 0.5) * ratio : (double)i * ratio;

	if (node->u.resize.nearest) {
		*low = (int64_t)floor(corners ? source + 0.5 : source);
		*low = *low > in - 1 ? in - 1 : *low;
		*high = *low;
		*weight = 0;
		return;
	}
	source = source < 0 ? 0 : source > (double)(in - 1) ? (double)(in - 1) : source;
	*low = (int64_t)floor(source);
	*high = *low + 1 < in ? *low + 1 : in - 1;
	*weight = source - (double)*low;
}

void vrs_eval_resize(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0), *y = vrs_eval_out(e);
	const float *from = e->in[0];

	for (int64_t oy = 0; oy < y->dims[1]; oy++) {
		int64_t y0, y1, x0, x1;
		double wy, wx;

		resize_source(e->node, oy, x->dims[1], y->dims[1], &y0, &y1, &wy);
		for (int64_t ox = 0; ox < y->dims[2]; ox++) {
			resize_source(e->node, ox, x->dims[2], y->dims[2], &x0, &x1, &wx);
			for (int64_t n = 0; n < y->dims[0]; n++)
				for (int64_t c = 0; c < y->dims[3]; c++) {
					double top = (double)from[at(x, n, y0, x0, c)] * (1 - wx) + (double)from[at(x, n, y0, x1, c)] * wx;
					double bottom = (double)from[at(x, n, y1, x0, c)] * (1 - wx) + (double)from[at(x, n, y1, x1, c)] * wx;

					((float *)e->out)[at(y, n, oy, ox, c)] = (float)(top * (1 - wy) + bottom * wy);
				}
		}
	}
}
