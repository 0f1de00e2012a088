/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "y4m:FILE", "y4m:-" (standard output) and FILE.y4m: raw frames through FFmpeg's YUV4MPEG2 muxer.  Other formats are converted to one it knows. */
#include <string.h>

#include "base/str_parse.h"
#include "video/sink_av.h"

#define PREFIX "y4m:"

static bool sink_y4m_takes(const char *target)
{
	return strncmp(target, PREFIX, strlen(PREFIX)) == 0 || av_match_ext(target, "y4m") > 0;
}

/* What the format can name of ours: 4:2:0, 4:2:2, 4:4:4 and grey, of any depth. */
static enum vrs_status check_format(const struct vrs_picture_format *format, struct vrs_error *err)
{
	bool known_sampling = !(format->chroma_shift_x == 0 && format->chroma_shift_y == 1);

	if (format->planes != 1 && !known_sampling)
		return vrs_fail(err, VRS_ECONFIG, "a y4m stream cannot hold 4:4:0 pictures; choose another output");
	if (format->planes == 4)
		return vrs_fail(err, VRS_ECONFIG, "a y4m stream cannot hold an alpha plane; choose another output");
	/* FFmpeg's muxer halves the row length in bytes, not in samples, and loses the last byte of each chroma row. */
	if (format->bit_depth > 8 && format->planes == 3 && format->chroma_shift_x && (format->width & 1))
		return vrs_fail(err, VRS_ECONFIG, "a y4m stream cannot hold pictures of odd width with more than 8 bits; choose another output");
	return VRS_OK;
}

static enum vrs_status sink_y4m_open(struct vrs_sink *base, const char *target, const struct vrs_sink_options *options, struct vrs_source *source,
				     struct vrs_error *err)
{
	struct vrs_sink_av *sink = (struct vrs_sink_av *)base;
	const char *path = strncmp(target, PREFIX, strlen(PREFIX)) == 0 ? target + strlen(PREFIX) : target;
	const AVOutputFormat *format = av_guess_format("yuv4mpegpipe", NULL, NULL);
	const AVCodec *codec = avcodec_find_encoder(AV_CODEC_ID_WRAPPED_AVFRAME);
	struct vrs_sink_options raw = *options;
	bool to_stdout = strcmp(path, "-") == 0;
	enum vrs_status status = check_format(&options->format, err);

	if (status != VRS_OK)
		return status;
	if (!format || !codec)
		return vrs_fail(err, VRS_EUNSUPPORTED, "this FFmpeg cannot write y4m");
	raw.encoder = raw.preset = NULL; /* nothing is encoded */
	raw.crf = -1;
	raw.side = NULL;
	raw.audio = false;
	if (to_stdout)
		(void)vrs_strcpy(sink->target.path, sizeof sink->target.path, "standard output");
	else
		status = vrs_sink_target_open(&sink->target, path, options, source, err);
	return status != VRS_OK ? status : vrs_sink_av_start(sink, format, codec, NULL, to_stdout ? "pipe:1" : NULL, &raw, NULL, err);
}

const struct vrs_sink_kind vrs_sink_y4m_kind = {
	.state_size = sizeof(struct vrs_sink_av),
	.takes = sink_y4m_takes,
	.open = sink_y4m_open,
	.write = vrs_sink_av_write,
	.finish = vrs_sink_av_finish,
	.close = vrs_sink_av_close,
};
