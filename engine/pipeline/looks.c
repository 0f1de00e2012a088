/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/looks.h"

#include <string.h>

#include "base/mem.h"
#include "pipeline/stage_step.h"

#define NEWCOMERS 30    /* frames from one wider look to the next */

bool vrs_looks_are_wide(const struct vrs_job *job, const struct vrs_work *work)
{
	/* with a stride: the first frame that is seen after so many */
	return job->info.follows && (work->seq - work->loop_seq) % NEWCOMERS < (uint64_t)job->settings.matte.stride;
}

enum vrs_status vrs_looks_init(struct vrs_worker *worker)
{
	struct vrs_job *job = worker->job;
	const struct vrs_manifest *manifest = &job->network.manifest;
	size_t inputs = (size_t)job->group * (size_t)job->eyes;
	worker->scenes = vrs_calloc(inputs, sizeof *worker->scenes);
	worker->views = vrs_calloc(inputs, sizeof *worker->views);
	worker->next_views = vrs_calloc(inputs, sizeof *worker->next_views);
	worker->open = vrs_calloc(inputs, sizeof *worker->open);
	if (!worker->scenes || !worker->views || !worker->next_views || !worker->open)
		return VRS_ENOMEM;
	for (int eye = 0; eye < job->eyes; eye++) {
		struct vrs_preprocess_options options = {.format = job->format, .rect = *vrs_job_area(job, eye), .width = job->shape.input_width,
			.height = job->shape.input_height, .bgr = manifest->bgr};
		memcpy(options.mean, manifest->mean, sizeof options.mean);
		memcpy(options.scale, manifest->scale, sizeof options.scale);
		enum vrs_status status = vrs_preprocess_create(&worker->preprocess[eye], &options);
		if (!status && job->excluded[eye])
			status = vrs_exclusion_view_create(&worker->excluded[eye], job->excluded[eye], job->shape.matte_width,
							   job->shape.matte_height);
		if (status)
			return status;
	}
	return VRS_OK;
}

void vrs_looks_fini(struct vrs_worker *worker)
{
	for (int eye = 0; eye < VRS_MAX_EYES; eye++) {
		vrs_preprocess_destroy(worker->preprocess[eye]);
		vrs_exclusion_view_destroy(worker->excluded[eye]);
	}
	vrs_free(worker->scenes);
	vrs_free(worker->views);
	vrs_free(worker->next_views);
	vrs_free(worker->open);
}

/* Does the network's state of this eye start anew with input i of the part? Remembers the scene. */
static bool forgets(struct vrs_worker *worker, int i)
{
	const struct vrs_job *job = worker->job;
	int eye = i % job->eyes;
	if (job->network.manifest.state_count == 0)
		return false;
	bool fresh = !worker->has_past[eye] || vrs_work_is_first(worker->part[i / job->eyes]) || vrs_scene_cut(&worker->past[eye], &worker->scenes[i]);
	worker->past[eye] = worker->scenes[i];
	worker->has_past[eye] = true;
	return fresh;
}

bool vrs_looks_first_view(struct vrs_worker *worker, const struct vrs_work *work, int eye, struct vrs_rect *ret_view, uint64_t *wait_ns)
{
	struct vrs_job *job = worker->job;
	uint64_t place = work->seq - work->loop_seq, source = place < VRS_FOLLOW_LAG ? work->loop_seq : work->seq - VRS_FOLLOW_LAG;
	*ret_view = job->info.views[eye];
	if (!job->info.follows || vrs_work_is_first(work))
		return true;
	if (!vrs_stage_turn_wait_past(job->turn, source, wait_ns))
		return false;
	*ret_view = job->followed[eye][source % VRS_FOLLOW_LAG];
	if (vrs_looks_are_wide(job, work))
		*ret_view = vrs_follow_widen(&job->follow[eye], ret_view);
	return true;
}

/* Pictures of `count` open inputs into the session; input i is eye i % eyes of frame i / eyes. */
static void fill_inputs(struct vrs_worker *worker, const int *open, int count)
{
	struct vrs_job *job = worker->job;
	size_t in_size = (size_t)job->shape.input_width * (size_t)job->shape.input_height * 3;
	float *in = vrs_head_input(worker->head);
	for (int k = 0; k < count; k++) {
		int i = open[k], eye = i % job->eyes;
		struct vrs_preprocess *pre = worker->preprocess[eye];
		(void)vrs_preprocess_place(pre, &worker->views[i]); /* inside the eye always */
		vrs_preprocess_keep_luma(pre, worker->luma && job->luma_of_input ? worker->luma + job->matte_size * (size_t)i : NULL);
		vrs_preprocess_run(pre, &worker->part[i / job->eyes]->frame, in + in_size * (size_t)k, &worker->scenes[i]);
		vrs_head_begin(worker->head, k, eye, forgets(worker, i));
	}
	/* a batch that is not full repeats its last input: defined values, and no effect on the others */
	for (int k = count; k < job->shape.batch; k++)
		memcpy(in + in_size * (size_t)k, in + in_size * (size_t)(count - 1), in_size * sizeof *in);
}

