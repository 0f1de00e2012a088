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

/* Input pixel i reaches output pixel i * stride + k * dilation - pad with weight k; read backwards from the output: -1 where none does. */
static int64_t deconv_source(int64_t out, int64_t k, int pad, int stride, int dilation, int64_t in)
{
	int64_t place = out + pad - k * dilation;

	return place < 0 || place % stride != 0 || place / stride >= in ? -1 : place / stride;
}

static double deconv_at(const struct vrs_eval *e, int64_t n, int64_t oy, int64_t ox, int64_t o)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0), *w = vrs_eval_in(e, 1);
	const struct vrs_window *win = &e->node->u.window;
	int64_t channels = w->dims[3], first = o / (w->dims[0] / win->groups) * channels;
	double sum = e->in[2] != NULL ? (double)((const float *)e->in[2])[o] : 0;

	for (int64_t ky = 0; ky < win->kernel_h; ky++) {
		int64_t iy = deconv_source(oy, ky, win->pad_top, win->stride_h, win->dilation_h, x->dims[1]);

		for (int64_t kx = 0; kx < win->kernel_w && iy >= 0; kx++) {
			int64_t ix = deconv_source(ox, kx, win->pad_left, win->stride_w, win->dilation_w, x->dims[2]);
			const float *from, *weights;

			if (ix < 0)
				continue;
			from = (const float *)e->in[0] + at(x, n, iy, ix, first);
			weights = (const float *)e->in[1] + ((o * win->kernel_h + ky) * win->kernel_w + kx) * channels;
			for (int64_t i = 0; i < channels; i++)
				sum += (double)from[i] * (double)weights[i];
		}
	}
	return sum;
}

/* Every value of the output through the epilogue. */
static void store_all(const struct vrs_eval *e, double (*value_at)(const struct vrs_eval *e, int64_t n, int64_t oy, int64_t ox, int64_t o))
{
	const struct vrs_graph_tensor *y = vrs_eval_out(e);
	size_t i = 0;

	for (int64_t n = 0; n < y->dims[0]; n++)
		for (int64_t oy = 0; oy < y->dims[1]; oy++)
			for (int64_t ox = 0; ox < y->dims[2]; ox++)
				for (int64_t o = 0; o < y->dims[3]; o++, i++)
					vrs_eval_store(e, i, value_at(e, n, oy, ox, o));
}

void vrs_eval_conv(const struct vrs_eval *e)
{
	store_all(e, conv_at);
}

void vrs_eval_deconv(const struct vrs_eval *e)
{
	store_all(e, deconv_at);
}

/* The window of one output value: sum, largest value, its place as pool_index counts, and the number of places that count. */
struct pooled {
	double sum, most;
	int64_t place, count;
};

static struct pooled pool_at(const struct vrs_eval *e, int64_t n, int64_t oy, int64_t ox, int64_t c)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0);
	const struct vrs_window *win = &e->node->u.window;
	struct pooled p = {.most = -INFINITY};
	int64_t map = (n * x->dims[3] + c) * x->dims[1] * x->dims[2];
	bool any = false;

	for (int64_t ky = 0; ky < win->kernel_h; ky++)
		for (int64_t kx = 0; kx < win->kernel_w; kx++) {
			int64_t iy = oy * win->stride_h - win->pad_top + ky * win->dilation_h, ix = ox * win->stride_w - win->pad_left + kx * win->dilation_w;
			bool inside = iy >= 0 && iy < x->dims[1] && ix >= 0 && ix < x->dims[2];
			double value;

			p.count += inside || (win->count_pad && iy < x->dims[1] + win->pad_bottom && ix < x->dims[2] + win->pad_right);
			if (!inside)
				continue;
			value = (double)((const float *)e->in[0])[at(x, n, iy, ix, c)];
			p.sum += value;
			/* What is no number gives way to the next value, as in the kernels: "a > b ? a : b"; of equal values the first one counts. */
			if (value > p.most || !any || isnan(value) || isnan(p.most)) {
				p.most = value;
				p.place = map + (win->column_major ? ix * x->dims[1] + iy : iy * x->dims[2] + ix);
			}
			any = true;
		}
	return p;
}

void vrs_eval_pool(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *y = vrs_eval_out(e);
	size_t i = 0;

	for (int64_t n = 0; n < y->dims[0]; n++)
		for (int64_t oy = 0; oy < y->dims[1]; oy++)
			for (int64_t ox = 0; ox < y->dims[2]; ox++)
				for (int64_t c = 0; c < y->dims[3]; c++, i++) {
					struct pooled p = pool_at(e, n, oy, ox, c);

					if (e->node->op == VRS_OP_POOL_INDEX)
						((int64_t *)e->out)[i] = p.place;
					else if (e->node->op == VRS_OP_POOL_MAX)
						((float *)e->out)[i] = (float)p.most;
					else
						((float *)e->out)[i] = p.count > 0 ? (float)(p.sum / (double)p.count) : 0;
				}
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
