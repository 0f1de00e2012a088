/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/sound_fill.h"

#include <string.h>

#include <libavutil/avstring.h>

#define GAP_MS 10        /* less is rounding, or a clock that is not quite even, which adds up to it */
#define MOST_GAP_S 43200 /* 8 GB of stereo */
#define MOST_BYTES (INT64_C(1) << 30) /* a second; more is in damaged files alone */
#define SILENCE_MS 100   /* of a packet */
#define COUNTING_MUXERS "avi,mxf,mxf_d10,mxf_opatom"       /* from the first picture on */
#define GAPLESS_MUXERS "mov,mp4,ipod,ismv,3gp,3g2,psp,f4v" /* which have a time for the first packet */

static bool is_pcm(enum AVCodecID codec)
{
	int bits = av_get_exact_bits_per_sample(codec);

	return codec >= AV_CODEC_ID_FIRST_AUDIO && codec < AV_CODEC_ID_ADPCM_IMA_QT && bits >= 8 && bits % 8 == 0;
}

/* Of those that containers of video hold: unsigned samples have one byte. */
static uint8_t silence_of(enum AVCodecID codec)
{
	switch (codec) {
	case AV_CODEC_ID_PCM_U8:
		return 0x80;
	case AV_CODEC_ID_PCM_ALAW:
		return 0xd5;
	case AV_CODEC_ID_PCM_MULAW:
		return 0xff;
	default:
		return 0;
	}
}

void vrs_sound_fill_init(struct vrs_sound_fill *fill, const AVCodecParameters *sound, const AVOutputFormat *muxer)
{
	bool counts = av_match_name(muxer->name, COUNTING_MUXERS) > 0, has_gaps = counts || av_match_name(muxer->name, GAPLESS_MUXERS) > 0;
	int64_t bytes = (int64_t)av_get_exact_bits_per_sample(sound->codec_id) / 8 * sound->ch_layout.nb_channels;

	*fill = (struct vrs_sound_fill){.base = {1, 1}};
	if (!has_gaps || !is_pcm(sound->codec_id) || sound->sample_rate < 1 || bytes < 1 || bytes > MOST_BYTES / sound->sample_rate)
		return;
	fill->sample_bytes = (int)bytes;
	fill->silence = silence_of(sound->codec_id);
	fill->base.den = sound->sample_rate;
	fill->from_start = fill->started = counts;
	fill->to_end = counts && strcmp(muxer->name, "avi") != 0;
}

void vrs_sound_fill_begin(struct vrs_sound_fill *fill, int64_t start, AVRational base)
{
	if (fill->from_start)
		fill->next = av_rescale_q(start, base, fill->base);
}

static bool is_gap(const struct vrs_sound_fill *fill, int64_t samples)
{
	return samples >= (int64_t)fill->base.den * GAP_MS / 1000;
}

int64_t vrs_sound_fill_missing(const struct vrs_sound_fill *fill, int64_t until, AVRational base, bool exactly)
{
	if (fill->sample_bytes == 0 || !fill->started || until == AV_NOPTS_VALUE)
		return 0;
	int64_t missing = av_sat_sub64(av_rescale_q(until, base, fill->base), fill->next);

	return missing > 0 && (exactly || !fill->placed || is_gap(fill, missing)) ? missing : 0;
}

bool vrs_sound_fill_is_absurd(const struct vrs_sound_fill *fill, int64_t samples)
{
	return samples / fill->base.den >= MOST_GAP_S;
}

/* The times of what comes next, which moves on. */
static void set_times(struct vrs_sound_fill *fill, AVPacket *pkt, AVRational base)
{
	int64_t samples = pkt->size / fill->sample_bytes;

	pkt->pts = pkt->dts = av_rescale_q(fill->next, fill->base, base);
	pkt->duration = av_rescale_q(samples, fill->base, base);
	fill->next += samples;
}

int vrs_sound_fill_make(struct vrs_sound_fill *fill, int64_t samples, AVPacket *pkt, AVRational base)
{
	int64_t most = (int64_t)fill->base.den * SILENCE_MS / 1000 + 1;
	int rc = av_new_packet(pkt, (int)(samples < most ? samples : most) * fill->sample_bytes);

	if (rc < 0)
		return rc;
	memset(pkt->data, fill->silence, (size_t)pkt->size);
	pkt->flags |= AV_PKT_FLAG_KEY;
	set_times(fill, pkt, base);
	return 0;
}

bool vrs_sound_fill_place(struct vrs_sound_fill *fill, AVPacket *pkt, AVRational base)
{
	if (fill->sample_bytes == 0 || pkt->pts == AV_NOPTS_VALUE)
		return true;
	int64_t begin = av_rescale_q(pkt->pts, base, fill->base), samples = pkt->size / fill->sample_bytes;

	if (!fill->started || vrs_sound_fill_missing(fill, begin, fill->base, false) > 0) /* nobody has filled it */
		fill->next = begin;
	int64_t early = av_sat_sub64(fill->next, begin);
	int64_t cut = early <= 0 || (fill->placed && !is_gap(fill, early)) ? 0 : early < samples ? early : samples;

	fill->started = fill->placed = true;
	fill->cut += cut;
	pkt->data += cut * fill->sample_bytes;
	av_shrink_packet(pkt, (int)(samples - cut) * fill->sample_bytes);
	set_times(fill, pkt, base);
	return pkt->size > 0;
}
