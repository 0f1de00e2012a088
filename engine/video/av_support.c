/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FFmpeg's log and errors.  Levels are mapped one step down where this folder reports the trouble itself: a demuxer or decoder that meets
 * damaged data writes hundreds of error lines, of which the user gets one warning with a count (source_av.c), so those lines are for
 * developers.  Errors of encoders, muxers and the scaler outside a capture are warnings; the fatal ones are errors.
 */
#include "video/av_support.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavutil/error.h>
#include <libavutil/log.h>

#include <vrseg/log.h>

#include "base/str_parse.h"

#define LISTS 64 /* playlists of one input that are told apart */

static _Thread_local bool t_capturing;
static _Thread_local bool t_cut_line;
static _Thread_local bool t_no_length;
static _Thread_local bool t_farewell;
static _Thread_local const void *t_connection; /* compared, not looked into: it may be closed */
static _Thread_local bool t_in_chunks;
static _Thread_local uint64_t t_lost[LISTS + 1]; /* segments of each playlist; the last: of any */
static _Thread_local char t_captured[256];
/* FFmpeg writes lines in pieces; a piece without newline waits here for the rest. */
static _Thread_local char t_pending[512];

/* Decoders, parsers (a codec context without codec) and demuxers. */
static bool is_reader(void *context, const AVClass *class)
{
	const AVCodec *codec;

	if (class == avcodec_get_class()) {
		codec = ((AVCodecContext *)context)->codec;
		return !codec || av_codec_is_decoder(codec);
	}
	return class && class->get_category && class->get_category(context) == AV_CLASS_CATEGORY_DEMUXER;
}

static enum vrs_log_level mapped_level(void *context, const AVClass *class, int level)
{
	if (level <= AV_LOG_FATAL)
		return VRS_LOG_ERROR;
	if (level <= AV_LOG_ERROR && !is_reader(context, class))
		return VRS_LOG_WARNING;
	return VRS_LOG_DEBUG;
}

static const char *context_name(void *context, const AVClass *class)
{
	if (!class)
		return "";
	return class->item_name ? class->item_name(context) : class->class_name;
}

/* The notes that vrs_av_input_decoder was given: threads of a decoder have copies of its context, opaque included. */
static void count_error(void *context, const AVClass *class)
{
	if (class == avcodec_get_class() && is_reader(context, class) && ((AVCodecContext *)context)->opaque)
		((struct vrs_av_decoder_notes *)((AVCodecContext *)context)->opaque)->error_lines++;
}

/* What FFmpeg says in words of its own. */
static const char *plain_words(const char *line)
{
	if (strcmp(line, "moov atom not found") == 0)
		return "it has no index: the file is truncated, or not a video";
	return line;
}

struct vrs_av_said vrs_av_take_said(int list)
{
	struct vrs_av_said said = {.cut = t_cut_line, .no_length = t_no_length, .farewell = t_farewell,
				  .connection = t_connection, .in_chunks = t_in_chunks,
				  .lost = list < 0 ? 0 : t_lost[LISTS] + (list < LISTS ? t_lost[list] : 0)};

	t_cut_line = false;
	t_no_length = false;
	t_farewell = false;
	t_connection = NULL;
	t_in_chunks = false;
	memset(t_lost, 0, sizeof t_lost);
	return said;
}

/* The demuxer of HLS warns, and goes on with the next segment. */
static void hear_lost(int level, const char *fmt, va_list args)
{
	static const char lost[] = "Failed to open segment", of[] = "of playlist ";
	char line[128];
	va_list copy;

	if (level != AV_LOG_WARNING || strncmp(fmt, lost, sizeof lost - 1) != 0)
		return;
	va_copy(copy, args);
	vsnprintf(line, sizeof line, fmt, copy);
	va_end(copy);
	const char *list = strstr(line, of);
	long number = list ? strtol(list + sizeof of - 1, NULL, 10) : LISTS;

	t_lost[number >= 0 && number < LISTS ? number : LISTS]++;
}