/* Batch entry k is the alpha of input i. */
static void take_alpha(struct vrs_worker *worker, int k, int i)
{
	struct vrs_job *job = worker->job;
	int eye = i % job->eyes;
	float *alpha = worker->alpha + job->matte_size * (size_t)i;
	vrs_head_end(worker->head, k, eye, alpha);
	if (!worker->excluded[eye])
		return;
	struct vrs_rect part = vrs_job_in_eye(job, eye, &worker->views[i]);
	vrs_exclusion_view_alpha(worker->excluded[eye], &part, alpha);
}

/* The open inputs through the network, at most a batch. */
static bool look(struct vrs_worker *worker, const int *open, int count)
{
	struct vrs_job *job = worker->job;
	int first = open[0] / job->eyes, frames = open[count - 1] / job->eyes - first + 1;
	struct vrs_work **works = worker->part + first;
	struct vrs_stage_step step = vrs_stage_step_begin(job);
	fill_inputs(worker, open, count);
	vrs_stage_step_end(job, VRS_STAGE_PREPROCESS, &step, works, frames, &(struct vrs_stage_stats){0});
	step = vrs_stage_step_begin(job);
	struct vrs_error err = {0};
	enum vrs_status status = vrs_session_run(worker->session, &err);
	if (status) {
		vrs_job_fail(job, status, &err);
		return false;
	}
	for (int k = 0; k < count; k++)
		take_alpha(worker, k, open[k]);
	vrs_stage_step_end(job, VRS_STAGE_INFERENCE, &step, works, frames, &(struct vrs_stage_stats){0});
	return true;
}

/* Keep what was seen well; returns how many inputs stay open. */
static int judge(struct vrs_worker *worker, int count, bool last)
{
	const struct vrs_job *job = worker->job;
	int open = 0;
	for (int k = 0; k < count && job->info.follows; k++) {
		int i = worker->open[k];
		enum vrs_follow_verdict verdict = vrs_follow_judge(&job->follow[i % job->eyes], &worker->views[i],
								   worker->alpha + job->matte_size * (size_t)i, job->shape.matte_width,
								   job->shape.matte_height, &worker->next_views[i]);
		if (verdict == VRS_FOLLOW_GOOD || last)
			continue;
		worker->views[i] = worker->next_views[i];
		worker->open[open++] = i;
	}
	return open;
}

/* All inputs of frames that are looked at, and where; returns their number, -1 when the job is over. */
static int open_inputs(struct vrs_worker *worker, int frames)
{
	struct vrs_job *job = worker->job;
	struct vrs_stage_stats waited = {0};
	int count = 0;
	for (int i = 0; i < frames * job->eyes; i++) {
		if (worker->reuse[i / job->eyes])
			continue;
		if (!vrs_looks_first_view(worker, worker->part[i / job->eyes], i % job->eyes, &worker->views[i], &waited.wait_input_ns))
			return -1;
		worker->open[count++] = i;
	}
	vrs_job_account(job, VRS_STAGE_PREPROCESS, &waited);
	return count;
}

/* Luma where the mattes lie, for networks whose mattes have another size than their pictures. */
static void get_luma(struct vrs_worker *worker, int frames)
{
	const struct vrs_job *job = worker->job;
	for (int i = 0; i < frames * job->eyes; i++)
		if (!worker->reuse[i / job->eyes])
			(void)vrs_luma_view_get(&worker->luma_view[i % job->eyes], &worker->part[i / job->eyes]->frame, &worker->views[i],
						worker->luma + job->matte_size * (size_t)i, NULL); /* inside the eye always */
}

bool vrs_looks_run(struct vrs_worker *worker, int frames)
{
	struct vrs_job *job = worker->job;
	int count = open_inputs(worker, frames);
	for (int looks = 1; count > 0; looks++) {
		for (int first = 0; first < count; first += job->shape.batch) {
			int left = count - first;
			if (!look(worker, worker->open + first, left < job->shape.batch ? left : job->shape.batch))
				return false;
		}
		count = judge(worker, count, looks == VRS_FOLLOW_MOST_LOOKS);
	}
	if (worker->luma && !job->luma_of_input)
		get_luma(worker, frames);
	return count == 0;
}
