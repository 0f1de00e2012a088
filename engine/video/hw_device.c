/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/hw_device.h"

#include <string.h>

#include <libavutil/pixdesc.h>

#include <vrseg/log.h>

#include "base/str_parse.h"
#include "video/av_support.h"

#define POOL_FRAMES 24 /* encoders hold up to 16 references and what they look ahead */

bool vrs_hw_name_known(const char *name)
{
	return !name[0] || strcmp(name, "auto") == 0 || strcmp(name, "off") == 0 || av_hwdevice_find_type_by_name(name) != AV_HWDEVICE_TYPE_NONE;
}

/* Opens a device; what FFmpeg says is kept for vrs_av_fail or vrs_av_capture_end, which follows. */
static int open_device(AVBufferRef **ret_device, enum AVHWDeviceType type)
{
	vrs_av_init();
	vrs_av_capture_begin();
	return av_hwdevice_ctx_create(ret_device, type, NULL, NULL, 0);
}

AVBufferRef *vrs_hw_device_open(const char *kind)
{
	AVBufferRef *device = NULL;

	if (open_device(&device, av_hwdevice_find_type_by_name(kind)) < 0)
		vrs_log_once(kind, VRS_LOG_WARNING, "no %s device opens here; video is decoded by software", kind);
	vrs_av_capture_end();
	return device;
}

enum AVPixelFormat vrs_hw_get_format(AVCodecContext *decoder, const enum AVPixelFormat *offered)
{
	const AVHWDeviceContext *device = (const AVHWDeviceContext *)(const void *)decoder->hw_device_ctx->data;
	const AVCodecHWConfig *config;

	for (int i = 0; (config = avcodec_get_hw_config(decoder->codec, i)); i++)
		for (const enum AVPixelFormat *format = offered; config->device_type == device->type && *format != AV_PIX_FMT_NONE; format++)
			if (*format == config->pix_fmt && (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX))
				return *format;
	vrs_log_once("hw-format", VRS_LOG_INFO, "the %s device cannot decode this %s video; software does", av_hwdevice_get_type_name(device->type),
		     avcodec_get_name(decoder->codec_id));
	return avcodec_default_get_format(decoder, offered);
}

/* Samples from one side to the other: `to` takes the place of the frame. */
static int transfer(AVFrame *frame, AVFrame *to)
{
	int rc = av_hwframe_transfer_data(to, frame, 0);

	if (rc >= 0)
		rc = av_frame_copy_props(to, frame);
	if (rc >= 0) {
		av_frame_unref(frame);
		av_frame_move_ref(frame, to);
	}
	return rc;
}

int vrs_hw_fetch(AVFrame *frame)
{
	AVFrame *fetched;
	int rc;

	if (!frame->hw_frames_ctx)
		return 0;
	fetched = av_frame_alloc();
	rc = fetched ? transfer(frame, fetched) : AVERROR(ENOMEM);
	av_frame_free(&fetched);
	return rc;
}

static bool on_device(enum AVPixelFormat format)
{
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(format);

	return desc && (desc->flags & AV_PIX_FMT_FLAG_HWACCEL);
}

bool vrs_hw_upload_needed(const AVCodec *codec)
{
	int i = 0;

	for (; codec->pix_fmts && codec->pix_fmts[i] != AV_PIX_FMT_NONE; i++)
		if (!on_device(codec->pix_fmts[i]))
			return false;
	return i > 0;
}

enum AVPixelFormat vrs_hw_upload_format(int bit_depth)
{
	return bit_depth > 8 ? AV_PIX_FMT_P010LE : AV_PIX_FMT_NV12;
}

enum AVHWDeviceType vrs_hw_device_of(const char *encoder)
{
	if (strstr(encoder, "_nvenc"))
		return AV_HWDEVICE_TYPE_CUDA;
	if (strstr(encoder, "_vaapi"))
		return AV_HWDEVICE_TYPE_VAAPI;
	return strstr(encoder, "_qsv") ? AV_HWDEVICE_TYPE_QSV : AV_HWDEVICE_TYPE_NONE;
}

bool vrs_hw_device_opens(enum AVHWDeviceType type, char *ret_cause, size_t size)
{
	AVBufferRef *device = NULL;
	struct vrs_error err = {0};
	int rc;

	if (type == AV_HWDEVICE_TYPE_NONE)
		return false;
	rc = open_device(&device, type);
	if (rc < 0)
		(void)vrs_av_fail(&err, VRS_ECONFIG, rc, "%s", av_hwdevice_get_type_name(type));
	vrs_av_capture_end();
	av_buffer_unref(&device);
	(void)vrs_strcpy(ret_cause, size, err.text); /* cut, it still says something */
	return rc >= 0;
}

static int make_frames(AVCodecContext *context, AVBufferRef *device, enum AVPixelFormat format)
{
	AVHWFramesContext *frames;

	context->hw_frames_ctx = av_hwframe_ctx_alloc(device);
	if (!context->hw_frames_ctx)
		return AVERROR(ENOMEM);
	frames = (AVHWFramesContext *)(void *)context->hw_frames_ctx->data;
	frames->format = context->pix_fmt;
	frames->sw_format = format;
	frames->width = context->width;
	frames->height = context->height;
	frames->initial_pool_size = POOL_FRAMES;
	return av_hwframe_ctx_init(context->hw_frames_ctx);
}

enum vrs_status vrs_hw_upload_open(AVCodecContext *context, const AVCodec *codec, enum AVPixelFormat format, struct vrs_error *err)
{
	enum AVHWDeviceType type = vrs_hw_device_of(codec->name);
	AVBufferRef *device = NULL;
	int rc;

	if (type == AV_HWDEVICE_TYPE_NONE)
		return vrs_fail(err, VRS_ECONFIG, "encoder %s takes pictures of a device that is not supported; choose another encoder", codec->name);
	rc = open_device(&device, type);
	context->pix_fmt = codec->pix_fmts[0];
	if (rc >= 0)
		rc = make_frames(context, device, format);
	av_buffer_unref(&device); /* the frames hold it */
	if (rc < 0)
		return vrs_av_fail(err, VRS_ECONFIG, rc, "encoder %s does not work here; choose --encoder libx264, or hardware for what does: %s",
				      codec->name, av_hwdevice_get_type_name(type));
	vrs_av_capture_end();
	return VRS_OK;
}

enum vrs_status vrs_hw_upload(AVCodecContext *context, AVFrame *frame, struct vrs_error *err)
{
	AVFrame *up = av_frame_alloc();
	int rc = up ? av_hwframe_get_buffer(context->hw_frames_ctx, up, 0) : AVERROR(ENOMEM);

	if (rc >= 0)
		rc = transfer(frame, up);
	av_frame_free(&up);
	return rc < 0 ? vrs_av_fail(err, VRS_EINTERNAL, rc, "cannot move a picture to the encoder %s", context->codec->name) : VRS_OK;
}
