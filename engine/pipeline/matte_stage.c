/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/matte_stage.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/assert.h"

#include <vrseg/config.h>
#include <vrseg/log.h>

#define DISAGREE 0.7 /* agreement of the two eyes below this is worth a word */
#define LONG 30      /* after so many frames in a row */

/* What the settings say about mattes of that size. */
static struct vrs_postprocess_options postprocess_options(const struct vrs_settings *settings, int width, int height)
{
	bool smooths = vrs_settings_smooth(settings);
	/* the discs of mode alpha show no more than the matte */
	bool refine = settings->matte.refine || (settings->matte.refine_full && settings->output.mode == VRS_MODE_ALPHA);
	return (struct vrs_postprocess_options){
		.temporal = {.width = width, .height = height, .smoothing = smooths ? settings->matte.smoothing : 1,
			.window = smooths ? settings->matte.smoothing_window : 1, .stride = settings->matte.stride,
			.motion_gate = fmax(settings->matte.motion_gate, 0)},
		.refine_radius = refine ? settings->matte.refine_radius : 0, .refine_eps = settings->matte.refine_eps,
		.refine_limit = settings->matte.refine_limit, .cutoff = settings->matte.cutoff, .gamma = settings->matte.gamma,
		.grow = settings->matte.grow, .feather = settings->matte.feather};
}

int vrs_matte_stage_latency(const struct vrs_settings *settings)
{
	const struct vrs_postprocess_options options = postprocess_options(settings, 1, 1);
	return vrs_temporal_latency(&options.temporal);
}

bool vrs_matte_stage_needs_luma(const struct vrs_roi_plan *plan)
{
	const struct vrs_postprocess_options options = postprocess_options(plan->settings, plan->matte_width, plan->matte_height);
	return vrs_postprocess_needs_luma(&options);
}

enum vrs_status vrs_matte_stage_init(struct vrs_matte_stage *stage)
{
	const struct vrs_roi_plan *plan = stage->plan;
	struct vrs_postprocess_options options = postprocess_options(plan->settings, plan->matte_width, plan->matte_height);
	enum vrs_status status = VRS_OK;
	options.temporal.circle = plan->format.circle;
	stage->room = vrs_temporal_latency(&options.temporal) + 1;
	stage->waiting = vrs_arena_calloc(&stage->arena, (size_t)stage->room, sizeof *stage->waiting); /* NOLINT(bugprone-sizeof-expression): of pointers */
	if (!stage->waiting)
		return VRS_ENOMEM;
	for (int eye = 0; eye < plan->eyes && status == VRS_OK; eye++) {
		if (plan->reuses)
			stage->seen[eye].alpha = vrs_arena_calloc(&stage->arena, plan->matte_size, sizeof *stage->seen[eye].alpha);
		status = vrs_postprocess_create(&stage->post[eye], &stage->arena, &options);
		if (status == VRS_OK && plan->excluded[eye])
			status = vrs_exclusion_view_create(&stage->excluded[eye], &stage->arena, plan->excluded[eye], plan->matte_width,
							   plan->matte_height);
	}
	const struct vrs_rect *eye = &plan->follow[0].eye;
	if (status == VRS_OK && plan->eyes == 2)
		status = vrs_eye_agreement_create(&stage->eyes, &stage->arena, eye->width, eye->height, plan->format.circle, plan->matte_width,
						  plan->matte_height);
	return status;
}

void vrs_matte_stage_fini(struct vrs_matte_stage *stage)
{
	vrs_matte_cache_close(stage->cache);
	for (struct vrs_frame_task *task; stage->waiting && stage->out < stage->in; stage->out++)
		if ((task = stage->waiting[stage->out % (uint64_t)stage->room]) != &stage->before)
			vrs_frame_task_free(task);
	vrs_arena_free(&stage->arena);
}

