/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/matte_stage.h"

#include <string.h>

#include "base/mem.h"
#include "pipeline/job.h"
#include "pipeline/stage_step.h"

#include <vrseg/log.h>

#define DISAGREE 0.7 /* agreement of the two eyes below this is worth a word */
#define LONG 30      /* after so many frames in a row */

struct vrs_postprocess_options vrs_matte_stage_options(const struct vrs_settings *settings, int width, int height)
{
	/* the discs of mode alpha show no more than the matte */
	bool refine = settings->matte.refine || (settings->matte.refine_full && settings->output.mode == VRS_MODE_ALPHA);
	return (struct vrs_postprocess_options){.width = width, .height = height, .smoothing = settings->matte.smoothing,
		.window = settings->matte.smoothing_window, .stride = settings->matte.stride, .motion_gate = settings->matte.motion_gate,
		.refine_radius = refine ? settings->matte.refine_radius : 0, .refine_eps = settings->matte.refine_eps,
		.refine_limit = settings->matte.refine_limit, .cutoff = settings->matte.cutoff, .gamma = settings->matte.gamma,
		.grow = settings->matte.grow, .feather = settings->matte.feather};
}

int vrs_matte_stage_latency(const struct vrs_settings *settings)
{
	const struct vrs_postprocess_options options = vrs_matte_stage_options(settings, 1, 1);
	return vrs_postprocess_latency(&options);
}

enum vrs_status vrs_matte_stage_init(struct vrs_matte_stage *stage, const struct vrs_job *job)
{
	struct vrs_postprocess_options options = vrs_matte_stage_options(&job->settings, job->info.matte_width, job->info.matte_height);
	enum vrs_status status = VRS_OK;
	options.circle = job->format.circle;
	stage->room = vrs_postprocess_latency(&options) + 1;
	stage->waiting = vrs_calloc((size_t)stage->room, sizeof *stage->waiting);
	if (!stage->waiting)
		return VRS_ENOMEM;
	for (int eye = 0; eye < job->eyes && !status; eye++) {
		status = vrs_postprocess_create(&stage->post[eye], &options);
		if (!status && job->reuses && !(stage->seen[eye].alpha = vrs_calloc(job->matte_size, sizeof *stage->seen[eye].alpha)))
			status = VRS_ENOMEM;
		if (!status && job->excluded[eye])
			status = vrs_exclusion_view_create(&stage->excluded[eye], job->excluded[eye], job->info.matte_width, job->info.matte_height);
	}
	const struct vrs_rect *eye = &job->follow[0].eye;
	if (!status && job->eyes == 2)
		status = vrs_eye_agreement_create(&stage->eyes, eye->width, eye->height, job->format.circle, job->info.matte_width, job->info.matte_height);
	return status;
}

void vrs_matte_stage_fini(struct vrs_matte_stage *stage)
{
	for (int eye = 0; eye < VRS_MAX_EYES; eye++) {
		vrs_postprocess_destroy(stage->post[eye]);
		vrs_free(stage->seen[eye].alpha);
		vrs_exclusion_view_destroy(stage->excluded[eye]);
	}
	vrs_eye_agreement_destroy(stage->eyes);
	for (; stage->waiting && stage->out < stage->in; stage->out++)
		vrs_frame_task_free(stage->waiting[stage->out % (uint64_t)stage->room]);
	vrs_free(stage->waiting);
	memset(stage, 0, sizeof *stage);
}

/* What the network saw of an eye, or what stands for it. */
static struct vrs_temporal_frame matte_of(struct vrs_worker *worker, int n, int eye)
{
	struct vrs_job *job = worker->job;
	struct vrs_seen *seen = &job->mattes.seen[eye];
	size_t input = (size_t)(n * job->eyes + eye), at = input * job->matte_size;
	uint8_t *luma = worker->luma ? worker->luma + at : NULL;
	const float *alpha = worker->alpha + at;
	if (worker->reuse[n] == VRS_REUSE_NOTHING) {
		if (seen->alpha)
			memcpy(seen->alpha, alpha, job->matte_size * sizeof *alpha);
		seen->view = worker->views[input];
		seen->next = worker->next[input];
	} else {
		worker->views[input] = seen->view;
		(void)vrs_luma_view_get(&worker->luma_view[eye], &worker->part[n]->frame, &seen->view, luma, &worker->scenes[input]); /* inside the eye */
		alpha = worker->reuse[n] == VRS_REUSE_LAST ? seen->alpha : NULL;
	}
	return (struct vrs_temporal_frame){.alpha = alpha, .luma = luma, .view = &worker->views[input], .signature = &worker->scenes[input]};
}

static struct vrs_matte room_for(const struct vrs_worker *worker, int slot, int eye)
{
	const struct vrs_job *job = worker->job;
	return (struct vrs_matte){.width = job->info.matte_width, .height = job->info.matte_height, .stride = job->info.matte_width,
		.data = worker->mattes + job->matte_size * (size_t)(slot * job->eyes + eye)};
}

/* Counts, and warns once where the eyes differ for long. */
static void note_agreement(struct vrs_job *job, double agreement, const struct vrs_frame_task *task)
{
	struct vrs_matte_stage *stage = &job->mattes;
	stage->disagreeing = agreement < DISAGREE ? stage->disagreeing + 1 : 0;
	if (stage->disagreeing == LONG && !stage->warned) {
		stage->warned = true;
		vrs_log(VRS_LOG_WARNING, "the mattes of the two eyes differ since frame %lld (agreement %.2f): is the layout right? "
			"--repair-eyes union shows in both eyes whom one of them sees", (long long)(vrs_frame_task_number(job, task) - LONG + 1), agreement);
	}
	pthread_mutex_lock(&job->lock);
	struct vrs_job_stats *stats = &job->stats;
	if (stats->eyes_compared++ == 0 || agreement < stats->eyes_worst) {
		stats->eyes_worst = agreement;
		stats->eyes_worst_frame = vrs_frame_task_number(job, task);
	}
	stats->eyes_sum += agreement;
	pthread_mutex_unlock(&job->lock);
}

