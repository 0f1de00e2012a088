/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/source_probe.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <libavutil/intreadwrite.h>

#include "video/av_input.h"
#include "video/av_support.h"
#include "video/packet_history.h"

#define PNG_HEADER 26 /* bytes up to the colour type */

static bool is_regular(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The format that FFmpeg's decoder gives pictures of a PNG colour type; those with few bits, and palettes, become bytes of at most four. */
static enum AVPixelFormat png_format(int type, int depth)
{
	switch (type) {
	case 0: return depth > 8 ? AV_PIX_FMT_GRAY16BE : AV_PIX_FMT_GRAY8;
	case 2: return depth > 8 ? AV_PIX_FMT_RGBA64BE : AV_PIX_FMT_RGBA; /* a transparent colour makes it RGBA */
	case 4: return depth > 8 ? AV_PIX_FMT_YA16BE : AV_PIX_FMT_YA8;
	case 6: return depth > 8 ? AV_PIX_FMT_RGBA64BE : AV_PIX_FMT_RGBA;
	default: return AV_PIX_FMT_PAL8;
	}
}

static bool read_png(struct vrs_stream_shape *ret, const char *path)
{
	static const uint8_t begin[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R'};
	uint8_t header[PNG_HEADER];
	FILE *file = fopen(path, "rbe");
	bool is_png = file && fread(header, 1, sizeof header, file) == sizeof header && memcmp(header, begin, sizeof begin) == 0;
	uint32_t width = is_png ? AV_RB32(header + 16) : 0, height = is_png ? AV_RB32(header + 20) : 0;
	AVCodecParameters *codec = is_png && width <= INT_MAX && height <= INT_MAX ? avcodec_parameters_alloc() : NULL;

	if (file)
		fclose(file);
	if (!codec)
		return false;
	codec->codec_type = AVMEDIA_TYPE_VIDEO;
	codec->codec_id = AV_CODEC_ID_PNG;
	codec->width = (int)width;
	codec->height = (int)height;
	codec->format = png_format(header[25], header[24]);
	*ret = vrs_av_input_shape(codec);
	avcodec_parameters_free(&codec);
	return true;
}

/* Has the file one packet alone?  Demuxers of pictures read on behind the first. */
static bool is_alone(const AVInputFormat *format, const char *path)
{
	AVFormatContext *demuxer = NULL;
	AVPacket *packet = av_packet_alloc();
	char url[PATH_MAX + 8];
	bool alone = false;

	vrs_av_capture_begin();
	if (packet && snprintf(url, sizeof url, "file:%s", path) < (int)sizeof url && avformat_open_input(&demuxer, url, format, NULL) >= 0 &&
	    av_read_frame(demuxer, packet) >= 0) {
		av_packet_unref(packet);
		alone = av_read_frame(demuxer, packet) == AVERROR_EOF;
	}
	vrs_av_capture_end();
	av_packet_free(&packet);
	avformat_close_input(&demuxer);
	return alone;
}

int64_t vrs_probe_pictures(const AVFormatContext *demuxer, const AVStream *stream, const char *path)
{
	const char *name = demuxer->iformat->name;
	size_t length = strlen(name);

	if (strcmp(name, "image2") == 0)
		return stream->duration > 0 ? stream->duration : 0;
	return length > 5 && strcmp(name + length - 5, "_pipe") == 0 && is_regular(path) && is_alone(demuxer->iformat, path) ? 1 : 0;
}

static enum vrs_status probe_drawn(struct vrs_stream_shape *ret, const char *path, struct vrs_error *err)
{
	struct vrs_source *source;
	enum vrs_status status = vrs_source_open(&source, path, NULL, err);

	if (status != VRS_OK)
		return status;
	const struct vrs_picture_format *format = &vrs_source_info(source)->format;
	*ret = (struct vrs_stream_shape){.codec = "", .width = format->width, .height = format->height, .frame_bytes = vrs_frame_bytes(format),
		.format = *format};
	vrs_source_close(source);
	return VRS_OK;
}

enum vrs_status vrs_source_probe(struct vrs_stream_shape *ret, const char *path, struct vrs_error *err)
{
	AVFormatContext *demuxer;
	AVStream *stream;
	enum vrs_status status;

	if (strncmp(path, "synth:", 6) == 0)
		return probe_drawn(ret, path, err);
	if (!is_regular(path))
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s is no file", vrs_source_words(path));
	vrs_av_init();
	if (read_png(ret, path)) {
		ret->pictures = is_alone(av_find_input_format("png_pipe"), path);
		return VRS_OK;
	}
	status = vrs_av_input_open(&demuxer, path, vrs_source_words(path), NULL, NULL, err);
	if (status != VRS_OK)
		return status;
	status = vrs_av_input_stream(&stream, demuxer, vrs_source_words(path), err);
	if (status == VRS_OK) {
		*ret = vrs_av_input_shape(stream->codecpar);
		ret->packet_bytes = vrs_packet_history_limit(demuxer, stream);
		ret->pictures = vrs_probe_pictures(demuxer, stream, path);
	}
	vrs_av_input_close(&demuxer);
	return status;
}
