/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/sound_fill.h"

#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavutil/avstring.h>

#include "video/container_clock.h"
#include "video/silent_packet.h"

#define GAP_MS 10        /* less is rounding, or a clock that is not quite even, which adds up to it */
#define LOST_GAP_MS 100  /* where all that packets tell is a duration that may be an estimate */
#define MOST_GAP_S 43200 /* 8 GB of stereo */
#define MOST_BYTES (INT64_C(1) << 30) /* a second; more is in damaged files alone */
#define SILENCE_MS 100   /* of a packet */
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

/* Samples of each packet, where all have as many and AVI counts packets; 0: not so. */
static int frame_of(const AVCodecParameters *sound)
{
	static const enum AVCodecID codecs[] = {AV_CODEC_ID_AAC, AV_CODEC_ID_MP3, AV_CODEC_ID_MP2, AV_CODEC_ID_AC3};
	AVCodecParameters own = *sound; /* FFmpeg takes the size of frames from there if there are bytes */

	for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
		if (codecs[i] == sound->codec_id)
			return av_get_audio_frame_duration2(&own, 1);
	return 0;
}

void vrs_sound_fill_init(struct vrs_sound_fill *fill, const AVCodecParameters *sound, const AVOutputFormat *muxer)
{
	bool counts = vrs_container_begins_with_picture(muxer), has_gaps = counts || av_match_name(muxer->name, GAPLESS_MUXERS) > 0;
	int64_t bytes = (int64_t)av_get_exact_bits_per_sample(sound->codec_id) / 8 * sound->ch_layout.nb_channels;
	bool pcm = is_pcm(sound->codec_id);

	*fill = (struct vrs_sound_fill){.base = {1, 1}};
	if (!has_gaps || sound->sample_rate < 1 || (pcm && (bytes < 1 || bytes > MOST_BYTES / sound->sample_rate)) || (!pcm && !counts))
		return;
	fill->sample_bytes = pcm ? (int)bytes : 0;
	fill->silence = silence_of(sound->codec_id);
	fill->frame = pcm ? 0 : frame_of(sound);
	fill->silent = fill->frame > 0 ? vrs_silent_packet(sound, fill->frame) : NULL;
	fill->base.den = sound->sample_rate;
	fill->from_start = fill->started = counts;
	fill->to_end = counts && strcmp(muxer->name, "avi") != 0;
	fill->by_duration = !pcm && fill->frame == 0 && !fill->to_end;
	fill->closes = fill->by_duration && sound->block_align > 0; /* else FFmpeg's muxer puts empty packets in */
}

void vrs_sound_fill_fini(struct vrs_sound_fill *fill)
{
	av_packet_free(&fill->silent);
}

void vrs_sound_fill_begin(struct vrs_sound_fill *fill, int64_t start, AVRational base)
{
	if (fill->from_start)
		fill->next = av_rescale_q(start, base, fill->base);
}

static bool is_active(const struct vrs_sound_fill *fill)
{
	return fill->sample_bytes > 0 || fill->frame > 0 || fill->by_duration;
}

/*
 * So many that silence is due, or cutting.  Compressed packets are within half of one after that, and leave it at that until they are off by more.
 */
static bool is_gap(const struct vrs_sound_fill *fill, int64_t samples)
{
	if (fill->by_duration)
		return fill->closes && samples >= (int64_t)fill->base.den * LOST_GAP_MS / 1000;
	if (fill->frame > 0)
		return samples >= fill->frame / 2 + (fill->placed ? fill->frame / 4 : 0);
	return samples >= (fill->placed ? (int64_t)fill->base.den * GAP_MS / 1000 : 1);
}

int64_t vrs_sound_fill_missing(const struct vrs_sound_fill *fill, int64_t until, AVRational base, bool exactly)
{
	if (!is_active(fill) || !fill->started || until == AV_NOPTS_VALUE)
		return 0;
	int64_t missing = av_sat_sub64(av_rescale_q(until, base, fill->base), fill->next);

	if (missing <= 0 || !(exactly || is_gap(fill, missing)))
		return 0;
	return fill->frame > 0 ? av_sat_add64(missing, fill->frame / 2) / fill->frame * fill->frame : missing;
}

bool vrs_sound_fill_can(const struct vrs_sound_fill *fill, int64_t samples)
{
	return !fill->by_duration && (fill->frame == 0 || fill->silent) && samples / fill->base.den < MOST_GAP_S;
}

static int64_t samples_of(const struct vrs_sound_fill *fill, const AVPacket *pkt)
{
	return fill->frame > 0 ? fill->frame : pkt->size / fill->sample_bytes;
}

/* The times of what comes next, which moves on. */
static void set_times(struct vrs_sound_fill *fill, AVPacket *pkt, AVRational base)
{
	int64_t samples = samples_of(fill, pkt);

	pkt->pts = pkt->dts = av_rescale_q(fill->next, fill->base, base);
	pkt->duration = av_rescale_q(samples, fill->base, base);
	fill->next += samples;
}

/* Of samples of PCM. */
static int make_samples(const struct vrs_sound_fill *fill, int64_t samples, AVPacket *pkt)
{
	int64_t most = (int64_t)fill->base.den * SILENCE_MS / 1000 + 1;
	int rc = av_new_packet(pkt, (int)(samples < most ? samples : most) * fill->sample_bytes);

	if (rc >= 0)
		memset(pkt->data, fill->silence, (size_t)pkt->size);
	return rc;
}

int vrs_sound_fill_make(struct vrs_sound_fill *fill, int64_t samples, AVPacket *pkt, AVRational base)
{
	int rc = fill->frame > 0 ? av_packet_ref(pkt, fill->silent) : make_samples(fill, samples, pkt);

	if (rc < 0)
		return rc;
	pkt->flags |= AV_PKT_FLAG_KEY;
	set_times(fill, pkt, base);
	return 0;
}

/* A packet keeps its time, but for those before the video.  Where one does not say how long it is, nothing is known of a gap behind it. */
static bool follow(struct vrs_sound_fill *fill, int64_t begin, int64_t samples)
{
	if (!fill->placed && av_sat_sub64(fill->next, begin) > samples / 2) {
		fill->cut += samples;
		return false;
	}
	fill->placed = true;
	fill->started = samples > 0;
	fill->next = av_sat_add64(begin, samples);
	return true;
}

bool vrs_sound_fill_place(struct vrs_sound_fill *fill, AVPacket *pkt, AVRational base)
{
	if (!is_active(fill) || pkt->pts == AV_NOPTS_VALUE)
		return true;
	int64_t begin = av_rescale_q(pkt->pts, base, fill->base);

	if (fill->by_duration)
		return follow(fill, begin, av_rescale_q(pkt->duration, base, fill->base));
	int64_t samples = samples_of(fill, pkt);

	if (!fill->started || vrs_sound_fill_missing(fill, begin, fill->base, false) > 0) /* nobody has filled it */
		fill->next = begin;
	int64_t early = av_sat_sub64(fill->next, begin);
	int64_t cut = !is_gap(fill, early) ? 0 : early < samples && fill->frame == 0 ? early : samples;

	fill->started = true;
	fill->cut += cut;
	if (cut == samples)
		return false;
	fill->placed = true;
	if (fill->frame == 0) {
		pkt->data += cut * fill->sample_bytes;
		av_shrink_packet(pkt, (int)(samples - cut) * fill->sample_bytes);
	}
	set_times(fill, pkt, base);
	return true;
}
