/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/hw_decoder.h"

#include <string.h>

#include <libavutil/hwcontext.h>

#include <vrseg/log.h>

#include "video/av_support.h"

bool vrs_hw_name_known(const char *name)
{
	return !name[0] || strcmp(name, "auto") == 0 || strcmp(name, "off") == 0 || av_hwdevice_find_type_by_name(name) != AV_HWDEVICE_TYPE_NONE;
}

static AVBufferRef *open_quietly(const char *kind)
{
	AVBufferRef *device = NULL;

	vrs_av_init();
	vrs_av_capture_begin();
	if (av_hwdevice_ctx_create(&device, av_hwdevice_find_type_by_name(kind), NULL, NULL, 0) < 0)
		device = NULL;
	vrs_av_capture_end();
	return device;
}

AVBufferRef *vrs_hw_device_open(const char *kind)
{
	AVBufferRef *device = open_quietly(kind);

	if (!device)
		vrs_log_once(kind, VRS_LOG_WARNING, "no %s device opens here; video is decoded by software", kind);
	return device;
}

bool vrs_hw_device_works(const char *kind)
{
	AVBufferRef *device = open_quietly(kind);
	bool works = device;

	av_buffer_unref(&device);
	return works;
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

int vrs_hw_fetch(AVFrame *frame)
{
	AVFrame *fetched;
	int rc;

	if (!frame->hw_frames_ctx)
		return 0;
	fetched = av_frame_alloc();
	rc = fetched ? av_hwframe_transfer_data(fetched, frame, 0) : AVERROR(ENOMEM);
	if (rc >= 0)
		rc = av_frame_copy_props(fetched, frame);
	if (rc >= 0) {
		av_frame_unref(frame);
		av_frame_move_ref(frame, fetched);
	}
	av_frame_free(&fetched);
	return rc;
}
