/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/tonemap_step.h"

#include "matte/hdr_transfer.h"
#include "matte/tonemap.h"
#include "pipeline/job.h"
#include "pipeline/stage_step.h"

#include <vrseg/log.h>

static double peak_of(const struct vrs_source_info *source)
{
	return source->peak_nits > 0 ? source->peak_nits : VRS_TONEMAP_PEAK_NITS;
}

enum vrs_status vrs_tonemap_for(struct vrs_tonemap **ret_tonemap, const struct vrs_settings *settings, const struct vrs_source_info *source,
				bool narrow)
{
	int choice = settings->output.tonemap;
	*ret_tonemap = NULL;
	if (!vrs_format_is_hdr(&source->format) || source->format.planes != 3 || choice == VRS_TONEMAP_OFF || (choice == VRS_TONEMAP_AUTO && !narrow))
		return VRS_OK;
	return vrs_tonemap_create(ret_tonemap, &source->format, peak_of(source));
}

static void tell(const struct vrs_job *job, const struct vrs_source_info *source)
{
	const char *input = job->info.input, *curve = vrs_format_is_pq(&source->format) ? "PQ" : "HLG";
	bool hdr = vrs_format_is_hdr(&source->format);
	if (job->is_segment && job->segment.before && job->segment.before->frames_done)
		return; /* it has been said */
	if (job->tonemap)
		vrs_log(VRS_LOG_INFO, "%s is HDR (%s): the output is SDR, mapped from a peak of %.0f nits%s (--tonemap off keeps HDR)", input, curve,
			peak_of(source), source->peak_nits > 0 ? "" : ", which is assumed");
	else if (hdr)
		vrs_log(VRS_LOG_INFO, "%s is HDR (%s): the output keeps it, the network sees it as a video of ordinary brightness", input, curve);
	else if (job->settings.output.tonemap == VRS_TONEMAP_BT2390)
		vrs_log(VRS_LOG_INFO, "%s is not HDR: --tonemap has no effect", input);
}

enum vrs_status vrs_tonemap_open(struct vrs_job *job)
{
	const struct vrs_source_info *source = vrs_source_info(job->source);
	bool narrow = vrs_format_is_hdr(&source->format) && !vrs_sink_keeps_depth(job->settings.output.file, job->settings.output.encoder);
	enum vrs_status status = vrs_tonemap_for(&job->tonemap, &job->settings, source, narrow);
	if (status)
		return status;
	tell(job, source);
	job->settings.output.tonemap = job->tonemap ? VRS_TONEMAP_BT2390 : VRS_TONEMAP_OFF; /* what cached mattes are known by */
	if (job->tonemap)
		job->format = vrs_tonemap_format(&source->format);
	return VRS_OK;
}

static void leave_as_is(void *cookie, struct vrs_frame *frame)
{
	(void)cookie, (void)frame;
}

enum vrs_status vrs_tonemap_prepare(struct vrs_job *job)
{
	if (!job->tonemap)
		return VRS_OK;
	struct vrs_picture_format target = vrs_tonemap_format(&vrs_source_info(job->source)->format);
	int count = job->room * job->plan.streams + vrs_matte_stage_latency(&job->settings) + 1;
	count = count < VRS_FRAME_POOL_MAX ? count : VRS_FRAME_POOL_MAX;
	job->stats.queue_bytes += (uint64_t)count * vrs_frame_bytes(&target);
	return vrs_frame_pool_create(&job->mapped, &target, count, leave_as_is, NULL);
}

static enum vrs_status map(struct vrs_job *job, struct vrs_frame *frame)
{
	struct vrs_composite_past *unused;
	struct vrs_frame mapped;
	enum vrs_status status = vrs_frame_pool_get(job->mapped, &mapped, &unused);
	if (status)
		return status;
	vrs_tonemap_run(job->tonemap, &mapped, frame);
	mapped.pts = frame->pts;
	mapped.duration = frame->duration;
	mapped.index = frame->index;
	mapped.writable = true;
	vrs_frame_unref(frame);
	*frame = mapped;
	return VRS_OK;
}

bool vrs_tonemap_frames(struct vrs_worker *worker, int frames)
{
	struct vrs_job *job = worker->job;
	if (!job->tonemap || frames == 0)
		return true;
	struct vrs_stage_step step = vrs_stage_step_begin(job);
	enum vrs_status status = VRS_OK;
	for (int n = 0; n < frames && !status; n++)
		status = map(job, &worker->group[n]->frame);
	if (status) {
		vrs_job_fail(job, status, NULL);
		return false;
	}
	vrs_stage_step_end(job, VRS_STAGE_PREPROCESS, &step, worker->group, frames, &(struct vrs_stage_stats){0});
	return true;
}
