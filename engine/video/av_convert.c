/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Range and matrix are always given to swscale explicitly, before it chooses its functions: by itself it takes grey and "yuvj" formats as full
 * range and everything else as BT.601 limited, whatever the tags say.  Grey, with and without alpha, it takes as full range even then.  So where
 * no colours are mixed, it believes both sides to have the same range, and the levels are ours (av_levels.h), as is white above 8 bits.
 * Buffers come from a pool, since a fresh 4K frame costs milliseconds of page faults.
 */
#include "video/av_convert.h"

#include <string.h>

#include <libavutil/buffer.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

#include "base/mem.h"
#include "video/av_format.h"
#include "video/av_levels.h"
#include "video/av_support.h"

#define ROW_ALIGNMENT 64
/* Readable bytes after the picture: swscale's and our vector loads may run past the last sample. */
#define TAIL_BYTES 64

struct vrs_av_converter {
	struct vrs_av_shape target, source;
	struct SwsContext *scaler;
	struct vrs_av_levels *levels; /* NULL: those of swscale are right */
	AVBufferPool *pool;
};

enum vrs_status vrs_av_converter_create(struct vrs_av_converter **ret_converter, const struct vrs_av_shape *target)
{
	struct vrs_av_converter *converter;
	int bytes = av_image_get_buffer_size(target->format, target->width, target->height, ROW_ALIGNMENT);

	if (bytes <= 0)
		return VRS_EINVAL;
	converter = vrs_calloc(1, sizeof *converter);
	if (!converter)
		return VRS_ENOMEM;
	converter->target = *target;
	converter->pool = av_buffer_pool_init((size_t)bytes + ROW_ALIGNMENT + TAIL_BYTES, NULL);
	if (!converter->pool) {
		vrs_av_converter_destroy(converter);
		return VRS_ENOMEM;
	}
	*ret_converter = converter;
	return VRS_OK;
}

void vrs_av_converter_destroy(struct vrs_av_converter *converter)
{
	if (!converter)
		return;
	sws_freeContext(converter->scaler);
	vrs_av_levels_destroy(converter->levels);
	av_buffer_pool_uninit(&converter->pool);
	vrs_free(converter);
}

static const AVPixFmtDescriptor *desc_of(const struct vrs_av_shape *shape)
{
	return av_pix_fmt_desc_get(shape->format);
}

/* XYZ is among them: swscale makes RGB of it first. */
static bool is_rgb(const struct vrs_av_shape *shape)
{
	return vrs_av_format_is_rgb(shape->format) || strncmp(desc_of(shape)->name, "xyz", 3) == 0;
}

static bool is_full(const struct vrs_av_shape *shape)
{
	return is_rgb(shape) || shape->range == VRS_RANGE_FULL;
}

static bool is_grey(const struct vrs_av_shape *shape)
{
	return desc_of(shape)->nb_components <= 2 && !is_rgb(shape);
}

/* Each component of the target comes of the same one of the source: YUV and grey without another matrix, which grey has no use for. */
static bool keeps_components(const struct vrs_av_shape *source, const struct vrs_av_shape *target)
{
	if (is_rgb(source) || is_rgb(target) || desc_of(target)->comp[0].depth < 8)
		return false;
	return source->matrix == target->matrix || is_grey(source) || is_grey(target);
}

/* What swscale has to know of a side. */
struct side {
	const struct vrs_av_shape *shape;
	const int *coefficients;
	int range, first_range; /* 1: full; first_range: while it chooses its functions */
};

/* A filter that changes nothing, but keeps swscale from its shortcuts for pictures of one size.  NULL: no memory. */
static SwsVector *make_neutral(void)
{
	SwsVector *neutral = sws_allocVec(3);

	if (neutral) {
		neutral->coeff[0] = neutral->coeff[2] = 0;
		neutral->coeff[1] = 1;
	}
	return neutral;
}

static int init_scaler(struct SwsContext *scaler, bool no_shortcuts)
{
	SwsFilter filter = {0};
	int code = AVERROR(ENOMEM);

	if (!no_shortcuts)
		return sws_init_context(scaler, NULL, NULL);
	filter.lumH = make_neutral();
	if (filter.lumH)
		code = sws_init_context(scaler, &filter, NULL);
	sws_freeVec(filter.lumH);
	return code;
}

static struct SwsContext *open_scaler(const struct side *source, const struct side *target, bool no_shortcuts)
{
	const struct {
		const char *name;
		int value;
	} options[] = {
		{"srcw", source->shape->width}, {"srch", source->shape->height}, {"src_format", source->shape->format},
		{"dstw", target->shape->width}, {"dsth", target->shape->height}, {"dst_format", target->shape->format},
		{"src_range", source->first_range}, {"dst_range", target->first_range},
		{"sws_flags", SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP},
	};
	struct SwsContext *scaler = sws_alloc_context();

	for (size_t i = 0; scaler && i < sizeof options / sizeof options[0]; i++)
		(void)av_opt_set_int(scaler, options[i].name, options[i].value, 0);
	if (scaler && init_scaler(scaler, no_shortcuts) < 0) {
		sws_freeContext(scaler);
		return NULL;
	}
	/* 1 << 16 is unity in swscale's fixed point; no brightness, contrast or saturation change. */
	if (scaler)
		(void)sws_setColorspaceDetails(scaler, source->coefficients, source->range, target->coefficients, target->range, 0, 1 << 16, 1 << 16);
	return scaler;
}