enum vrs_status vrs_finished_init(struct vrs_finished *finished, struct vrs_arena *arena, const struct vrs_roi_plan *plan)
{
	size_t frames = (size_t)plan->room, inputs = frames * (size_t)plan->eyes, pixels;
	if (!vrs_mul_size(inputs, plan->matte_size, &pixels))
		return VRS_ELIMIT;
	finished->tasks = vrs_arena_calloc(arena, frames, sizeof(struct vrs_frame_task *));
	finished->shown = vrs_arena_calloc(arena, inputs, sizeof *finished->shown);
	finished->mattes = vrs_arena_calloc(arena, pixels, 1);
	return arena->failed ? VRS_ENOMEM : VRS_OK;
}

struct vrs_matte vrs_finished_matte(const struct vrs_finished *finished, const struct vrs_roi_plan *plan, int n, int eye)
{
	VRS_ASSERT(n >= 0 && n < plan->room && eye >= 0 && eye < plan->eyes);
	return (struct vrs_matte){.width = plan->matte_width, .height = plan->matte_height, .stride = plan->matte_width,
		.data = finished->mattes + plan->matte_size * (size_t)(n * plan->eyes + eye)};
}

/* What the network saw of an eye, or what stands for it. */
static struct vrs_temporal_frame matte_of(struct vrs_matte_stage *stage, struct vrs_roi_batch *batch, int n, int eye)
{
	const struct vrs_roi_plan *plan = stage->plan;
	struct vrs_seen *seen = &stage->seen[eye];
	size_t input = (size_t)(n * plan->eyes + eye), at = input * plan->matte_size;
	uint8_t *luma = batch->luma ? batch->luma + at : NULL;
	const float *alpha = batch->alpha + at;
	if (batch->reuse[n] == VRS_REUSE_NOTHING) {
		if (seen->alpha)
			memcpy(seen->alpha, alpha, plan->matte_size * sizeof *alpha);
		seen->view = batch->views[input];
		seen->next = batch->next[input];
	} else {
		batch->views[input] = seen->view;
		(void)vrs_luma_view_get(&batch->luma_view[eye], &batch->tasks[n]->frame, &seen->view, luma, &batch->scenes[input]); /* inside the eye */
		alpha = batch->reuse[n] == VRS_REUSE_LAST ? seen->alpha : NULL;
	}
	return (struct vrs_temporal_frame){.alpha = alpha, .luma = luma, .view = &batch->views[input], .signature = &batch->scenes[input]};
}

/* Counts, and warns once where the eyes differ for long. */
static void note_agreement(struct vrs_matte_stage *stage, double agreement, const struct vrs_frame_task *task)
{
	stage->disagreeing = agreement < DISAGREE ? stage->disagreeing + 1 : 0;
	if (stage->disagreeing == LONG && !stage->warned) {
		stage->warned = true;
		vrs_log(VRS_LOG_WARNING, "the mattes of the two eyes differ since frame %lld (agreement %.2f): is the layout right? "
			"--repair-eyes union shows in both eyes whom one of them sees", (long long)(task->number - LONG + 1), agreement);
	}
	struct vrs_job_stats *stats = vrs_flow_lock_stats(stage->flow);
	if (stats->eyes_compared++ == 0 || agreement < stats->eyes_worst) {
		stats->eyes_worst = agreement;
		stats->eyes_worst_frame = task->number;
	}
	stats->eyes_sum += agreement;
	vrs_flow_unlock_stats(stage->flow);
}

/* The mattes of both eyes of a frame. */
static void compare_eyes(struct vrs_matte_stage *stage, const struct vrs_finished *finished, int n)
{
	const struct vrs_frame_task *task = finished->tasks[n];
	struct vrs_eye_matte eyes[2];
	double shift;
	if (!stage->eyes)
		return;
	if (vrs_frame_task_is_first(task))
		vrs_eye_agreement_reset(stage->eyes);
	for (int eye = 0; eye < 2; eye++)
		eyes[eye] = (struct vrs_eye_matte){vrs_finished_matte(finished, stage->plan, n, eye),
			vrs_roi_in_eye(stage->plan, eye, &finished->shown[n * 2 + eye])};
	double agreement = vrs_eye_agreement_measure(stage->eyes, eyes, &shift);
	if (!task->preroll)
		note_agreement(stage, agreement, task);
	vrs_eye_agreement_repair(stage->eyes, eyes, shift, (enum vrs_eye_repair)stage->plan->settings->matte.repair_eyes);
}

