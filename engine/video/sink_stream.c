/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Outputs that somebody watches: video devices (/dev/videoN of v4l2loopback, raw pictures) and addresses (udp://, tcp://, srt:// and rtp:// carry an
 * MPEG transport stream, which needs no description beside it; rtmp:// carries FLV).  Encoders are told to hold nothing back, and key frames
 * come every two seconds, so that a receiver can join at any time.
 */
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "base/str_parse.h"
#include "video/encoder_query.h"
#include "video/live_input.h"
#include "video/sink_av.h"

#define TS_PACKETS "1316"         /* seven packets of a transport stream fill a datagram */
#define SILENCE_US "10000000"     /* a peer that takes nothing for that long is gone */

static const struct {
	const char *scheme, *muxer;
} carriers[] = {
	{"udp://", "mpegts"}, {"tcp://", "mpegts"}, {"srt://", "mpegts"}, {"rtp://", "rtp_mpegts"}, {"rtmp://", "flv"}, {"rtmps://", "flv"},
};

static const char *muxer_of(const char *target)
{
	for (size_t i = 0; i < sizeof carriers / sizeof carriers[0]; i++)
		if (strncasecmp(target, carriers[i].scheme, strlen(carriers[i].scheme)) == 0)
			return carriers[i].muxer;
	return NULL;
}

bool vrs_sink_is_stream(const char *target)
{
	return muxer_of(target) || vrs_is_video_device(target);
}

/* A wish to stop ends the wait for a peer, but not the writing of what is finished.  Closing ends in time, whoever takes the farewell. */
static int gives_up(void *cookie)
{
	const struct vrs_sink_av *sink = cookie;

	return (vrs_stop_requested() && !sink->header_written) || (sink->deadline_ns && vrs_now_ns() >= sink->deadline_ns);
}

static enum vrs_status open_device(struct vrs_sink_av *sink, const char *path, const struct vrs_sink_options *options, struct vrs_error *err)
{
	struct vrs_sink_options raw = *options;
	const AVOutputFormat *format;
	const AVCodec *codec = avcodec_find_encoder(AV_CODEC_ID_RAWVIDEO);
	enum vrs_status status;

	if (options->format.planes == 4)
		return vrs_fail(err, VRS_ECONFIG, "the device %s cannot hold transparency; write to a file", path);
	if (access(path, W_OK) < 0)
		return vrs_fail(err, VRS_ENOTFOUND, "there is no video device %s to write to; \"modprobe v4l2loopback\" makes one", path);
	status = vrs_video_devices_load(err);
	if (status != VRS_OK)
		return status;
	format = av_guess_format("v4l2", NULL, NULL);
	if (!format || !codec)
		return vrs_fail(err, VRS_EUNSUPPORTED, "this FFmpeg cannot write to video devices");
	if (!vrs_encoder_is_ours(options) && strcmp(options->encoder, "rawvideo") != 0)
		return vrs_fail(err, VRS_ECONFIG, "a video device takes raw pictures; leave --encoder out");
	raw.encoder = raw.preset = NULL;
	raw.crf = -1;
	raw.audio = false;
	raw.side = NULL;
	return vrs_sink_av_start(sink, format, codec, NULL, path, &raw, NULL, err);
}

/* A transport stream takes anything as private data, which nobody can play. */
static bool receivers_know(enum AVCodecID codec, bool flv)
{
	return codec == AV_CODEC_ID_H264 ||
	       (!flv && (codec == AV_CODEC_ID_HEVC || codec == AV_CODEC_ID_MPEG4 || codec == AV_CODEC_ID_MPEG2VIDEO));
}

static enum vrs_status open_address(struct vrs_sink_av *sink, const char *url, const struct vrs_sink_options *options, struct vrs_source *source,
				    struct vrs_error *err)
{
	const AVOutputFormat *format = av_guess_format(muxer_of(url), NULL, NULL);
	struct vrs_sink_options quick = *options;
	const AVCodec *codec;
	enum vrs_status status = vrs_encoder_find(&codec, vrs_encoder_is_ours(options) ? "libx264" : options->encoder, err);

	if (status != VRS_OK)
		return status;
	if (options->format.planes == 4)
		return vrs_fail(err, VRS_ECONFIG, "the stream to %s cannot hold transparency; write to a file", url);
	if (!format)
		return vrs_fail(err, VRS_EUNSUPPORTED, "this FFmpeg has no muxer for %s", url);
	if (!receivers_know(codec->id, strcmp(format->name, "flv") == 0))
		return vrs_fail(err, VRS_ECONFIG, "the stream to %s cannot carry video of encoder %s; choose --encoder libx264", url, codec->name);
	quick.low_delay = true;
	sink->interrupt = (AVIOInterruptCB){gives_up, sink};
	sink->is_srt = strncasecmp(url, "srt:", 4) == 0;
	if (strncasecmp(url, "udp:", 4) == 0 || strncasecmp(url, "srt:", 4) == 0 || strncasecmp(url, "rtp:", 4) == 0)
		av_dict_set(&sink->io_options, "pkt_size", TS_PACKETS, 0);
	else
		av_dict_set(&sink->io_options, "rw_timeout", SILENCE_US, 0);
	(void)avformat_network_init(); /* counts its users itself */
	return vrs_sink_av_start(sink, format, codec, NULL, url, &quick, source, err);
}

static enum vrs_status sink_stream_open(struct vrs_sink *base, const char *target, const struct vrs_sink_options *options, struct vrs_source *source,
					struct vrs_error *err)
{
	struct vrs_sink_av *sink = (struct vrs_sink_av *)base;
	enum vrs_status status;

	if (!vrs_strcpy(sink->target.path, sizeof sink->target.path, target))
		return vrs_fail(err, VRS_ELIMIT, "the name of the output is too long");
	sink->is_stream = true;
	status = vrs_is_video_device(target) ? open_device(sink, target, options, err) : open_address(sink, target, options, source, err);
	av_dict_free(&sink->io_options);
	return status;
}

const struct vrs_sink_kind vrs_sink_stream_kind = {
	.state_size = sizeof(struct vrs_sink_av),
	.takes = vrs_sink_is_stream,
	.open = sink_stream_open,
	.write = vrs_sink_av_write,
	.finish = vrs_sink_av_finish,
	.close = vrs_sink_av_close,
};
