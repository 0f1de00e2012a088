/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/picture_input.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <libavutil/pixdesc.h>

#include <vrseg/log.h>

#include "video/av_support.h"
#include "video/live_input.h"

/* FFmpeg looks for the first number of a sequence from 0 to here. */
#define LAST_START "100000"

/* %d, %4d, %04d */
static bool has_number(const char *path)
{
	for (const char *p = strchr(path, '%'); p; p = strchr(p + 1, '%')) {
		const char *digit = p + 1 + strspn(p + 1, "0123456789");

		if (*digit == 'd' && digit - p <= 3)
			return true;
	}
	return false;
}

/* A file of that very name is no sequence. */
static bool is_sequence(const char *path)
{
	return (has_number(path) || strpbrk(path, "*?[")) && access(path, F_OK) != 0 && !vrs_live_input_is(path);
}

/* image2 itself takes a pattern without a match for a sequence of nothing. */
static bool has_match(const char *pattern)
{
	glob_t found;
	bool any = glob(pattern, GLOB_NOSORT, NULL, &found) == 0 && found.gl_pathc > 0;

	globfree(&found);
	return any;
}

static bool is_raw(const struct vrs_source_options *options)
{
	return options && options->raw_format && options->raw_format[0];
}

bool vrs_picture_input_is(const char *path, const struct vrs_source_options *options)
{
	return is_raw(options) || is_sequence(path);
}

static enum vrs_status open_as(AVFormatContext **ret_demuxer, const char *demuxer_name, const char *url, const char *name, AVDictionary **settings,
			       struct vrs_error *err)
{
	AVFormatContext *demuxer = NULL;
	enum vrs_status status = VRS_OK;
	int rc;

	av_dict_set(settings, "protocol_whitelist", "file,pipe", 0);
	vrs_av_capture_begin();
	rc = avformat_open_input(&demuxer, url, av_find_input_format(demuxer_name), settings);
	if (rc >= 0)
		rc = avformat_find_stream_info(demuxer, NULL);
	if (rc == AVERROR(ENOENT))
		status = vrs_fail(err, VRS_ENOTFOUND, "no picture matches %s", name);
	else if (rc < 0)
		status = vrs_av_fail(err, rc, "cannot read %s", name);
	vrs_av_capture_end();
	if (status != VRS_OK)
		avformat_close_input(&demuxer);
	else
		*ret_demuxer = demuxer;
	return status;
}

static enum vrs_status raw_settings(AVDictionary **settings, const char *name, const struct vrs_source_options *options, struct vrs_error *err)
{
	char size[32];

	if (av_get_pix_fmt(options->raw_format) == AV_PIX_FMT_NONE)
		return vrs_fail(err, VRS_ECONFIG, "--raw-format: FFmpeg knows no pixel format \"%s\"; try yuv420p or nv12", options->raw_format);
	if (options->raw_size[0] < 1 || options->raw_size[1] < 1)
		return vrs_fail(err, VRS_ECONFIG, "raw video does not tell its size; give --raw-size WIDTHxHEIGHT for %s", name);
	snprintf(size, sizeof size, "%dx%d", options->raw_size[0], options->raw_size[1]);
	av_dict_set(settings, "pixel_format", options->raw_format, 0);
	av_dict_set(settings, "video_size", size, 0);
	return VRS_OK;
}

enum vrs_status vrs_picture_input_open(AVFormatContext **ret_demuxer, const char *path, const char *name, const struct vrs_source_options *options,
				       struct vrs_error *err)
{
	bool raw = is_raw(options), told = options && options->fps > 0;
	AVDictionary *settings = NULL;
	enum vrs_status status = VRS_OK;
	char url[PATH_MAX + 8], rate[32];

	vrs_live_pipe_url(url, sizeof url);
	/* image2 makes the names of its files itself: no protocol in front of the pattern */
	if (strcmp(path, "-") != 0 && snprintf(url, sizeof url, raw ? "file:%s" : "%s", path) >= (int)sizeof url)
		return vrs_fail(err, VRS_ELIMIT, "the name of the input is too long");
	snprintf(rate, sizeof rate, "%.9g", told ? options->fps : VRS_SEQUENCE_FPS);
	av_dict_set(&settings, "framerate", rate, 0);
	if (raw) {
		status = raw_settings(&settings, name, options, err);
	} else {
		av_dict_set(&settings, "pattern_type", has_number(path) ? "sequence" : "glob", 0);
		av_dict_set(&settings, "start_number_range", LAST_START, 0);
		if (!has_number(path) && !has_match(path))
			status = vrs_fail(err, VRS_ENOTFOUND, "no picture matches %s", name);
	}
	if (status == VRS_OK)
		status = open_as(ret_demuxer, raw ? "rawvideo" : "image2", url, name, &settings, err);
	if (status == VRS_OK && !told)
		vrs_log(VRS_LOG_INFO, "%s: no frame rate given, assuming %d frames/s; set it with --fps", name, VRS_SEQUENCE_FPS);
	av_dict_free(&settings);
	return status;
}
