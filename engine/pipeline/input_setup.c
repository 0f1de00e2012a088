/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/input_setup.h"

#include <stdio.h>

#include "base/str_parse.h"
#include "job/job_request.h"
#include "matte/tonemap.h"
#include "pipeline/memory_setup.h"
#include "roi/roi_plan.h"

#include <vrseg/log.h>
#include <vrseg/network_run.h>

static enum vrs_status on_stream(void *cookie, const struct vrs_stream_shape *shape, struct vrs_decoder_choice *choice, struct vrs_error *err)
{
	struct vrs_job *job = cookie;
	enum vrs_status status = vrs_memory_setup_plan(job, shape, err);
	if (!job->is_segment)
		choice->threads = job->info.memory_work.knob[VRS_KNOB_DECODE];
	choice->spare_bytes = vrs_memory_setup_spare(job);
	return status;
}

static enum vrs_status on_growth(void *cookie, const struct vrs_stream_shape *shape, struct vrs_error *err)
{
	return vrs_memory_setup_growth(cookie, shape, err);
}

static void describe_pixels(const struct vrs_picture_format *format, char *text, size_t size)
{
	const char *sampling = format->planes == 1 ? "grey" : format->chroma_shift_x == 0 ? (format->chroma_shift_y ? "4:4:0" : "4:4:4")
			       : format->chroma_shift_x == 2 ? "4:1:1" : format->chroma_shift_y ? "4:2:0" : "4:2:2";
	snprintf(text, size, "%d-bit %s", format->bit_depth, sampling);
}

/* Of a video in segments the first one tells. */
static bool is_told(const struct vrs_job *job)
{
	return job->segment.before && job->segment.before->frames_done;
}

enum vrs_status vrs_input_setup_open(struct vrs_job *job, const char *input, struct vrs_error *err)
{
	struct vrs_source_options options = vrs_input_options(&job->settings, job->threads.decode);
	options.on_stream = on_stream;
	options.on_growth = on_growth;
	options.cookie = job;
	options.skip = job->segment.preroll;
	options.stored = job->segment.pictures;
	options.copies = (!job->is_segment || job->segment.joins) && !vrs_sink_is_virtual(job->settings.output.file);
	options.low_delay = job->settings.pipeline.live && vrs_source_sets_pace(input);
	(void)vrs_strcpy(job->info.input, sizeof job->info.input, input); /* only shown */
	enum vrs_status status = vrs_source_open(&job->decode.source, input, &options, err);
	if (status != VRS_OK)
		return status;
	const struct vrs_source_info *source = vrs_source_info(job->decode.source);
	const struct vrs_stream_shape drawn = {.codec = "", .width = source->format.width, .height = source->format.height,
		.frame_bytes = vrs_frame_bytes(&source->format), .format = source->format};
	if (!job->info.memory_work.knob[VRS_KNOB_DECODE]) /* nothing is decoded */
		status = vrs_memory_setup_plan(job, &drawn, err);
	if (status != VRS_OK)
		return status;
	struct vrs_job_info *info = &job->info;
	status = vrs_tonemap_step_open(&job->tonemap, &job->settings, source, input, is_told(job));
	if (status != VRS_OK)
		return status;
	job->settings.output.tonemap = job->tonemap.tonemap ? VRS_TONEMAP_BT2390 : VRS_TONEMAP_OFF; /* what cached mattes are known by */
	(void)vrs_strcpy(info->codec, sizeof info->codec, source->codec);
	info->width = source->format.width;
	info->height = source->format.height;
	info->fps = source->fps_num > 0 && source->fps_den > 0 ? (double)source->fps_num / source->fps_den : 0;
	info->first_seconds = job->is_segment ? (double)job->segment.video_first_us / 1e6 : source->first_seconds;
	describe_pixels(&source->format, info->pixels, sizeof info->pixels);
	return vrs_input_layout(&info->layout, &job->settings, source, input, err);
}

enum vrs_status vrs_input_setup_eyes(struct vrs_job *job, struct vrs_error *err)
{
	const struct vrs_picture_format *source = &vrs_source_info(job->decode.source)->format;
	struct vrs_job_info *info = &job->info;
	struct vrs_roi_plan *roi = &job->roi;
	info->eyes = vrs_layout_eyes(&info->layout);
	if (info->eyes > 1 && (info->width < 2 || info->height < 2))
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s has %dx%d pixels, too few for two eyes", info->input, info->width, info->height);
	if (info->eyes == 1 && job->settings.matte.repair_eyes != VRS_EYE_REPAIR_NONE && !is_told(job))
		vrs_log(VRS_LOG_INFO, "%s shows one eye: --repair-eyes has no effect", info->input);
	roi->format = job->tonemap.tonemap ? vrs_tonemap_format(source) : *source;
	roi->format.circle = vrs_layout_circle(&info->layout, &roi->format);
	roi->eyes = info->eyes;
	roi->settings = &job->settings;
	roi->layout = &info->layout;
	enum vrs_status status = vrs_roi_settle_size(&job->settings, &info->layout, &roi->format, err);
	if (status == VRS_OK) /* calibrations are of one size */
		status = vrs_precision_settle(&job->settings, info->precision_reason, sizeof info->precision_reason, err);
	if (status != VRS_OK)
		return status;
	for (int eye = 0; eye < roi->eyes; eye++)
		info->views[eye] = roi->views[eye] = vrs_view_rect(&info->layout, &job->settings, &roi->format, eye);
	job->compose.format = roi->format;
	job->compose.eyes = roi->eyes;
	job->compose.settings = &job->settings;
	job->compose.layout = &info->layout;
	return VRS_OK;
}
