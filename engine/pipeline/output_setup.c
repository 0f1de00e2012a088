/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/output_setup.h"

#include <string.h>

#include "base/assert.h"
#include "compose/pack_step.h"
#include "job/disk_space.h"
#include "job/job_request.h"
#include "video/encoder_threads.h"

#include <vrseg/config.h>

/* Of vrs_sink_options.  Stamps come last: joining segments, or the rest of the sound, reads the input to its end. */
static enum vrs_status check_output(void *cookie, const char *file, struct vrs_error *err)
{
	struct vrs_job *job = cookie;
	enum vrs_status status = vrs_encode_stage_check(&job->encode, file, err);
	return status != VRS_OK ? status : vrs_job_check_files(job, err);
}

/* As asked, or as the encoder would choose: a number, the job's from now on, so that segments of a video are encoded alike. */
static int encoder_threads(struct vrs_job *job, const struct vrs_picture_format *format)
{
	const struct vrs_settings *settings = &job->settings;
	char encoder[VRS_NAME_MAX];
	if (job->threads.encode || !vrs_sink_saves(settings->output.file))
		return job->threads.encode;
	vrs_sink_encoder_used(encoder, settings->output.file, settings->output.encoder, settings->output.mode == VRS_MODE_CUTOUT);
	return vrs_encoder_own_threads(encoder, format, job->threads.cpus);
}

enum vrs_status vrs_output_setup_open(struct vrs_job *job, struct vrs_error *err)
{
	const struct vrs_settings *settings = &job->settings;
	const struct vrs_source_info *source = vrs_source_info(job->decode.source);
	struct vrs_sink_options *options = &job->sink_options;
	*options = (struct vrs_sink_options){
		.encoder = settings->output.encoder[0] ? settings->output.encoder : NULL,
		.overwrite = settings->output.overwrite,
		.audio = settings->output.audio && job->decode.loops == 1 && source->has_audio && (!job->is_segment || job->segment.joins),
		.segment_of = job->is_segment && !job->segment.joins ? vrs_job_video(job) : NULL,
		.folder = job->is_segment ? job->segment.folder : NULL,
		.format = vrs_compose_plan_output(&job->compose),
		.is_coverage = settings->output.mode == VRS_MODE_MATTE,
		.fps_num = source->fps_num,
		.fps_den = source->fps_den,
		.time_base_num = source->time_base_num,
		.time_base_den = source->time_base_den,
		.sar_num = source->sar_num,
		.sar_den = source->sar_den,
		.most_frames = settings->pipeline.max_frames,
		.every_nth = settings->pipeline.every_nth,
		.side = &job->side,
		.check = check_output,
		.check_cookie = job,
	};
	job->threads.encode = job->settings.pipeline.encode_threads = options->threads = encoder_threads(job, &options->format);
	job->side = job->compose.pack ? vrs_pack_step_side() : vrs_layout_side(&job->info.layout, &source->side);
	if (job->compose.pack)
		options->sar_num = options->sar_den = 1;
	job->info.output_width = options->format.width;
	job->info.output_height = options->format.height;
	enum vrs_status status = vrs_encoder_request(settings, options, err);
	if (status != VRS_OK)
		return status;
	job->info.bit_rate = options->bit_rate == VRS_BIT_RATE_SOURCE ? source->bit_rate : options->bit_rate;
	int64_t den = (int64_t)options->fps_den * settings->pipeline.every_nth;
	if (den <= INT32_MAX)
		options->fps_den = (int)den;
	status = vrs_option_text(vrs_option_find("output.mode"), settings, job->info.output_mode, sizeof job->info.output_mode);
	if (status != VRS_OK)
		return status;
	if (job->segment.joins || (job->encode.callbacks.plans_only && !vrs_sink_saves(settings->output.file)))
		return VRS_OK;
	if (job->encode.callbacks.on_output)
		job->encode.callbacks.on_output(job->encode.callbacks.cookie);
	return vrs_sink_open(&job->encode.sink, settings->output.file, options, job->decode.source, err);
}

static void estimate_frames(struct vrs_job *job)
{
	const struct vrs_source_info *source = vrs_source_info(job->decode.source);
	int nth = job->settings.pipeline.every_nth, max = job->settings.pipeline.max_frames;
	uint64_t total = source->frames > 0 && job->decode.loops > 0 ? ((uint64_t)source->frames + (uint64_t)nth - 1)
		/ (uint64_t)nth * (uint64_t)job->decode.loops : 0;
	if (max > 0 && (total == 0 || total > (uint64_t)max))
		total = (uint64_t)max;
	job->flow.stats.frames_total = job->is_segment ? (uint64_t)job->segment.frames_total : total;
}

enum vrs_status vrs_output_setup_check_space(struct vrs_job *job, struct vrs_error *err)
{
	const char *file = job->settings.output.file;
	estimate_frames(job);
	if (job->is_segment || vrs_sink_is_virtual(file) || strchr(file, ':'))
		return VRS_OK;
	return vrs_disk_check(file, vrs_disk_estimate(&job->settings, &job->info, (double)job->flow.stats.frames_total), 1, false, err);
}

void vrs_job_list_encoders(void (*line)(void *cookie, const char *text), void *cookie)
{
	vrs_sink_list_encoders(line, cookie);
}

bool vrs_job_has_encoder(const char *name, const char *option)
{
	if (!name[0] || strcmp(name, "auto") == 0 || strcmp(name, "hardware") == 0)
		return true;
	return vrs_sink_encoder_exists(name) && (!option || vrs_sink_encoder_has(name, option));
}

bool vrs_job_output_uses(const struct vrs_settings *settings, const char *key)
{
	const char *option = strchr(key, '.');

	VRS_ASSERT(option);
	return vrs_sink_uses(settings->output.file, settings->output.encoder, settings->output.mode == VRS_MODE_CUTOUT, option + 1);
}