/* The demuxer of RTSP says so in a line for developers, and gives the same end of file where the connection breaks off. */
static void hear_farewell(int level, const char *fmt)
{
	static const char farewell[] = "Received BYE for stream";

	t_farewell |= level == AV_LOG_DEBUG && strncmp(fmt, farewell, sizeof farewell - 1) == 0;
}

/* HTTP takes a connection that is closed between two chunks for the end of the body. */
static void hear_chunk(const void *context, int level, const char *fmt, va_list args)
{
	static const char asks[] = "request: ", chunk[] = "Chunked encoding data size: ";
	char line[64];
	va_list copy;

	if (level == AV_LOG_DEBUG && strncmp(fmt, asks, sizeof asks - 1) == 0) {
		t_connection = context;
		t_in_chunks = false;
	}
	if (level != AV_LOG_TRACE || strncmp(fmt, chunk, sizeof chunk - 1) != 0)
		return;
	va_copy(copy, args);
	vsnprintf(line, sizeof line, fmt, copy);
	va_end(copy);
	t_connection = context;
	t_in_chunks = strtoull(line + sizeof chunk - 1, NULL, 10) > 0;
}

static void take_line(void *context, const AVClass *class, int level, const char *line)
{
	static const char cut_body[] = "Stream ends prematurely", no_length[] = "should be 18446744073709551615";
	const char *name = context_name(context, class);

	t_cut_line |= strstr(line, "ended prematurely") || strstr(line, "partial file"); /* Matroska's demuxer, and that of MP4 */
	if (strstr(line, cut_body) && strstr(line, no_length)) {
		t_no_length = true;
		vrs_log(VRS_LOG_DEBUG, "ffmpeg %s: %s", name, line);
		return;
	}
	t_lost[LISTS] += strstr(line, cut_body) != NULL; /* HTTP, of which HLS takes what came */
	if (level <= AV_LOG_ERROR)
		count_error(context, class);
	if (t_capturing && level <= AV_LOG_ERROR) {
		(void)vrs_strcpy(t_captured, sizeof t_captured, plain_words(line)); /* a cut cause is still a cause */
		vrs_log(VRS_LOG_DEBUG, "ffmpeg %s: %s", name, line);
		return;
	}
	vrs_log(mapped_level(context, class, level), "ffmpeg%s%s: %s", *name ? " " : "", name, line);
}

/* What is concealed is damaged, whatever else is said. */
static bool is_concealment(int level, const char *fmt)
{
	return level == AV_LOG_INFO && strncmp(fmt, "concealing ", 11) == 0;
}

static void on_log(void *context, int level, const char *fmt, va_list args)
{
	const AVClass *class = context ? *(AVClass **)context : NULL;
	size_t used = strlen(t_pending);
	size_t len;

	level &= 0xff; /* the upper bits hold a colour */
	hear_lost(level, fmt, args);
	hear_farewell(level, fmt);
	hear_chunk(context, level, fmt, args);
	if (level > AV_LOG_INFO)
		return;
	if (is_concealment(level, fmt))
		count_error(context, class);
	if (level > AV_LOG_ERROR && vrs_log_get_level() < VRS_LOG_DEBUG)
		return;
	vsnprintf(t_pending + used, sizeof t_pending - used, fmt, args);
	len = strlen(t_pending);
	if (len == 0 || (t_pending[len - 1] != '\n' && len + 1 < sizeof t_pending))
		return;
	while (len > 0 && (t_pending[len - 1] == '\n' || t_pending[len - 1] == ' ' || t_pending[len - 1] == '\r'))
		t_pending[--len] = '\0';
	if (len > 0)
		take_line(context, class, level, t_pending);
	t_pending[0] = '\0';
}

static void init_once(void)
{
	av_max_alloc(VRS_AV_MAX_ALLOC);
	av_log_set_callback(on_log);
}

void vrs_av_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, init_once); /* cannot fail with a valid argument */
}

