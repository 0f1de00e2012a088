/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/frame_fit.h"

#include <string.h>

#include <libavutil/frame.h>

#include "base/mem.h"
#include "video/av_convert.h"
#include "video/av_format.h"

struct vrs_frame_fit {
	struct vrs_frame_fit_options options;
	struct vrs_rect crop[VRS_FIT_MAX_PARTS];
	int like[VRS_FIT_MAX_PARTS];      /* part that shows the same at the same size; itself: none before it */
	struct vrs_av_converter *converter[VRS_FIT_MAX_PARTS];
	AVFrame *made[VRS_FIT_MAX_PARTS]; /* scaled parts of the picture at hand */
};

/* How many times as wide samples of the target are shown as those of the source. */
static double relative_aspect(const struct vrs_frame_fit_options *options)
{
	double source = options->source_aspect > 0 ? options->source_aspect : 1, target = options->target_aspect > 0 ? options->target_aspect : 1;

	return target / source;
}

/* Whole samples; a shape that comes out whole by its fractions is not cut for a rounded bit. */
static int whole(double length)
{
	return length < 1 ? 1 : (int)(length + 1e-6);
}

/*
 * The largest part of `from` that is shown in the shape of `to`, whose samples are `aspect` times as wide, in its middle; begins at even places, so
 * that chroma is cut too.
 */
static struct vrs_rect crop_to_shape(const struct vrs_rect *from, const struct vrs_rect *to, double aspect)
{
	double across = (double)from->width * to->height, down = (double)from->height * to->width * aspect;
	int width = from->width, height = from->height;

	if (across > down)
		width = whole(down / to->height);
	else
		height = whole(across / (to->width * aspect));
	return (struct vrs_rect){(from->x + (from->width - width) / 2) & ~1, (from->y + (from->height - height) / 2) & ~1, width, height};
}

static bool same_samples(const struct vrs_picture_format *a, const struct vrs_picture_format *b)
{
	return a->planes == b->planes && a->bit_depth == b->bit_depth && a->chroma_shift_x == b->chroma_shift_x &&
	       a->chroma_shift_y == b->chroma_shift_y && a->matrix == b->matrix && a->range == b->range;
}

bool vrs_frame_fit_is_identity(const struct vrs_frame_fit_options *options)
{
	const struct vrs_picture_format *source = &options->source, *target = &options->target;
	bool same = same_samples(source, target) && source->width == target->width && source->height == target->height &&
		    relative_aspect(options) == 1;

	for (int i = 0; i < options->count; i++)
		same = same && memcmp(&options->from[i], &options->to[i], sizeof options->to[i]) == 0;
	return same;
}

enum vrs_status vrs_frame_fit_create(struct vrs_frame_fit **ret_fit, const struct vrs_frame_fit_options *options)
{
	struct vrs_frame_fit *fit;
	enum vrs_status status = VRS_OK;

	if (options->count < 1 || options->count > VRS_FIT_MAX_PARTS)
		return VRS_EINVAL;
	for (int i = 0; i < options->count; i++)
		if (!vrs_rect_fits(&options->from[i], &options->source) || !vrs_rect_fits(&options->to[i], &options->target))
			return VRS_EINVAL;
	fit = vrs_calloc(1, sizeof *fit);
	if (!fit)
		return VRS_ENOMEM;
	fit->options = *options;
	for (int i = 0; i < options->count && status == VRS_OK; i++) {
		const struct vrs_rect *to = &options->to[i];
		struct vrs_av_shape shape = {vrs_av_format_of(&options->target), to->width, to->height, options->target.matrix, options->target.range};

		fit->crop[i] = crop_to_shape(&options->from[i], to, relative_aspect(options));
		fit->like[i] = i;
		for (int k = i - 1; k >= 0; k--)
			if (memcmp(&fit->crop[k], &fit->crop[i], sizeof fit->crop[i]) == 0 && options->to[k].width == to->width && options->to[k].height == to->height)
				fit->like[i] = k;
		status = shape.format == AV_PIX_FMT_NONE ? VRS_EINVAL : vrs_av_converter_create(&fit->converter[i], &shape);
	}
	if (status != VRS_OK) {
		vrs_frame_fit_destroy(fit);
		return status;
	}
	*ret_fit = fit;
	return VRS_OK;
}

void vrs_frame_fit_destroy(struct vrs_frame_fit *fit)
{
	if (!fit)
		return;
	for (int i = 0; i < VRS_FIT_MAX_PARTS; i++) {
		av_frame_free(&fit->made[i]);
		vrs_av_converter_destroy(fit->converter[i]);
	}
	vrs_free(fit);
}

/* Part i of the source, scaled. */
static enum vrs_status scale_part(struct vrs_frame_fit *fit, int i, const struct vrs_frame *src, struct vrs_error *err)
{
	const struct vrs_picture_format *format = &fit->options.source;
	const struct vrs_rect *crop = &fit->crop[i];
	struct vrs_av_shape shape = {vrs_av_format_of(format), crop->width, crop->height, format->matrix, format->range};
	AVFrame *part = av_frame_alloc();
	enum vrs_status status = VRS_ENOMEM;

	av_frame_free(&fit->made[i]);
	fit->made[i] = av_frame_alloc();
	if (part && fit->made[i]) {
		part->format = shape.format;
		part->width = crop->width;
		part->height = crop->height;
		for (int p = 0; p < format->planes; p++) {
			int sx = p == 1 || p == 2 ? format->chroma_shift_x : 0, sy = p == 1 || p == 2 ? format->chroma_shift_y : 0;

			part->data[p] = src->data[p] + src->stride_bytes[p] * (crop->y >> sy) + (crop->x >> sx) * vrs_sample_bytes(format);
			part->linesize[p] = (int)src->stride_bytes[p];
		}
		status = vrs_av_convert(fit->converter[i], part, &shape, fit->made[i], err);
	}
	av_frame_free(&part);
	return status;
}

static void place_part(const struct vrs_frame_fit *fit, int i, struct vrs_frame *dst)
{
	const struct vrs_picture_format *format = &fit->options.target;
	const struct vrs_rect *to = &fit->options.to[i];
	const AVFrame *made = fit->made[fit->like[i]];
	size_t bytes = (size_t)vrs_sample_bytes(format);

	for (int p = 0; p < format->planes; p++) {
		int sx = p == 1 || p == 2 ? format->chroma_shift_x : 0, sy = p == 1 || p == 2 ? format->chroma_shift_y : 0;
		int width = (to->width + (1 << sx) - 1) >> sx, height = (to->height + (1 << sy) - 1) >> sy;

		for (int y = 0; y < height; y++)
			memcpy(dst->data[p] + dst->stride_bytes[p] * ((to->y >> sy) + y) + (size_t)(to->x >> sx) * bytes,
			       made->data[p] + (ptrdiff_t)made->linesize[p] * y, (size_t)width * bytes);
	}
}

enum vrs_status vrs_frame_fit_run(struct vrs_frame_fit *fit, const struct vrs_frame *src, struct vrs_frame *dst, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;

	for (int i = 0; i < fit->options.count && status == VRS_OK; i++) {
		if (fit->like[i] == i)
			status = scale_part(fit, i, src, err);
		if (status == VRS_OK)
			place_part(fit, i, dst);
	}
	return status;
}