bool vrs_matte_stage_recall(struct vrs_matte_stage *stage, struct vrs_finished *finished, int n)
{
	const struct vrs_roi_plan *plan = stage->plan;
	const struct vrs_frame_task *task = finished->tasks[n];
	struct vrs_matte mattes[VRS_MAX_EYES];
	for (int eye = 0; eye < plan->eyes; eye++)
		mattes[eye] = vrs_finished_matte(finished, plan, n, eye);
	if (task->preroll || vrs_matte_cache_get(stage->cache, task->place, mattes, finished->shown + n * plan->eyes) == VRS_OK)
		return true;
	struct vrs_error err = {0};
	(void)vrs_fail(&err, VRS_EFORMAT, "the cached mattes end at frame %llu; run again with --no-cache", (unsigned long long)task->place);
	vrs_flow_fail(stage->flow, VRS_EFORMAT, &err);
	return false;
}

/* To those who look at mattes. */
static void show(struct vrs_matte_stage *stage, const struct vrs_frame_task *task, int eye, const struct vrs_matte *matte,
		 const struct vrs_rect *part)
{
	bool before = task->preroll && !stage->shown;
	if (stage->callbacks.on_matte && (before || !task->preroll))
		stage->callbacks.on_matte(stage->callbacks.cookie, before ? -1 : task->number, eye, matte, part);
}

/* The mattes of the finished frame n are final: exclude, show, keep. */
static void deliver(struct vrs_matte_stage *stage, const struct vrs_finished *finished, int n)
{
	const struct vrs_roi_plan *plan = stage->plan;
	const struct vrs_frame_task *task = finished->tasks[n];
	const struct vrs_rect *shown = finished->shown + n * plan->eyes;
	struct vrs_matte mattes[VRS_MAX_EYES];
	for (int eye = 0; eye < plan->eyes; eye++) {
		mattes[eye] = vrs_finished_matte(finished, plan, n, eye);
		struct vrs_rect part = vrs_roi_in_eye(plan, eye, &shown[eye]);
		if (stage->excluded[eye]) /* once more: edges may have grown into it */
			vrs_exclusion_view_matte(stage->excluded[eye], &part, &mattes[eye]);
		show(stage, task, eye, &mattes[eye], &shown[eye]);
	}
	stage->shown |= !task->preroll;
	if (!task->preroll)
		vrs_matte_cache_put(stage->cache, mattes, shown);
}

/* The next frame that is finished. */
static bool take(struct vrs_matte_stage *stage, bool end, struct vrs_finished *finished)
{
	const struct vrs_roi_plan *plan = stage->plan;
	int n = finished->count;
	VRS_ASSERT(stage->in >= stage->out && stage->in - stage->out <= (uint64_t)stage->room && n < plan->room);
	if (stage->in == stage->out)
		return false;
	for (int eye = 0; eye < plan->eyes; eye++) {
		struct vrs_matte matte = vrs_finished_matte(finished, plan, n, eye);
		if (!vrs_postprocess_take(stage->post[eye], end, &matte, &finished->shown[n * plan->eyes + eye]))
			return false; /* of the first eye: all are equally late */
	}
	finished->tasks[finished->count++] = stage->waiting[stage->out++ % (uint64_t)stage->room];
	compare_eyes(stage, finished, n);
	deliver(stage, finished, n);
	if (finished->tasks[n] == &stage->before)
		finished->tasks[--finished->count] = NULL;
	return true;
}