void vrs_av_packet_advance(AVPacket *pkt, int64_t ticks)
{
	pkt->pts = pkt->pts == AV_NOPTS_VALUE ? pkt->pts : av_sat_sub64(pkt->pts, ticks);
	pkt->dts = pkt->dts == AV_NOPTS_VALUE ? pkt->dts : av_sat_sub64(pkt->dts, ticks);
}

void vrs_av_capture_begin(void)
{
	t_capturing = true;
	t_captured[0] = '\0';
}

void vrs_av_capture_end(void)
{
	t_capturing = false;
	t_captured[0] = '\0';
}

int vrs_av_open(AVFormatContext **ret_demuxer, const char *url, const AVInputFormat *format, AVDictionary **settings,
		const AVIOInterruptCB *interrupt, AVIOContext *bytes)
{
	AVFormatContext *demuxer = avformat_alloc_context();
	int rc = AVERROR(ENOMEM);

	(void)vrs_av_take_said(-1); /* of another input */
	vrs_av_capture_begin();
	if (demuxer && interrupt) {
		demuxer->interrupt_callback = *interrupt;
		demuxer->flags |= AVFMT_FLAG_NONBLOCK; /* capture devices give AVERROR(EAGAIN) instead of waiting in the kernel */
	}
	*ret_demuxer = demuxer; /* for interrupt */
	if (demuxer)
		demuxer->pb = bytes;
	if (demuxer)
		rc = avformat_open_input(&demuxer, url, format, settings);
	av_dict_free(settings);
	if (rc >= 0)
		rc = avformat_find_stream_info(demuxer, NULL);
	*ret_demuxer = rc < 0 ? NULL : demuxer; /* the interrupt may be asked once more when FFmpeg has freed it */
	if (rc < 0)
		avformat_close_input(&demuxer);
	else
		vrs_av_capture_end();
	return rc;
}

/* The status for an FFmpeg error code (negative). EINVAL counts as damaged data. */
static enum vrs_status status_of(int rc)
{
	switch (rc) {
	case AVERROR(ENOENT):
	case AVERROR_ENCODER_NOT_FOUND:
	case AVERROR_MUXER_NOT_FOUND:
		return VRS_ENOTFOUND;
	case AVERROR(ENOMEM):
		return VRS_ENOMEM;
	case AVERROR(ENOSPC):
	case AVERROR(EDQUOT):
		return VRS_ENOSPC;
	case AVERROR_INVALIDDATA:
	case AVERROR_EOF:
	case AVERROR_STREAM_NOT_FOUND:
	case AVERROR(EINVAL):
	case AVERROR(ERANGE):
		return VRS_EFORMAT;
	case AVERROR_DECODER_NOT_FOUND:
	case AVERROR_DEMUXER_NOT_FOUND:
	case AVERROR_PROTOCOL_NOT_FOUND:
	case AVERROR_PATCHWELCOME:
	case AVERROR(ENOSYS):
		return VRS_EUNSUPPORTED;
	case AVERROR_EXIT:
		return VRS_ESTOPPED;
	case AVERROR_BUG:
	case AVERROR_BUG2:
	case AVERROR_EXTERNAL:
	case AVERROR_UNKNOWN:
		return VRS_EINTERNAL;
	default:
		return VRS_EIO;
	}
}

enum vrs_status vrs_av_fail(struct vrs_error *err, enum vrs_status status, int rc, const char *fmt, ...)
{
	char sentence[1024], cause[AV_ERROR_MAX_STRING_SIZE];
	va_list args;

	va_start(args, fmt);
	vsnprintf(sentence, sizeof sentence, fmt, args);
	va_end(args);
	if (av_strerror(rc, cause, sizeof cause) < 0)
		snprintf(cause, sizeof cause, "error %d", rc);
	if (status == VRS_OK || rc == AVERROR(ENOMEM) || rc == AVERROR(ENOSPC) || rc == AVERROR(EDQUOT))
		status = status_of(rc);
	status = vrs_fail(err, status, "%s: %s", sentence, t_captured[0] ? t_captured : cause);
	vrs_av_capture_end();
	return status;
}
