/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/container_clock.h"

#include <math.h>

#include <libavutil/avstring.h>

#include <vrseg/log.h>

#include "base/file.h"

#define RATE_SHARE 0.01 /* average and least rate of a video of one rate differ by less */

bool vrs_av_has_one_rate(const AVStream *source)
{
	return !source || (source->avg_frame_rate.num > 0 && source->r_frame_rate.num > 0 &&
			   fabs(av_q2d(source->r_frame_rate) / av_q2d(source->avg_frame_rate) - 1) < RATE_SHARE);
}

/*
 * The video itself, or MXF: FFmpeg's flag.  An MPEG program stream has time stamps, but one for several frames where these are small, and a reader
 * finds the others by the rate.
 */
static bool needs_one_rate(const AVOutputFormat *format)
{
	return (format->flags & AVFMT_NOTIMESTAMPS) || av_match_name(format->name, "mpeg,vcd,svcd,dvd,vob") > 0;
}

bool vrs_container_is_video_alone(const AVOutputFormat *format)
{
	return (format->flags & AVFMT_NOTIMESTAMPS) && format->audio_codec == AV_CODEC_ID_NONE && format->subtitle_codec == AV_CODEC_ID_NONE;
}

bool vrs_container_has_no_times(const AVOutputFormat *format)
{
	return (format->flags & AVFMT_NOTIMESTAMPS) || av_match_name(format->name, "yuv4mpegpipe") > 0;
}

/*
 * In AVI a reader counts frames, too, and the muxer writes an empty one for each unit of the time base in which there is none.  In that of a video
 * with time stamps most would be, and the rate 1000 a second.  Videos of one rate are counted in frames; others keep their time stamps so.
 */
bool vrs_container_counts_frames(const AVOutputFormat *format, const AVStream *source, const struct vrs_sink_options *options)
{
	bool counts = needs_one_rate(format) || av_match_name(format->name, "avi,yuv4mpegpipe") > 0;

	return counts && options->fps_num > 0 && options->fps_den > 0 && vrs_av_has_one_rate(source);
}

bool vrs_container_begins_with_picture(const AVOutputFormat *format)
{
	return av_match_name(format->name, "avi,mxf,mxf_d10,mxf_opatom") > 0;
}

/* Do readers of the video alone find its rate in it? */
static bool tells_rate(enum AVCodecID codec)
{
	static const enum AVCodecID telling[] = {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4,
						 AV_CODEC_ID_DIRAC, AV_CODEC_ID_CAVS, AV_CODEC_ID_VC1};

	for (size_t i = 0; i < sizeof telling / sizeof telling[0]; i++)
		if (telling[i] == codec)
			return true;
	return false;
}

enum vrs_status vrs_container_check_rate(const AVOutputFormat *format, const AVStream *source, const AVCodecContext *encoder, const char *path,
					 const struct vrs_sink_options *options, struct vrs_error *err)
{
	double rate;

	if (!needs_one_rate(format))
		return VRS_OK;
	if (!vrs_container_counts_frames(format, source, options))
		return vrs_fail(err, VRS_ECONFIG, "a %s file (%s) holds frames of one rate, and that of the input varies or is not known; name it .mkv or .mp4",
				format->name, vrs_path_base(path));
	rate = (double)options->fps_num / options->fps_den;
	if (fabs(av_q2d(encoder->time_base) * rate - 1) >= RATE_SHARE)
		return vrs_fail(err, VRS_ECONFIG, "encoder %s has no rate of %.5g frames/s, and a %s file (%s) no time stamps; name it .mkv or .mp4",
				encoder->codec->name, rate, format->name, vrs_path_base(path));
	if (vrs_container_is_video_alone(format) && !tells_rate(encoder->codec_id))
		vrs_log(VRS_LOG_WARNING, "a %s file (%s) does not say its frame rate, %.5g here: tell it to whoever reads it, or name it .mkv", format->name,
			vrs_path_base(path), rate);
	return VRS_OK;
}
