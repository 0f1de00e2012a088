/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/png_write.h"

#include <string.h>

#include <libavcodec/avcodec.h>

#include "base/file.h"
#include "video/av_support.h"

#define MAX_SIDE 32767

/* The encoder takes one frame and gives one packet: the complete file. */
static int encode(AVCodecContext *context, const AVFrame *frame, AVPacket *pkt)
{
	int rc = avcodec_send_frame(context, frame);

	if (rc >= 0)
		rc = avcodec_send_frame(context, NULL);
	return rc < 0 ? rc : avcodec_receive_packet(context, pkt);
}

enum vrs_status vrs_png_write(const char *path, int w, int h, const uint8_t *rgb, ptrdiff_t stride, struct vrs_error *err)
{
	const AVCodec *codec = avcodec_find_encoder(AV_CODEC_ID_PNG);
	AVCodecContext *context;
	AVFrame *frame;
	AVPacket *pkt;
	enum vrs_status status = VRS_OK;
	int rc = AVERROR(ENOMEM);

	vrs_av_init();
	if (!path || !rgb || w < 1 || h < 1 || w > MAX_SIDE || h > MAX_SIDE || stride < (ptrdiff_t)w * 3)
		return vrs_fail(err, VRS_EINVAL, "a picture of %d x %d cannot be written", w, h);
	if (!codec)
		return vrs_fail(err, VRS_EUNSUPPORTED, "this FFmpeg cannot write PNG");
	context = avcodec_alloc_context3(codec);
	frame = av_frame_alloc();
	pkt = av_packet_alloc();
	if (context && frame && pkt) {
		context->width = frame->width = w;
		context->height = frame->height = h;
		context->pix_fmt = AV_PIX_FMT_RGB24;
		frame->format = AV_PIX_FMT_RGB24;
		context->time_base = (AVRational){1, 1};
		context->thread_count = 1;
		rc = av_frame_get_buffer(frame, 0); /* the encoder's queue needs counted buffers */
	}
	for (int y = 0; rc >= 0 && y < h; y++)
		memcpy(frame->data[0] + (ptrdiff_t)y * frame->linesize[0], rgb + y * stride, (size_t)w * 3);
	if (rc >= 0)
		rc = avcodec_open2(context, codec, NULL);
	if (rc >= 0)
		rc = encode(context, frame, pkt);
	if (rc < 0)
		status = vrs_av_fail_as(err, VRS_EINTERNAL, rc, "cannot make the picture %s", path);
	else
		status = vrs_file_replace(path, pkt->data, (size_t)pkt->size, err);
	av_packet_free(&pkt);
	av_frame_free(&frame);
	avcodec_free_context(&context);
	return status;
}