/*
 * For components that are kept.  With limited range on both sides swscale shifts samples to another depth.  But while it chooses its functions grey
 * counts as full, so the other side does too: a difference would stay for good.  Not with plain grey as the source: there swscale takes the
 * difference back later, and without it copies grey into semi-planar targets as if they were planar.
 */
static struct SwsContext *open_plain(const struct vrs_av_shape *from, const struct vrs_av_shape *to)
{
	const int *coefficients = sws_getCoefficients(vrs_av_matrix(to->matrix));
	struct side source = {.shape = from, .coefficients = coefficients}, target = {.shape = to, .coefficients = coefficients};

	source.first_range = 1;
	target.first_range = desc_of(from)->nb_components != 1;
	return open_scaler(&source, &target, false);
}

static struct SwsContext *open_mixed(const struct vrs_av_shape *from, const struct vrs_av_shape *to)
{
	struct side sides[2] = {{.shape = from}, {.shape = to}};

	for (int i = 0; i < 2; i++) {
		sides[i].coefficients = sws_getCoefficients(vrs_av_matrix(sides[i].shape->matrix));
		sides[i].range = sides[i].first_range = is_full(sides[i].shape);
	}
	return open_scaler(&sides[0], &sides[1], is_grey(from)); /* grey would be copied into RGB with its own levels */
}

static enum vrs_range range_in_effect(const struct vrs_av_shape *shape)
{
	return is_full(shape) ? VRS_RANGE_FULL : VRS_RANGE_LIMITED;
}

static enum vrs_status set_levels(struct vrs_av_converter *converter, const struct vrs_av_shape *source)
{
	const struct vrs_av_shape *target = &converter->target;
	int depth = desc_of(source)->comp[0].depth;
	struct vrs_av_levels_made made = {.depth = depth < 8 ? 8 : depth > 16 ? 16 : depth, .was_full = is_full(source),
		.range = keeps_components(source, target) ? source->range : range_in_effect(target)};

	vrs_av_levels_destroy(converter->levels);
	converter->levels = NULL;
	return vrs_av_levels_create(&converter->levels, &made, target->format, range_in_effect(target));
}

/* (Re)build the scaler for a source shape. */
static enum vrs_status set_source(struct vrs_av_converter *converter, const struct vrs_av_shape *source, struct vrs_error *err)
{
	const struct vrs_av_shape *target = &converter->target;

	if (converter->scaler && memcmp(&converter->source, source, sizeof *source) == 0)
		return VRS_OK;
	vrs_av_capture_begin();
	sws_freeContext(converter->scaler);
	converter->scaler = keeps_components(source, target) ? open_plain(source, target) : open_mixed(source, target);
	if (!converter->scaler)
		return vrs_av_fail(err, VRS_EUNSUPPORTED, AVERROR(ENOSYS), "cannot convert pictures from %s to %s",
				      av_get_pix_fmt_name(source->format), av_get_pix_fmt_name(target->format));
	vrs_av_capture_end();
	if (set_levels(converter, source)) {
		sws_freeContext(converter->scaler);
		converter->scaler = NULL;
		return vrs_fail_nomem(err);
	}
	converter->source = *source;
	return VRS_OK;
}

static bool take_buffer(struct vrs_av_converter *converter, AVFrame *dst)
{
	const struct vrs_av_shape *target = &converter->target;
	uint8_t *aligned;

	dst->buf[0] = av_buffer_pool_get(converter->pool);
	if (!dst->buf[0])
		return false;
	aligned = (uint8_t *)(((uintptr_t)dst->buf[0]->data + ROW_ALIGNMENT - 1) & ~(uintptr_t)(ROW_ALIGNMENT - 1));
	dst->extended_data = dst->data;
	dst->format = target->format;
	dst->width = target->width;
	dst->height = target->height;
	return av_image_fill_arrays(dst->data, dst->linesize, aligned, target->format, target->width, target->height, ROW_ALIGNMENT) >= 0;
}

enum vrs_status vrs_av_convert(struct vrs_av_converter *converter, const AVFrame *src, const struct vrs_av_shape *shape, AVFrame *dst,
			       struct vrs_error *err)
{
	const struct vrs_av_shape *target = &converter->target;
	enum vrs_status status = set_source(converter, shape, err);
	int rows;

	if (status != VRS_OK)
		return status;
	if (!take_buffer(converter, dst))
		return vrs_fail_nomem(err);
	rows = sws_scale(converter->scaler, (const uint8_t *const *)src->data, src->linesize, 0, src->height, dst->data, dst->linesize);
	if (rows != target->height) {
		av_frame_unref(dst);
		return vrs_fail(err, VRS_EUNSUPPORTED, "cannot convert a picture from %s to %s", av_get_pix_fmt_name(shape->format),
				av_get_pix_fmt_name(target->format));
	}
	if (converter->levels)
		vrs_av_levels_apply(converter->levels, dst);
	dst->color_range = is_rgb(target) ? AVCOL_RANGE_JPEG : vrs_av_range(target->range);
	dst->colorspace = is_rgb(target) ? AVCOL_SPC_RGB : vrs_av_matrix(target->matrix);
	return VRS_OK;
}