/* The mattes of both eyes of a frame. */
static void compare_eyes(struct vrs_worker *worker, int slot, const struct vrs_frame_task *task)
{
	struct vrs_job *job = worker->job;
	struct vrs_matte_stage *stage = &job->mattes;
	struct vrs_eye_matte eyes[2];
	double shift;
	if (!stage->eyes)
		return;
	if (vrs_frame_task_is_first(task))
		vrs_eye_agreement_reset(stage->eyes);
	for (int eye = 0; eye < 2; eye++)
		eyes[eye] = (struct vrs_eye_matte){room_for(worker, slot, eye), vrs_job_in_eye(job, eye, &worker->shown[slot * 2 + eye])};
	double agreement = vrs_eye_agreement_measure(stage->eyes, eyes, &shift);
	if (!task->preroll)
		note_agreement(job, agreement, task);
	vrs_eye_agreement_repair(stage->eyes, eyes, shift, (enum vrs_eye_repair)job->settings.matte.repair_eyes);
}

static void keep(struct vrs_worker *worker, int slot, const struct vrs_rect *shown)
{
	struct vrs_matte mattes[VRS_MAX_EYES];
	for (int eye = 0; eye < worker->job->eyes; eye++)
		mattes[eye] = room_for(worker, slot, eye);
	vrs_matte_cache_put(worker->job->cache, mattes, shown);
}

bool vrs_matte_stage_recall(struct vrs_worker *worker, int slot)
{
	struct vrs_matte mattes[VRS_MAX_EYES];
	struct vrs_job *job = worker->job;
	for (int eye = 0; eye < job->eyes; eye++)
		mattes[eye] = room_for(worker, slot, eye);
	struct vrs_frame_task *task = worker->ready[slot];
	if (task->preroll || vrs_matte_cache_get(job->cache, task->place, mattes, worker->shown + slot * job->eyes) == VRS_OK)
		return true;
	struct vrs_error err = {0};
	(void)vrs_fail(&err, VRS_EFORMAT, "the cached mattes end at frame %llu; run again with --no-cache", (unsigned long long)task->place);
	vrs_job_fail(job, VRS_EFORMAT, &err);
	return false;
}

/* The next frame that is finished becomes ready. */
static bool take(struct vrs_worker *worker, bool end, int *ready)
{
	struct vrs_job *job = worker->job;
	struct vrs_matte_stage *stage = &job->mattes;
	int slot = *ready;
	if (stage->in == stage->out)
		return false;
	struct vrs_rect *shown = worker->shown + slot * job->eyes;
	for (int eye = 0; eye < job->eyes; eye++) {
		struct vrs_matte matte = room_for(worker, slot, eye);
		if (!vrs_postprocess_take(stage->post[eye], end, &matte, &shown[eye]))
			return false; /* of the first eye: all are equally late */
	}
	struct vrs_frame_task *task = stage->waiting[stage->out++ % (uint64_t)stage->room];
	worker->ready[(*ready)++] = task;
	compare_eyes(worker, slot, task);
	for (int eye = 0; eye < job->eyes; eye++) {
		struct vrs_matte matte = room_for(worker, slot, eye);
		struct vrs_rect part = vrs_job_in_eye(job, eye, &shown[eye]);
		if (stage->excluded[eye]) /* once more: edges may have grown into it */
			vrs_exclusion_view_matte(stage->excluded[eye], &part, &matte);
		bool before = task->preroll && !stage->shown;
		if (job->callbacks.on_matte && (before || !task->preroll))
			job->callbacks.on_matte(job->callbacks.cookie, before ? -1 : vrs_frame_task_number(job, task), eye, &matte, &shown[eye]);
	}
	stage->shown |= !task->preroll;
	if (job->cache && !task->preroll)
		keep(worker, slot, shown);
	return true;
}

bool vrs_matte_stage_pass(struct vrs_worker *worker, int n, int *ready)
{
	struct vrs_job *job = worker->job;
	struct vrs_matte_stage *stage = &job->mattes;
	struct vrs_frame_task *task = worker->part[n];
	struct vrs_stage_stats stats = {.frames = 1};
	if (!vrs_sequencer_wait(job->turn, task->seq, &stats.wait_input_ns))
		return false;
	struct vrs_stage_step step = vrs_stage_step_begin(job);
	for (int eye = 0; eye < job->eyes; eye++) {
		if (vrs_frame_task_is_first(task))
			vrs_postprocess_reset(stage->post[eye]);
		const struct vrs_temporal_frame frame = matte_of(worker, n, eye);
		(void)vrs_postprocess_push(stage->post[eye], &frame);
		if (job->info.follows)
			job->followed[eye][task->seq % VRS_FOLLOW_LAG] = stage->seen[eye].next;
	}
	if (worker->reuse[n] != VRS_REUSE_NOTHING) {
		pthread_mutex_lock(&job->lock);
		job->stats.frames_reused++;
		pthread_mutex_unlock(&job->lock);
	}
	stage->waiting[stage->in++ % (uint64_t)stage->room] = task;
	worker->part[n] = NULL;
	(void)take(worker, false, ready);
	/* the frame may be another worker's from here on, but not before it has the turn */
	vrs_stage_step_end(job, VRS_STAGE_POSTPROCESS, &step, &task, 1, &stats);
	vrs_sequencer_done(job->turn);
	return true;
}

bool vrs_matte_stage_drain(struct vrs_worker *worker, int *ready)
{
	return take(worker, true, ready);
}
