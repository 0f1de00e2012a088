/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One stream: takes frames in groups, and does everything between decoding and encoding for them. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "pipeline/job.h"
#include "pipeline/live_stage.h"
#include "roi/roi_inference.h"
#include "pipeline/stage_step.h"
#include "pipeline/tonemap_step.h"

static enum vrs_status create_composite(struct vrs_worker *worker)
{
	struct vrs_job *job = worker->job;
	if (job->pack)
		return VRS_OK;
	struct vrs_composite_options options;
	vrs_job_composite_options(job, &options);
	return vrs_composite_create(&worker->composite, &options);
}

/* Luma at matte size, where mattes or the comparison of frames need it. */
static enum vrs_status create_luma(struct vrs_worker *worker, size_t pixels)
{
	struct vrs_job *job = worker->job;
	const struct vrs_postprocess_options post = vrs_matte_stage_options(&job->settings, job->info.matte_width, job->info.matte_height);
	enum vrs_status status = VRS_OK;
	if (!job->reuses && job->regions == 1 && !vrs_postprocess_needs_luma(&post))
		return VRS_OK;
	if (!(worker->luma = vrs_calloc(pixels, 1)))
		return VRS_ENOMEM;
	for (int eye = 0; eye < job->eyes && !status; eye++)
		status = vrs_luma_view_init(&worker->luma_view[eye], &job->format, &job->follow[eye].eye, vrs_job_area(job, eye),
					    job->info.matte_width, job->info.matte_height);
	return status;
}

static enum vrs_status create_frames(struct vrs_worker *worker, size_t pixels)
{
	const struct vrs_job *job = worker->job;
	size_t frames = (size_t)job->room, inputs = frames * (size_t)job->eyes;
	worker->group = vrs_calloc(frames, sizeof(struct vrs_frame_task *));
	worker->ready = vrs_calloc(frames, sizeof(struct vrs_frame_task *));
	worker->shown = vrs_calloc(inputs, sizeof *worker->shown);
	worker->alpha = vrs_calloc(pixels, sizeof *worker->alpha);
	worker->mattes = vrs_calloc(pixels, 1);
	return worker->group && worker->ready && worker->shown && worker->alpha && worker->mattes ? VRS_OK : VRS_ENOMEM;
}

enum vrs_status vrs_worker_init(struct vrs_worker *worker, struct vrs_job *job, int number, struct vrs_error *err)
{
	worker->job = job;
	worker->number = number;
	size_t inputs = (size_t)job->room * (size_t)job->eyes, pixels;
	enum vrs_status status = VRS_OK;
	if (!worker->session) { /* the first worker's session came before, to learn the shapes; all share its weights */
		status = vrs_session_clone(&worker->session, job->workers[0].session, err);
		if (!status)
			status = vrs_head_create(&worker->head, &job->network.manifest, worker->session, job->eyes, err);
	}
	if (!status && !vrs_mul_size(inputs, job->matte_size, &pixels))
		return vrs_fail(err, VRS_ELIMIT, "a batch of %d mattes of %dx%d is too large", (int)inputs, job->info.matte_width,
				job->info.matte_height);
	if (!status)
		status = create_frames(worker, pixels);
	if (!status)
		status = create_luma(worker, pixels);
	if (!status)
		status = vrs_reuse_init(worker);
	if (!status)
		status = vrs_roi_inference_init(worker);
	if (!status)
		status = vrs_cascade_look_init(worker, err);
	return status ? status : create_composite(worker);
}

void vrs_worker_fini(struct vrs_worker *worker)
{
	vrs_head_destroy(worker->head);
	vrs_session_destroy(worker->session);
	vrs_cascade_look_fini(worker);
	vrs_roi_inference_fini(worker);
	vrs_reuse_fini(worker);
	for (int eye = 0; eye < VRS_MAX_EYES; eye++)
		vrs_luma_view_fini(&worker->luma_view[eye]);
	vrs_composite_destroy(worker->composite);
	vrs_free(worker->group);
	vrs_free(worker->ready);
	vrs_free(worker->shown);
	vrs_free(worker->alpha);
	vrs_free(worker->luma);
	vrs_free(worker->mattes);
	memset(worker, 0, sizeof *worker);
}

static struct vrs_matte matte_of(const struct vrs_worker *worker, int input)
{
	const struct vrs_job *job = worker->job;
	return (struct vrs_matte){.width = job->info.matte_width, .height = job->info.matte_height, .stride = job->info.matte_width,
		.data = worker->mattes + job->matte_size * (size_t)input};
}

