/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Range and matrix are always given to swscale explicitly: by itself it takes grey and "yuvj" formats as full range and everything else as
 * BT.601 limited, whatever the tags say.  Buffers come from a pool, since a fresh 4K frame costs milliseconds of page faults.
 */
#include "video/av_convert.h"

#include <string.h>

#include <libavutil/buffer.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

#include "base/mem.h"
#include "video/av_format.h"
#include "video/av_support.h"

#define ROW_ALIGNMENT 64
/* Readable bytes after the picture: swscale's and our vector loads may run past the last sample. */
#define TAIL_BYTES 64

struct vrs_av_converter {
	struct vrs_av_shape target, source;
	struct SwsContext *scaler;
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
	av_buffer_pool_uninit(&converter->pool);
	vrs_free(converter);
}

static bool is_rgb(enum AVPixelFormat format)
{
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(format);

	return desc && (desc->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) != 0;
}

static int sws_range(const struct vrs_av_shape *shape)
{
	return is_rgb(shape->format) || shape->range == VRS_RANGE_FULL;
}

/* (Re)build the scaler for a source shape. */
static enum vrs_status set_source(struct vrs_av_converter *converter, const struct vrs_av_shape *source, struct vrs_error *err)
{
	const struct vrs_av_shape *target = &converter->target;
	int flags = SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP;

	if (converter->scaler && memcmp(&converter->source, source, sizeof *source) == 0)
		return VRS_OK;
	vrs_av_capture_begin();
	sws_freeContext(converter->scaler);
	converter->scaler = sws_getContext(source->width, source->height, source->format, target->width, target->height, target->format, flags,
					   NULL, NULL, NULL);
	if (!converter->scaler)
		return vrs_av_fail(err, VRS_EUNSUPPORTED, AVERROR(ENOSYS), "cannot convert pictures from %s to %s",
				      av_get_pix_fmt_name(source->format), av_get_pix_fmt_name(target->format));
	/* 1 << 16 is unity in swscale's fixed point; no brightness, contrast or saturation change. */
	(void)sws_setColorspaceDetails(converter->scaler, sws_getCoefficients(vrs_av_matrix(source->matrix)), sws_range(source),
				       sws_getCoefficients(vrs_av_matrix(target->matrix)), sws_range(target), 0, 1 << 16, 1 << 16);
	vrs_av_capture_end();
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
	dst->color_range = is_rgb(target->format) ? AVCOL_RANGE_JPEG : vrs_av_range(target->range);
	dst->colorspace = is_rgb(target->format) ? AVCOL_SPC_RGB : vrs_av_matrix(target->matrix);
	return VRS_OK;
}
