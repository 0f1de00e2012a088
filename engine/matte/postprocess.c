/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/postprocess.h"

#include <math.h>
#include <string.h>

#include "matte/edges.h"
#include "matte/guided.h"

struct vrs_postprocess {
	struct vrs_postprocess_options options;
	struct vrs_temporal *temporal;
	struct vrs_guided *guided;   /* NULL: off */
	float *refined;
	struct vrs_edges *edges;     /* NULL: neither grow nor feather */
	uint8_t curve[256];          /* cutoff and gamma */
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

static bool in_range(const struct vrs_postprocess_options *o)
{
	return o->temporal.width >= 1 && o->temporal.height >= 1 && o->cutoff >= 0 && o->cutoff <= 0.95 && o->gamma > 0 && o->feather >= 0 &&
	       fabs(o->grow) <= 65536;
}

bool vrs_postprocess_needs_luma(const struct vrs_postprocess_options *o)
{
	return o->refine_radius > 0 || vrs_temporal_needs_luma(&o->temporal);
}

enum vrs_status vrs_postprocess_create(struct vrs_postprocess **ret_postprocess, struct vrs_arena *arena,
				       const struct vrs_postprocess_options *options)
{
	if (!in_range(options))
		return VRS_EINVAL;
	struct vrs_postprocess *post = vrs_arena_calloc(arena, 1, sizeof *post);
	if (!post)
		return VRS_ENOMEM;
	post->options = *options;
	make_curve(post->curve, options->cutoff, options->gamma);
	post->options.temporal.keeps_luma = options->refine_radius > 0;
	int width = options->temporal.width, height = options->temporal.height;
	enum vrs_status status = vrs_temporal_create(&post->temporal, arena, &post->options.temporal);
	if (status == VRS_OK && options->refine_radius != 0) {
		post->refined = vrs_arena_calloc(arena, (size_t)width * (size_t)height, sizeof *post->refined);
		status = vrs_guided_create(&post->guided, arena, width, height, options->refine_radius, options->refine_eps, options->refine_limit);
	}
	if (status == VRS_OK && (options->grow != 0 || options->feather > 0))
		status = vrs_edges_create(&post->edges, arena, width, height);
	*ret_postprocess = post;
	return status;
}

void vrs_postprocess_reset(struct vrs_postprocess *post)
{
	vrs_temporal_reset(post->temporal);
}

bool vrs_postprocess_push(struct vrs_postprocess *post, const struct vrs_temporal_frame *frame)
{
	return vrs_temporal_push(post->temporal, frame);
}

/* 0..1 to bytes, through cutoff and gamma. */
static void write_bytes(const struct vrs_postprocess *post, const float *alpha, struct vrs_matte *dst)
{
	int width = post->options.temporal.width;
	for (int y = 0; y < post->options.temporal.height; y++) {
		uint8_t *row = dst->data + dst->stride * y;
		const float *src = alpha + (size_t)y * (size_t)width;
		for (int x = 0; x < width; x++)
			row[x] = (uint8_t)(src[x] * 255.0f + 0.5f);
		for (int x = 0; x < width; x++)
			row[x] = post->curve[row[x]];
	}
}

bool vrs_postprocess_take(struct vrs_postprocess *post, bool end, struct vrs_matte *dst, struct vrs_rect *ret_view)
{
	const struct vrs_postprocess_options *o = &post->options;
	int width = o->temporal.width, height = o->temporal.height;
	struct vrs_temporal_frame frame;
	if (!vrs_temporal_take(post->temporal, end, &frame))
		return false;
	const float *alpha = frame.alpha;
	if (post->guided) {
		memcpy(post->refined, alpha, (size_t)width * (size_t)height * sizeof *alpha);
		vrs_guided_run(post->guided, post->refined, frame.luma);
		alpha = post->refined;
	}
	write_bytes(post, alpha, dst);
	if (post->edges) {
		bool wraps = o->temporal.circle > 0 && frame.view->width >= o->temporal.circle; /* the whole of an eye that shows 360 degrees */
		double x = (double)width / frame.view->width, y = (double)height / frame.view->height;
		vrs_edges_grow(post->edges, dst, o->grow * x, o->grow * y, wraps);
		vrs_edges_feather(post->edges, dst, o->feather * x, o->feather * y, wraps);
	}
	if (ret_view)
		*ret_view = *frame.view;
	return true;
}

bool vrs_postprocess_archive(struct vrs_postprocess *post, struct vrs_archive *archive, const struct vrs_rect *eye)
{
	return vrs_temporal_archive(post->temporal, archive, eye); /* all else knows one frame */
}

int vrs_postprocess_waiting(const struct vrs_postprocess *post)
{
	return vrs_temporal_waiting(post->temporal);
}