/* The composed picture replaces the decoded one in work->frame. */
static enum vrs_status compose(struct vrs_worker *worker, int n, struct vrs_error *err)
{
	struct vrs_job *job = worker->job;
	struct vrs_frame_task *task = worker->ready[n];
	struct vrs_matte mattes[VRS_COMPOSITE_MAX_VIEWS] = {0};
	for (int eye = 0; eye < job->eyes; eye++) {
		mattes[eye] = matte_of(worker, n * job->eyes + eye);
		if (!job->pack)
			(void)vrs_composite_place(worker->composite, eye, &worker->shown[n * job->eyes + eye]); /* inside the eye always */
	}
	if (task->behind.data[0])
		vrs_composite_behind(worker->composite, &task->behind);
	if (!job->pack && task->frame.writable && !job->prefer_pool && vrs_composite_in_place(worker->composite)) {
		vrs_composite_run(worker->composite, &task->frame, &task->frame, mattes, NULL);
		task->frame.format = vrs_composite_format(&task->frame.format);
		return VRS_OK;
	}
	struct vrs_frame out;
	struct vrs_composite_past *past;
	enum vrs_status status = vrs_frame_pool_get(job->pool, &out, &past);
	if (status)
		return vrs_fail(err, status, status == VRS_ELIMIT ? "the encoder keeps more than %d frames" : "no memory for a frame beyond %d",
				vrs_frame_pool_size(job->pool));
	if (job->pack)
		vrs_alpha_pack_run(job->pack, &out, &task->frame, mattes, &worker->shown[n * job->eyes]);
	else
		vrs_composite_run(worker->composite, &out, &task->frame, mattes, vrs_composite_is_moving(worker->composite) ? NULL : past);
	vrs_frame_unref(&task->behind);
	if (job->cutout)
		return vrs_alpha_frame_join(job->cutout, &task->frame, &out) ? vrs_fail(err, VRS_ENOMEM, "no memory for a frame") : VRS_OK;
	out.pts = task->frame.pts;
	out.duration = task->frame.duration;
	out.index = task->frame.index;
	vrs_frame_unref(&task->frame);
	task->frame = out;
	return VRS_OK;
}

static bool compose_and_pass(struct vrs_worker *worker, int n)
{
	struct vrs_job *job = worker->job;
	struct vrs_frame_task *task = worker->ready[n];
	struct vrs_error err = {0};
	struct vrs_stage_stats stats = {.frames = 1};
	struct vrs_stage_step step = vrs_stage_step_begin(job);
	enum vrs_status status = task->preroll ? VRS_OK : compose(worker, n, &err);
	if (status) {
		vrs_job_fail(job, status, &err);
		return false;
	}
	vrs_stage_step_end(job, VRS_STAGE_COMPOSE, &step, &task, 1, &stats);
	stats = (struct vrs_stage_stats){0};
	bool taken = vrs_stage_queue_push(job->composed, task->seq, task, &stats.wait_output_ns);
	vrs_job_account(job, VRS_STAGE_COMPOSE, &stats);
	if (taken)
		worker->ready[n] = NULL;
	return taken;
}

/* The first `count` ready frames. */
static bool compose_ready(struct vrs_worker *worker, int count)
{
	for (int n = 0; n < count; n++)
		if (!compose_and_pass(worker, n))
			return false;
	return true;
}

static bool work_on_part(struct vrs_worker *worker, int frames)
{
	int ready = 0;
	if (!vrs_reuse_decide(worker, frames) || !vrs_roi_inference_run(worker, frames))
		return false;
	for (int n = 0; n < frames; n++)
		if (!vrs_matte_stage_pass(worker, n, &ready))
			return false;
	return compose_ready(worker, ready);
}

/* All frames have been through the network: those whose mattes waited for more. */
static bool drain(struct vrs_worker *worker)
{
	bool going = true;
	while (going) {
		int ready = 0;
		while (ready < worker->job->room && vrs_matte_stage_drain(worker, &ready))
			;
		if (ready == 0)
			return true;
		going = compose_ready(worker, ready);
	}
	return false;
}

static void free_frames(struct vrs_frame_task **tasks, int count)
{
	for (int n = 0; n < count; n++) {
		vrs_frame_task_free(tasks[n]);
		tasks[n] = NULL;
	}
}

/* Frames that may be looked at before any of them was seen: a group, but where people are followed no frame on which another one depends. */
static int part_length(const struct vrs_worker *worker, struct vrs_frame_task **tasks, int frames)
{
	int count = 1;
	if (!worker->job->info.follows)
		return frames;
	while (count < frames && count < VRS_FOLLOW_LAG && !vrs_frame_task_is_first(tasks[count - 1]))
		count++;
	return count;
}

/* Without the network. */
static bool recall_group(struct vrs_worker *worker, int frames)
{
	for (int n = 0; n < frames; n++) {
		worker->ready[n] = worker->group[n];
		worker->group[n] = NULL;
		if (!vrs_matte_stage_recall(worker, n))
			return false;
	}
	return compose_ready(worker, frames);
}

static bool work_on_group(struct vrs_worker *worker, int frames)
{
	if (vrs_matte_cache_has(worker->job->cache))
		return recall_group(worker, frames);
	for (int from = 0, count; from < frames; from += count) {
		worker->part = worker->group + from;
		count = part_length(worker, worker->part, frames - from);
		if (!work_on_part(worker, count))
			return false;
	}
	return true;
}

void *vrs_worker_main(void *arg)
{
	struct vrs_worker *worker = arg;
	struct vrs_job *job = worker->job;
	bool going = true;
	char name[32];
	snprintf(name, sizeof name, "worker %d", worker->number + 1);
	vrs_job_trace_row(job, worker->number + 2, name);
	while (going) {
		struct vrs_stage_stats stats = {0};
		int frames = vrs_job_take(job, worker->group, &stats.wait_input_ns);
		stats.frames = (uint64_t)frames;
		vrs_job_account(job, VRS_STAGE_PREPROCESS, &stats);
		stats.wait_input_ns = 0;
		vrs_job_account(job, VRS_STAGE_INFERENCE, &stats);
		going = frames > 0 && vrs_tonemap_frames(worker, frames) && work_on_group(worker, frames);
		free_frames(worker->group, frames);
		free_frames(worker->ready, job->room);
	}
	/* the last one out ends the stage */
	if (atomic_fetch_sub(&job->workers_left, 1) == 1) {
		if (!vrs_job_failed(job))
			(void)drain(worker);
		free_frames(worker->ready, job->room);
		vrs_stage_queue_close(job->composed);
	}
	return NULL;
}
