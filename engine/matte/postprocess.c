/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/postprocess.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

struct vrs_postprocess {
	struct vrs_postprocess_options options;
	bool has_past;
	struct vrs_scene_signature past_scene;
	float *smoothed;     /* NULL when smoothing is off */
	float *moved;        /* room for it at another part of the picture */
	struct vrs_rect past_view;
	uint8_t curve[256];  /* cutoff and gamma */
};

/* NaN fails both comparisons and becomes 0. */
static float clamp_unit(float value)
{
	return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
}

void vrs_alpha_from_output(float *dst, const float *src, size_t n, int channels, int channel, enum vrs_alpha_kind kind)
{
	size_t step = (size_t)channels;
	src += channel;
	switch (kind) {
	case VRS_ALPHA_PROBABILITY:
		for (size_t i = 0; i < n; i++)
			dst[i] = clamp_unit(src[i * step]);
		break;
	case VRS_ALPHA_LOGITS:
		for (size_t i = 0; i < n; i++)
			dst[i] = clamp_unit(1.0f / (1.0f + expf(-src[i * step])));
		break;
	case VRS_ALPHA_SOFTMAX2:
		for (size_t i = 0; i < n; i++)
			dst[i] = clamp_unit(1.0f / (1.0f + expf(src[i * step + (channel ? -1 : 1)] - src[i * step])));
		break;
	}
}

static void make_curve(uint8_t curve[256], double cutoff, double gamma)
{
	for (int i = 0; i < 256; i++) {
		double alpha = (i / 255.0 - cutoff) / (1 - cutoff);
		curve[i] = (uint8_t)lrint(255 * pow(alpha > 0 ? alpha : 0, gamma));
	}
}

enum vrs_status vrs_postprocess_create(struct vrs_postprocess **ret_postprocess, const struct vrs_postprocess_options *options)
{
	if (options->width < 1 || options->height < 1 || !(options->smoothing > 0 && options->smoothing <= 1) ||
	    !(options->cutoff >= 0 && options->cutoff <= 0.95) || !(options->gamma > 0))
		return VRS_EINVAL;
	struct vrs_postprocess *post = vrs_calloc(1, sizeof *post);
	if (!post)
		return VRS_ENOMEM;
	post->options = *options;
	make_curve(post->curve, options->cutoff, options->gamma);
	size_t n;
	if (options->smoothing < 1 && (!vrs_mul_size((size_t)options->width, (size_t)options->height, &n) ||
				       !(post->smoothed = vrs_calloc(n, sizeof *post->smoothed)) ||
				       !(post->moved = vrs_calloc(n, sizeof *post->moved)))) {
		vrs_postprocess_destroy(post);
		return VRS_ENOMEM;
	}
	*ret_postprocess = post;
	return VRS_OK;
}

void vrs_postprocess_destroy(struct vrs_postprocess *postprocess)
{
	if (!postprocess)
		return;
	vrs_free(postprocess->smoothed);
	vrs_free(postprocess->moved);
	vrs_free(postprocess);
}

void vrs_postprocess_reset(struct vrs_postprocess *postprocess)
{
	postprocess->has_past = false;
}

/* Exponential smoothing in place of the state; returns the values to show. */
static const float *smooth(struct vrs_postprocess *post, const float *alpha, bool fresh)
{
	if (!post->smoothed)
		return alpha;
	float *state = post->smoothed, weight = fresh ? 1.0f : (float)post->options.smoothing;
	size_t n = (size_t)post->options.width * (size_t)post->options.height;
	for (size_t i = 0; i < n; i++)
		state[i] = fresh ? alpha[i] : state[i] + weight * (alpha[i] - state[i]);
	return state;
}

/* Past value at (x, y) of the past matte, between its pixels; `none` outside it. */
static float past_at(const struct vrs_postprocess *post, double x, double y, float none)
{
	int width = post->options.width, height = post->options.height;
	if (x < 0 || y < 0 || x > width || y > height)
		return none;
	x = fmin(fmax(x - 0.5, 0), width - 1);
	y = fmin(fmax(y - 0.5, 0), height - 1);
	int x0 = (int)x, y0 = (int)y, x1 = x0 + 1 < width ? x0 + 1 : x0, y1 = y0 + 1 < height ? y0 + 1 : y0;
	const float *above = post->smoothed + (size_t)y0 * (size_t)width, *below = post->smoothed + (size_t)y1 * (size_t)width;
	float fx = (float)(x - x0), fy = (float)(y - y0);
	float top = above[x0] + fx * (above[x1] - above[x0]), bottom = below[x0] + fx * (below[x1] - below[x0]);
	return top + fy * (bottom - top);
}

/* The past goes where the new matte covers the picture. */
static void move_past(struct vrs_postprocess *post, const float *alpha, const struct vrs_rect *view)
{
	const struct vrs_rect *past = &post->past_view;
	int width = post->options.width, height = post->options.height;
	if (!post->smoothed || !post->has_past || memcmp(view, past, sizeof *view) == 0)
		return;
	for (int y = 0; y < height; y++) {
		double picture_y = view->y + (y + 0.5) * view->height / height, at_y = (picture_y - past->y) * height / past->height;
		for (int x = 0; x < width; x++) {
			double picture_x = view->x + (x + 0.5) * view->width / width, at_x = (picture_x - past->x) * width / past->width;
			size_t i = (size_t)y * (size_t)width + (size_t)x;
			post->moved[i] = past_at(post, at_x, at_y, alpha[i]);
		}
	}
	float *free_now = post->smoothed;
	post->smoothed = post->moved;
	post->moved = free_now;
}

bool vrs_postprocess_run(struct vrs_postprocess *postprocess, const float *alpha, const struct vrs_rect *view,
			 const struct vrs_scene_signature *signature, struct vrs_matte *dst)
{
	if (view) {
		move_past(postprocess, alpha, view);
		postprocess->past_view = *view;
	}
	bool cut = postprocess->has_past && signature && vrs_scene_cut(&postprocess->past_scene, signature);
	const float *shown = smooth(postprocess, alpha, cut || !postprocess->has_past);
	for (int y = 0; y < postprocess->options.height; y++) {
		uint8_t *row = dst->data + dst->stride * y;
		const float *src = shown + (size_t)y * (size_t)postprocess->options.width;
		for (int x = 0; x < postprocess->options.width; x++)
			row[x] = (uint8_t)(src[x] * 255.0f + 0.5f);
		for (int x = 0; x < postprocess->options.width; x++)
			row[x] = postprocess->curve[row[x]];
	}
	if (signature)
		postprocess->past_scene = *signature;
	postprocess->has_past = true;
	return cut;
}
