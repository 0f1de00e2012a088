/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/subtitle_convert.h"

#include <string.h>

#include <libavcodec/avcodec.h>

#include <vrseg/log.h>

#include "base/mem.h"
#include "video/subtitle_overlap.h"

#define MOST_BYTES (1 << 20) /* of one converted subtitle, as in FFmpeg's own tools, */
#define MOST_TEXT (32 << 10) /* and of what is converted: FFmpeg's time grows with its square (10 s for 1 MB) */

struct vrs_subtitle_convert {
	AVCodecContext *decoder, *encoder;
	uint8_t *buffer;
	bool overlaps;  /* the output may show several at once */
	int64_t latest; /* begin of the one that came last */
	struct vrs_subtitle_overlap shown;
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
	vrs_subtitle_overlap_init(&convert->shown);
	convert->overlaps = to != AV_CODEC_ID_MOV_TEXT;
	convert->latest = INT64_MIN;
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
	vrs_subtitle_overlap_fini(&convert->shown);
	vrs_free(convert->buffer);
	vrs_free(convert);
}

int64_t vrs_subtitle_convert_latest(const struct vrs_subtitle_convert *convert)
{
	return convert->latest;
}

int vrs_subtitle_convert_put(struct vrs_subtitle_convert *convert, AVPacket *pkt)
{
	int64_t begin = pkt->pts != AV_NOPTS_VALUE ? pkt->pts : pkt->dts != AV_NOPTS_VALUE ? pkt->dts : convert->latest == INT64_MIN ? 0 : convert->latest;
	AVSubtitle subtitle = {0};
	int got = 0;

	if (pkt->size > MOST_TEXT) {
		vrs_log(VRS_LOG_WARNING, "a subtitle of %d bytes is too long to be converted, and is left out", pkt->size);
		return 0;
	}
	int rc = avcodec_decode_subtitle2(convert->decoder, &subtitle, &got, pkt);
	if (rc < 0 || !got)
		return rc == AVERROR(ENOMEM) ? rc : 0;
	convert->latest = begin > convert->latest ? begin : convert->latest;
	if (subtitle.num_rects == 0) {
		avsubtitle_free(&subtitle);
		return 0;
	}
	if (!vrs_subtitle_overlap_add(&convert->shown, &subtitle, begin, pkt->duration > 0 ? begin + pkt->duration : VRS_SUBTITLE_NO_END))
		vrs_log_once("subtitles-at-once", VRS_LOG_WARNING, "more than %d subtitles are shown at once; some are left out", VRS_SUBTITLES_AT_ONCE);
	return 0;
}

/* 1; 0: it cannot be encoded, and is left out; AVERROR(ENOMEM). */
static int encode(struct vrs_subtitle_convert *convert, struct vrs_shown_subtitle *piece, AVPacket *ret_pkt)
{
	piece->subtitle.end_display_time -= piece->subtitle.start_display_time;
	piece->subtitle.start_display_time = 0;
	int size = avcodec_encode_subtitle(convert->encoder, convert->buffer, MOST_BYTES, &piece->subtitle);

	if (size < 0 && size != AVERROR(ENOMEM))
		vrs_log(VRS_LOG_WARNING, "a subtitle cannot be converted and is left out: %s", av_err2str(size));
	if (size <= 0)
		return size == AVERROR(ENOMEM) ? size : 0;
	if (av_new_packet(ret_pkt, size) < 0)
		return AVERROR(ENOMEM);
	memcpy(ret_pkt->data, convert->buffer, (size_t)size);
	ret_pkt->pts = ret_pkt->dts = piece->begin;
	ret_pkt->duration = piece->end == VRS_SUBTITLE_NO_END ? 0 : piece->end - piece->begin;
	ret_pkt->flags |= AV_PKT_FLAG_KEY;
	return 1;
}

int vrs_subtitle_convert_take(struct vrs_subtitle_convert *convert, int64_t limit, AVPacket *ret_pkt)
{
	struct vrs_shown_subtitle piece;
	int rc = 0;

	while (rc == 0) {
		rc = convert->overlaps ? vrs_subtitle_overlap_first(&convert->shown, &piece) : vrs_subtitle_overlap_next(&convert->shown, limit, &piece);
		if (rc <= 0)
			return rc;
		rc = encode(convert, &piece, ret_pkt);
		avsubtitle_free(&piece.subtitle);
	}
	return rc;
}
