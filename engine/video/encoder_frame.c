/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/encoder_frame.h"

#include <string.h>

#include <libavutil/pixdesc.h>

#include "base/mem.h"
#include "video/av_format.h"
#include "video/av_support.h"
#include "video/hw_upload.h"

static void release_owner(void *opaque, uint8_t *data)
{
	struct vrs_frame *owner = opaque;

	(void)data; /* lies in the owner's memory */
	vrs_frame_unref(owner);
	vrs_free(owner);
}

/* An AVFrame over the samples of `frame`, without copy; the encoder may keep it as long as it likes. Takes the frame. */
static AVFrame *wrap_frame(struct vrs_frame *frame)
{
	AVFrame *av = av_frame_alloc();
	struct vrs_frame *owner = vrs_alloc(sizeof *owner);

	if (av && owner) {
		*owner = *frame;
		av->buf[0] = av_buffer_create(frame->data[0], (size_t)frame->format.height, release_owner, owner, AV_BUFFER_FLAG_READONLY);
	}
	if (!av || !owner || !av->buf[0]) {
		vrs_frame_unref(frame);
		vrs_free(owner);
		av_frame_free(&av);
		return NULL;
	}
	vrs_av_frame_tag(av, &frame->format);
	for (int p = 0; p < frame->format.planes; p++) {
		av->data[p] = frame->data[p];
		av->linesize[p] = (int)frame->stride_bytes[p];
	}
	av->pts = frame->pts;
	memset(frame, 0, sizeof *frame);
	return av;
}

/* swscale shifts alpha to another depth, so that opaque falls short of it by up to three steps: the plane is made anew, 255 is 1023. */
static void widen_alpha(const AVFrame *from, AVFrame *to)
{
	const AVComponentDescriptor *in = &av_pix_fmt_desc_get(from->format)->comp[3], *out = &av_pix_fmt_desc_get(to->format)->comp[3];
	uint32_t top_in = (1u << in->depth) - 1, top_out = (1u << out->depth) - 1;

	for (int y = 0; y < to->height; y++) {
		const uint8_t *src = from->data[3] + (ptrdiff_t)from->linesize[3] * y;
		uint16_t *dst = (uint16_t *)(void *)(to->data[3] + (ptrdiff_t)to->linesize[3] * y);

		for (int x = 0; x < to->width; x++) {
			uint32_t value = in->depth > 8 ? ((const uint16_t *)(const void *)src)[x] : src[x];

			dst[x] = (uint16_t)((value * top_out + top_in / 2) / top_in);
		}
	}
}

/* Alpha planes of one size and different depths, the second above 8 bits. */
static bool alpha_is_widened(const AVFrame *from, const AVFrame *to)
{
	const AVPixFmtDescriptor *in = av_pix_fmt_desc_get(from->format), *out = av_pix_fmt_desc_get(to->format);

	return in->nb_components == 4 && out->nb_components == 4 && out->comp[3].plane == 3 && (out->flags & AV_PIX_FMT_FLAG_PLANAR) &&
	       !(out->flags & (AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_FLOAT)) && out->comp[3].depth > 8 && out->comp[3].depth != in->comp[3].depth;
}

static enum vrs_status convert(struct vrs_encoder_feed *feed, const AVCodecContext *context, AVFrame **av, struct vrs_error *err)
{
	AVFrame *made = av_frame_alloc();
	enum vrs_status status = VRS_ENOMEM;

	(*av)->width = context->width; /* cut, where the encoder's size is smaller */
	(*av)->height = context->height;
	if (made)
		status = vrs_av_convert(feed->converter, *av, &feed->shape, made, err);
	if (status != VRS_OK) {
		av_frame_free(&made);
		return status;
	}
	if (alpha_is_widened(*av, made))
		widen_alpha(*av, made);
	made->pts = (*av)->pts;
	made->color_primaries = (*av)->color_primaries;
	made->color_trc = (*av)->color_trc;
	made->chroma_location = (*av)->chroma_location;
	av_frame_free(av);
	*av = made;
	return VRS_OK;
}

/*
 * Encoders that work on whole frames in parallel hold one for each thread.  They get copies, so that a caller with a pool of frames does not
 * wait for frames that are waiting here.
 */
static enum vrs_status copy_for_threads(const AVCodecContext *context, AVFrame **av, struct vrs_error *err)
{
	AVFrame *copy;
	int rc;

	if (!(context->active_thread_type & FF_THREAD_FRAME))
		return VRS_OK;
	copy = av_frame_alloc();
	rc = copy ? av_frame_copy_props(copy, *av) : AVERROR(ENOMEM);
	if (rc >= 0) {
		copy->format = (*av)->format;
		copy->width = (*av)->width;
		copy->height = (*av)->height;
		rc = av_frame_get_buffer(copy, 0);
	}
	if (rc >= 0)
		rc = av_frame_copy(copy, *av);
	if (rc < 0) {
		av_frame_free(&copy);
		return vrs_av_fail_as(err, VRS_EINTERNAL, rc, "cannot copy a frame for encoder %s", context->codec->name);
	}
	av_frame_free(av);
	*av = copy;
	return VRS_OK;
}

/* Time stamp in the encoder's time base, strictly increasing there too. */
static void stamp(struct vrs_encoder_feed *feed, const AVCodecContext *context, AVFrame *av)
{
	av->pts = av_rescale_q(av->pts, feed->time_base, context->time_base);
	if (feed->any_frame && av->pts <= feed->last_pts)
		av->pts = feed->last_pts + 1;
	feed->last_pts = av->pts;
	feed->any_frame = true;
}

enum vrs_status vrs_encoder_frame_make(struct vrs_encoder_feed *feed, AVCodecContext *context, struct vrs_frame *frame, AVFrame **ret_av,
				       struct vrs_error *err)
{
	AVFrame *av = wrap_frame(frame);
	enum vrs_status status;

	if (!av)
		return vrs_fail(err, VRS_ENOMEM, "no memory for a frame");
	stamp(feed, context, av);
	if (feed->converter) {
		status = convert(feed, context, &av, err);
	} else {
		av->format = context->pix_fmt; /* "yuvj" twin, or without the alpha plane */
		av->width = context->width;
		av->height = context->height;
		av->color_range = context->color_range;
		status = copy_for_threads(context, &av, err);
	}
	if (context->flags & AV_CODEC_FLAG_QSCALE)
		av->quality = context->global_quality; /* some encoders look at the frame alone */
	if (status == VRS_OK && context->hw_frames_ctx)
		status = vrs_hw_upload(context, &av, err);
	if (status != VRS_OK)
		av_frame_free(&av);
	else
		*ret_av = av;
	return status;
}