bool vrs_matte_stage_pass(struct vrs_matte_stage *stage, struct vrs_roi_batch *batch, int n, struct vrs_finished *finished)
{
	const struct vrs_roi_plan *plan = stage->plan;
	struct vrs_frame_task *task = batch->tasks[n];
	struct vrs_stage_stats stats = {.frames = 1};
	if (!vrs_sequencer_wait(stage->flow->postprocess, task->seq, &stats.wait_input_ns))
		return false;
	struct vrs_flow_step step = vrs_flow_step_begin(stage->flow, VRS_STAGE_POSTPROCESS);
	for (int eye = 0; eye < plan->eyes; eye++) {
		if (vrs_frame_task_is_first(task))
			vrs_postprocess_reset(stage->post[eye]);
		const struct vrs_temporal_frame frame = matte_of(stage, batch, n, eye);
		(void)vrs_postprocess_push(stage->post[eye], &frame);
		if (plan->follows && !plan->tracks)
			vrs_roi_past_put(stage->past, task->seq, eye, &stage->seen[eye].next);
	}
	if (plan->tracks)
		vrs_roi_past_put_people(stage->past, task, batch->reuse[n] == VRS_REUSE_NOTHING ? &batch->people[n] : NULL);
	if (batch->reuse[n] != VRS_REUSE_NOTHING) {
		vrs_flow_lock_stats(stage->flow)->frames_reused++;
		vrs_flow_unlock_stats(stage->flow);
	}
	stage->waiting[stage->in++ % (uint64_t)stage->room] = task;
	batch->tasks[n] = NULL;
	(void)take(stage, false, finished);
	/* the frame may be another worker's from here on, but not before it has the turn */
	vrs_flow_step_end(stage->flow, VRS_STAGE_POSTPROCESS, &step, &task, 1, &stats);
	vrs_sequencer_done(stage->flow->postprocess);
	return true;
}

bool vrs_matte_stage_drain(struct vrs_matte_stage *stage, struct vrs_finished *finished)
{
	return take(stage, true, finished);
}

static bool archive_seen(struct vrs_matte_stage *stage, int eye, struct vrs_archive *archive)
{
	const struct vrs_roi_plan *plan = stage->plan;
	struct vrs_seen *seen = &stage->seen[eye];
	const struct vrs_rect *whole = &plan->follow[eye].eye;
	bool good = vrs_archive_part(archive, &seen->view, whole, plan->format.circle);
	if (seen->alpha)
		good = good && vrs_archive_alpha(archive, seen->alpha, plan->matte_size);
	return good && (!plan->follows || plan->tracks || vrs_regions_archive(&seen->next, archive, whole, plan->format.circle, plan->regions));
}

static bool archive_last(const struct vrs_matte_stage *stage, struct vrs_finished *last, struct vrs_archive *archive)
{
	const struct vrs_roi_plan *plan = stage->plan;
	bool good = true;
	for (int eye = 0; good && eye < plan->eyes; eye++)
		good = vrs_archive_part(archive, &last->shown[eye], &plan->follow[eye].eye, plan->format.circle) &&
		       vrs_archive_bytes(archive, vrs_finished_matte(last, plan, 0, eye).data, plan->matte_size);
	return good;
}

bool vrs_matte_stage_archive(struct vrs_matte_stage *stage, struct vrs_finished *last, struct vrs_archive *archive)
{
	const struct vrs_roi_plan *plan = stage->plan;
	int waiting = (int)(stage->in - stage->out);
	bool good = vrs_archive_int(archive, &waiting, 0, stage->room - 1) && vrs_archive_int(archive, &stage->disagreeing, 0, INT_MAX) &&
		    vrs_archive_flag(archive, &stage->warned) && (!stage->eyes || vrs_eye_agreement_archive(stage->eyes, archive));
	for (int eye = 0; good && eye < plan->eyes; eye++)
		good = vrs_postprocess_archive(stage->post[eye], archive, &plan->follow[eye].eye) &&
		       vrs_archive_require(archive, vrs_postprocess_waiting(stage->post[eye]) == waiting) && archive_seen(stage, eye, archive);
	if (stage->room == 1)
		good = good && archive_last(stage, last, archive);
	stage->before = (struct vrs_frame_task){.preroll = true, .has_past = true};
	while (good && stage->in - stage->out < (uint64_t)waiting) /* where they are read */
		stage->waiting[stage->in++ % (uint64_t)stage->room] = &stage->before;
	return good;
}

void vrs_matte_stage_show_past(struct vrs_matte_stage *stage, const struct vrs_finished *last)
{
	const struct vrs_frame_task before = {.preroll = true};
	for (int eye = 0; stage->room == 1 && eye < stage->plan->eyes; eye++) {
		struct vrs_matte matte = vrs_finished_matte(last, stage->plan, 0, eye);
		show(stage, &before, eye, &matte, &last->shown[eye]);
	}
}
