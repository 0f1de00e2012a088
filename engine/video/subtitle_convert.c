/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/subtitle_convert.h"

#include <string.h>

#include <libavcodec/avcodec.h>

#include <vrseg/log.h>

#include "base/mem.h"

#define MOST_BYTES (1 << 20) /* of one converted subtitle, as in FFmpeg's own tools, */
#define MOST_TEXT (32 << 10) /* and of what is converted: FFmpeg's time grows with its square (10 s for 1 MB) */

struct vrs_subtitle_convert {
	AVCodecContext *decoder, *encoder;
	uint8_t *buffer;
};

enum AVCodecID vrs_subtitle_target(const AVOutputFormat *muxer, enum AVCodecID from)
{
	static const struct {
		const char *muxer;
		enum AVCodecID codec;
	} texts[] = {{"mp4", AV_CODEC_ID_MOV_TEXT}, {"mov", AV_CODEC_ID_MOV_TEXT}, {"webm", AV_CODEC_ID_WEBVTT}, {"matroska", AV_CODEC_ID_SUBRIP}};
	const AVCodecDescriptor *desc = avcodec_descriptor_get(from);

	if (!desc || !(desc->props & AV_CODEC_PROP_TEXT_SUB))
		return AV_CODEC_ID_NONE;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (strcmp(texts[i].muxer, muxer->name) == 0)
			return texts[i].codec;
	return AV_CODEC_ID_NONE;
}

static int open_decoder(struct vrs_subtitle_convert *convert, const AVStream *from)
{
	const AVCodec *codec = avcodec_find_decoder(from->codecpar->codec_id);
	int rc;

	if (!codec)
		return AVERROR_DECODER_NOT_FOUND;
	convert->decoder = avcodec_alloc_context3(codec);
	rc = convert->decoder ? avcodec_parameters_to_context(convert->decoder, from->codecpar) : AVERROR(ENOMEM);
	if (rc < 0)
		return rc;
	convert->decoder->pkt_timebase = from->time_base;
	return avcodec_open2(convert->decoder, codec, NULL);
}

/* The decoder's header names the styles that its texts refer to. */
static int open_encoder(struct vrs_subtitle_convert *convert, enum AVCodecID to)
{
	const AVCodec *codec = avcodec_find_encoder(to);
	const AVCodecContext *decoder = convert->decoder;
	size_t size = (size_t)decoder->subtitle_header_size;

	if (!codec)
		return AVERROR_ENCODER_NOT_FOUND;
	convert->encoder = avcodec_alloc_context3(codec);
	if (!convert->encoder)
		return AVERROR(ENOMEM);
	convert->encoder->time_base = (AVRational){1, 1000};
	if (decoder->subtitle_header) {
		convert->encoder->subtitle_header = av_mallocz(size + 1); /* FFmpeg frees it; it is text with an end */
		if (!convert->encoder->subtitle_header)
			return AVERROR(ENOMEM);
		memcpy(convert->encoder->subtitle_header, decoder->subtitle_header, size);
		convert->encoder->subtitle_header_size = decoder->subtitle_header_size;
	}
	return avcodec_open2(convert->encoder, codec, NULL);
}

enum vrs_status vrs_subtitle_convert_open(struct vrs_subtitle_convert **ret_convert, const AVStream *from, enum AVCodecID to,
					  AVCodecParameters *ret_par)
{
	struct vrs_subtitle_convert *convert = vrs_calloc(1, sizeof *convert);
	int rc;

	if (!convert)
		return VRS_ENOMEM;
	convert->buffer = vrs_alloc(MOST_BYTES);
	rc = convert->buffer ? open_decoder(convert, from) : AVERROR(ENOMEM);
	if (rc >= 0)
		rc = open_encoder(convert, to);
	if (rc >= 0)
		rc = avcodec_parameters_from_context(ret_par, convert->encoder);
	if (rc < 0) {
		vrs_subtitle_convert_close(convert);
		return rc == AVERROR(ENOMEM) ? VRS_ENOMEM : VRS_EUNSUPPORTED;
	}
	*ret_convert = convert;
	return VRS_OK;
}

void vrs_subtitle_convert_close(struct vrs_subtitle_convert *convert)
{
	if (!convert)
		return;
	avcodec_free_context(&convert->decoder);
	avcodec_free_context(&convert->encoder);
	vrs_free(convert->buffer);
	vrs_free(convert);
}

int vrs_subtitle_convert_run(struct vrs_subtitle_convert *convert, AVPacket *pkt)
{
	AVSubtitle subtitle = {0};
	AVBufferRef *made;
	int got = 0, size = 0, rc;

	if (pkt->size > MOST_TEXT) {
		vrs_log(VRS_LOG_WARNING, "a subtitle of %d bytes is too long to be converted, and is left out", pkt->size);
		return 0;
	}
	rc = avcodec_decode_subtitle2(convert->decoder, &subtitle, &got, pkt);
	if (rc < 0 || !got)
		return rc == AVERROR(ENOMEM) ? rc : 0;
	if (subtitle.num_rects > 0) {
		subtitle.end_display_time -= subtitle.start_display_time;
		subtitle.start_display_time = 0;
		size = avcodec_encode_subtitle(convert->encoder, convert->buffer, MOST_BYTES, &subtitle);
	}
	avsubtitle_free(&subtitle);
	if (size < 0 && size != AVERROR(ENOMEM))
		vrs_log(VRS_LOG_WARNING, "a subtitle cannot be converted and is left out: %s", av_err2str(size));
	if (size <= 0)
		return size == AVERROR(ENOMEM) ? size : 0;
	made = av_buffer_allocz((size_t)size + AV_INPUT_BUFFER_PADDING_SIZE);
	if (!made)
		return AVERROR(ENOMEM);
	memcpy(made->data, convert->buffer, (size_t)size);
	av_buffer_unref(&pkt->buf);
	pkt->buf = made;
	pkt->data = made->data;
	pkt->size = size;
	return 1;
}
