/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/silent_packet.h"

#include <stdbool.h>
#include <string.h>

#include <libavutil/samplefmt.h>

#define ADTS_BYTES 7
#define MOST_FRAMES 16 /* that an encoder keeps */

static bool open_encoder(AVCodecContext *context, const AVCodecParameters *sound)
{
	context->sample_rate = sound->sample_rate;
	context->sample_fmt = context->codec->sample_fmts ? context->codec->sample_fmts[0] : AV_SAMPLE_FMT_NONE;
	context->bit_rate = sound->bit_rate;
	context->thread_count = 1;
	if (sound->ch_layout.order == AV_CHANNEL_ORDER_NATIVE)
		return av_channel_layout_copy(&context->ch_layout, &sound->ch_layout) >= 0 && avcodec_open2(context, context->codec, NULL) >= 0;
	av_channel_layout_default(&context->ch_layout, sound->ch_layout.nb_channels);
	return avcodec_open2(context, context->codec, NULL) >= 0;
}

static bool fill_frame(AVFrame *frame, const AVCodecContext *context)
{
	frame->nb_samples = context->frame_size;
	frame->format = context->sample_fmt;
	return av_channel_layout_copy(&frame->ch_layout, &context->ch_layout) >= 0 && av_frame_get_buffer(frame, 0) >= 0 &&
	       av_samples_set_silence(frame->extended_data, 0, frame->nb_samples, frame->ch_layout.nb_channels, context->sample_fmt) >= 0;
}

static bool encode(AVCodecContext *context, AVFrame *frame, AVPacket *pkt)
{
	for (int i = 0; i < MOST_FRAMES; i++) {
		if (avcodec_send_frame(context, frame) < 0)
			return false;
		if (avcodec_receive_packet(context, pkt) >= 0)
			return true;
	}
	return false;
}

/*
 * AAC says what it is once, or in a header before each packet (ADTS).  What the encoder says is 5 bits of a kind, 4 of a sample rate, and 4 of
 * channels; a packet of another kind would be noise.
 */
static bool fit_aac(AVPacket *pkt, const AVCodecContext *context, const AVCodecParameters *sound)
{
	const uint8_t *own = context->extradata;
	int size = pkt->size + ADTS_BYTES;

	if (context->extradata_size < 2 || (sound->extradata_size > 0 && sound->extradata_size < 2))
		return false;
	if (sound->extradata_size > 0)
		return sound->extradata[0] == own[0] && (sound->extradata[1] & 0xf8) == (own[1] & 0xf8);
	int kind = own[0] >> 3, rate = (own[0] & 7) << 1 | own[1] >> 7, channels = own[1] >> 3 & 15;
	uint8_t header[ADTS_BYTES] = {0xff, 0xf1, (uint8_t)((kind - 1) << 6 | rate << 2 | channels >> 2), (uint8_t)((channels & 3) << 6 | size >> 11),
				      (uint8_t)(size >> 3), (uint8_t)((size & 7) << 5 | 0x1f), 0xfc};

	if (kind < 1 || kind > 4 || av_grow_packet(pkt, ADTS_BYTES) < 0)
		return false;
	memmove(pkt->data + ADTS_BYTES, pkt->data, (size_t)(size - ADTS_BYTES));
	memcpy(pkt->data, header, sizeof header);
	return true;
}

AVPacket *vrs_silent_packet(const AVCodecParameters *sound, int samples)
{
	const AVCodec *codec = avcodec_find_encoder(sound->codec_id);
	AVCodecContext *context = codec ? avcodec_alloc_context3(codec) : NULL;
	AVFrame *frame = av_frame_alloc();
	AVPacket *pkt = av_packet_alloc();
	bool is_made = context && frame && pkt && open_encoder(context, sound) && context->frame_size == samples && fill_frame(frame, context) &&
		       encode(context, frame, pkt) && (sound->codec_id != AV_CODEC_ID_AAC || fit_aac(pkt, context, sound));

	avcodec_free_context(&context);
	av_frame_free(&frame);
	if (!is_made)
		av_packet_free(&pkt);
	if (pkt)
		av_packet_free_side_data(pkt); /* what the encoder says of its first packet */
	return pkt;
}
