/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/stage_setup.h"

static int queue_frames(const struct vrs_job *job, int asked)
{
	return vrs_memory_queue(vrs_frame_bytes(&job->roi.format), asked);
}

/* Behind the decoder. */
static int ahead_frames(const struct vrs_job *job)
{
	int prefetch = job->settings.pipeline.prefetch;
	return job->info.live ? vrs_live_queue_size(&job->shared.take) :
	       queue_frames(job, prefetch ? prefetch * job->threads.streams : job->settings.pipeline.queue_size);
}

/* The pool holds what waits for the encoder, what each worker composes, and what the encoder has in hand. */
static int pool_frames(const struct vrs_job *job)
{
	int64_t count = queue_frames(job, job->settings.pipeline.queue_size) + job->threads.streams + 2;
	if (job->info.in_flight && count > job->info.in_flight + 1)
		count = job->info.in_flight + 1;
	count += (job->roi.room - job->roi.group) * job->threads.streams;
	if (job->info.memory_work.pictures && count > job->info.memory_work.pictures)
		count = job->info.memory_work.pictures;
	return count > VRS_FRAME_POOL_MAX ? VRS_FRAME_POOL_MAX : (int)count;
}

/* Groups of frames between a worker and the thread that composes for it. */
static int composed_ahead(const struct vrs_job *job)
{
	return job->info.composes_apart ? VRS_COMPOSER_AHEAD : 0;
}

/* Bytes of frames, and of those that can be under way at a time. */
static void count_bytes(struct vrs_job *job, double covered)
{
	struct vrs_job_info *info = &job->info;
	struct vrs_picture_format out = vrs_compose_plan_pool(&job->compose);
	info->frame_bytes = vrs_frame_bytes(&job->roi.format);
	info->output_bytes = vrs_frame_bytes(&out);
	info->view_bytes = (uint64_t)((double)info->frame_bytes * covered / ((double)info->width * info->height));
	uint64_t in_flight = (uint64_t)ahead_frames(job) + (uint64_t)job->roi.room * (uint64_t)(job->threads.streams + composed_ahead(job));
	if (info->in_flight && in_flight > (uint64_t)info->in_flight && !info->live)
		in_flight = (uint64_t)info->in_flight;
	job->flow.stats.queue_bytes = in_flight * info->frame_bytes + (uint64_t)pool_frames(job) * info->output_bytes;
	if (vrs_compose_plan_recolors(&job->compose))
		job->flow.stats.queue_bytes += (uint64_t)pool_frames(job) * info->frame_bytes;
}

static enum vrs_status make_compose(struct vrs_job *job)
{
	struct vrs_compose_plan *compose = &job->compose;
	double covered = 0;
	for (int eye = 0; eye < job->roi.eyes; eye++) {
		covered += (double)job->roi.views[eye].width * job->roi.views[eye].height;
		compose->areas[eye] = *vrs_roi_area(&job->roi, eye);
	}
	/* filling the outside of small views in each frame costs more than copying the inside; people seldom fill the picture */
	compose->prefer_pool = job->roi.follows || covered < 0.6 * job->info.width * job->info.height;
	compose->foreground = vrs_foreground_wanted(&job->settings, &job->roi.network.manifest);
	compose->matte_width = job->roi.matte_width;
	compose->matte_height = job->roi.matte_height;
	enum vrs_status status = vrs_compose_plan_prepare(compose);
	if (status != VRS_OK)
		return status;
	count_bytes(job, covered);
	return vrs_compose_plan_make_pool(compose, pool_frames(job));
}

static enum vrs_status make_flow(struct vrs_job *job)
{
	struct vrs_flow *flow = &job->flow;
	enum vrs_status status = vrs_stage_queue_create(&flow->decoded, ahead_frames(job));
	if (status == VRS_OK && flow->live)
		vrs_live_number(flow);
	if (status == VRS_OK)
		status = vrs_stage_queue_create(&flow->composed, queue_frames(job, job->settings.pipeline.queue_size));
	if (status == VRS_OK && job->settings.matte.skip_similar)
		status = vrs_sequencer_create(&flow->comparison);
	return status != VRS_OK ? status : vrs_sequencer_create(&flow->postprocess);
}

void vrs_stage_setup_wire(struct vrs_job *job)
{
	job->past = (struct vrs_roi_past){.plan = &job->roi, .flow = &job->flow};
	job->mattes.plan = &job->roi;
	job->mattes.flow = job->encode.flow = job->decode.flow = job->decode.live.flow = &job->flow;
	job->mattes.past = &job->past;
	job->decode.settings = &job->settings;
	job->decode.segment = job->is_segment ? &job->segment : NULL;
	job->decode.compose = &job->compose;
	job->encode.from_zero = job->is_segment;
	job->shared.flow = &job->flow;
	job->shared.roi = &job->roi;
	job->shared.past = &job->past;
	job->shared.reference = &job->reference;
	job->shared.tonemap = &job->tonemap;
	job->shared.compose = &job->compose;
	job->shared.mattes = &job->mattes;
	job->shared.segment = job->is_segment && !job->segment.joins ? &job->segment : NULL;
	job->shared.past_out = &job->past_out;
}

enum vrs_status vrs_stage_setup_make(struct vrs_job *job, struct vrs_error *err)
{
	struct vrs_roi_plan *roi = &job->roi;
	int mapped = roi->room * (job->threads.streams + composed_ahead(job)) + vrs_matte_stage_latency(&job->settings);
	uint64_t bytes = 0;
	enum vrs_status status = make_compose(job);
	if (status == VRS_OK)
		status = vrs_tonemap_step_prepare(&job->tonemap, vrs_source_info(job->decode.source), mapped, &bytes);
	job->flow.stats.queue_bytes += bytes;
	roi->reuses = vrs_reuse_wanted(&job->settings) || roi->room > roi->group;
	/* the small network's pictures have another size */
	roi->luma_of_input = !roi->cascade && !vrs_roi_merges(roi) && roi->shape.input_width == roi->matte_width &&
			     roi->shape.input_height == roi->matte_height;
	if (status == VRS_OK && job->info.composes_apart)
		status = vrs_stage_queue_create(&job->flow.finished, 1);
	for (int i = 0; i < job->threads.streams && status == VRS_OK; i++)
		status = vrs_worker_init(&job->workers[i], &job->shared, &job->workers[vrs_roi_devices_first(&roi->devices, i)], i, err);
	if (status == VRS_OK)
		status = vrs_reference_init(&job->reference, &job->mattes.arena, roi);
	if (status == VRS_OK)
		status = vrs_matte_stage_init(&job->mattes);
	return status != VRS_OK ? status : make_flow(job);
}
