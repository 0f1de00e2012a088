/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/sound_table.h"

#include <stdbool.h>

#include <libavcodec/avcodec.h>
#include <libavutil/avstring.h>
#include <libavutil/macros.h>

#define PROGRAM_STREAMS "mpeg,vcd,svcd,dvd,vob"
#define MOST_CODECS 8
#define MOST_RATES 4
#define LPCM_CHANNELS 8

struct row {
	const char *muxers;
	enum AVCodecID codecs[MOST_CODECS];
	int rates[MOST_RATES]; /* none: any */
};

/* Muxers without a table of codecs know their default one alone (avformat_query_codec); these take more, as their sources say. */
static const struct row more[] = {
	{"mpegts,rtp_mpegts", {AV_CODEC_ID_AAC, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_DTS, AV_CODEC_ID_TRUEHD,
			       AV_CODEC_ID_OPUS}, {0}},
	{"ogg,oga,ogv,opus,spx", {AV_CODEC_ID_VORBIS, AV_CODEC_ID_OPUS, AV_CODEC_ID_FLAC, AV_CODEC_ID_SPEEX}, {0}},
	{PROGRAM_STREAMS, {AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AC3, AV_CODEC_ID_DTS, AV_CODEC_ID_PCM_S16BE}, {0}},
	{"mxf,mxf_opatom", {AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S24LE}, {0}},
};

/* These have a table, with codecs that fail or that nobody reads: FLV states no byte order, and readers take it for the other one. */
static const struct row less[] = {
	{"mov", {AV_CODEC_ID_FLAC, AV_CODEC_ID_TRUEHD, AV_CODEC_ID_OPUS}, {0}}, /* the muxer takes them in .mp4 alone, and finds out with the header */
	{"flv", {AV_CODEC_ID_PCM_S16BE}, {0}},
	{"avi", {AV_CODEC_ID_VORBIS, AV_CODEC_ID_EAC3, AV_CODEC_ID_DTS}, {0}}, /* FFmpeg reads nothing of them, or at wrong times */
	{"asf,asf_stream", {AV_CODEC_ID_FLAC}, {0}},
};

/* Muxers fail at others when they write the header. */
static const struct row rates[] = {
	{PROGRAM_STREAMS, {AV_CODEC_ID_PCM_S16BE}, {48000, 96000, 44100, 32000}},
	{"mxf,mxf_opatom", {AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S24LE}, {48000}},
	{"flv", {AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_U8}, {44100, 22050, 11025}},
	{"flv", {AV_CODEC_ID_MP3}, {48000, 44100, 22050, 11025}},
};

static bool has_codec(const struct row *row, const AVOutputFormat *muxer, enum AVCodecID codec)
{
	bool is_there = false;

	for (int i = 0; i < MOST_CODECS && row->codecs[i] != AV_CODEC_ID_NONE; i++)
		is_there = is_there || row->codecs[i] == codec;
	return is_there && av_match_name(muxer->name, row->muxers) > 0;
}

static bool is_listed(const struct row *rows, size_t count, const AVOutputFormat *muxer, enum AVCodecID codec)
{
	for (size_t i = 0; i < count; i++)
		if (has_codec(&rows[i], muxer, codec))
			return true;
	return false;
}

static bool holds_codec(const AVOutputFormat *muxer, enum AVCodecID codec)
{
	int answer = avformat_query_codec(muxer, codec, FF_COMPLIANCE_UNOFFICIAL);

	if (is_listed(less, FF_ARRAY_ELEMS(less), muxer, codec))
		return false;
	return answer < 0 ? is_listed(more, FF_ARRAY_ELEMS(more), muxer, codec) : answer == 1;
}

static bool holds_rate(const AVOutputFormat *muxer, const AVCodecParameters *sound)
{
	for (size_t i = 0; i < FF_ARRAY_ELEMS(rates); i++) {
		bool is_there = false;

		if (!has_codec(&rates[i], muxer, sound->codec_id))
			continue;
		for (int k = 0; k < MOST_RATES; k++)
			is_there = is_there || rates[i].rates[k] == sound->sample_rate;
		return is_there;
	}
	return true;
}

static bool has_sound(const AVFormatContext *muxer)
{
	for (unsigned i = 0; i < muxer->nb_streams; i++)
		if (muxer->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO)
			return true;
	return false;
}

const char *vrs_sound_refused(const AVFormatContext *muxer, const AVCodecParameters *sound)
{
	const AVOutputFormat *format = muxer->oformat;

	if (!holds_codec(format, sound->codec_id))
		return "it";
	if (!holds_rate(format, sound))
		return "its sample rate";
	if (sound->codec_id == AV_CODEC_ID_PCM_S16BE && av_match_name(format->name, PROGRAM_STREAMS) > 0 && sound->ch_layout.nb_channels > LPCM_CHANNELS)
		return "so many channels";
	return av_match_name(format->name, "flv") > 0 && has_sound(muxer) ? "a second one" : NULL;
}
