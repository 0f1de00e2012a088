/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/reuse.h"

#include <string.h>

#include "base/mem.h"
#include "matte/similarity.h"
#include "pipeline/job.h"
#include "pipeline/live_stage.h"
#include "roi/roi_inference.h"

bool vrs_reuse_wanted(const struct vrs_settings *settings)
{
	return settings->matte.skip_similar || settings->matte.stride > 1;
}

static size_t input_size(const struct vrs_job *job)
{
	return (size_t)job->shape.input_width * (size_t)job->shape.input_height;
}

enum vrs_status vrs_reference_init(struct vrs_reference *reference, const struct vrs_job *job)
{
	if (!job->settings.matte.skip_similar)
		return VRS_OK;
	for (int eye = 0; eye < job->eyes; eye++)
		if (!(reference->luma[eye] = vrs_calloc(input_size(job), 1)))
			return VRS_ENOMEM;
	return vrs_sequencer_create(&reference->turn);
}

void vrs_reference_fini(struct vrs_reference *reference)
{
	vrs_sequencer_destroy(reference->turn);
	for (int eye = 0; eye < VRS_MAX_EYES; eye++)
		vrs_free(reference->luma[eye]);
	memset(reference, 0, sizeof *reference);
}

enum vrs_status vrs_reuse_init(struct vrs_worker *worker)
{
	const struct vrs_job *job = worker->job;
	worker->reuse = vrs_calloc((size_t)job->room, sizeof *worker->reuse);
	enum vrs_status status = worker->reuse ? VRS_OK : VRS_ENOMEM;
	if (!job->settings.matte.skip_similar)
		return status;
	worker->compared = vrs_calloc(input_size(job), 1);
	for (int eye = 0; eye < job->eyes && !status; eye++)
		status = vrs_luma_view_init(&worker->input_view[eye], &job->format, &job->follow[eye].eye, vrs_job_area(job, eye),
					    job->shape.input_width, job->shape.input_height);
	return status ? status : worker->compared ? VRS_OK : VRS_ENOMEM;
}

void vrs_reuse_fini(struct vrs_worker *worker)
{
	for (int eye = 0; eye < VRS_MAX_EYES; eye++)
		vrs_luma_view_fini(&worker->input_view[eye]);
	vrs_free(worker->compared);
	vrs_free(worker->reuse);
}

static bool resembles(struct vrs_worker *worker, const struct vrs_frame_task *task)
{
	const struct vrs_job *job = worker->job;
	const struct vrs_reference *reference = &job->reference;
	int width = job->shape.input_width, height = job->shape.input_height;
	for (int eye = 0; eye < job->eyes; eye++) {
		if (vrs_luma_view_get(&worker->input_view[eye], &task->frame, &reference->view[eye], worker->compared, NULL) != VRS_OK)
			return false;
		if (vrs_similarity(worker->compared, reference->luma[eye], width, height) < job->settings.matte.skip_threshold)
			return false;
	}
	return true;
}

/* The frame is what later ones are compared with. False when the job is over. */
static bool refer_to(struct vrs_worker *worker, const struct vrs_frame_task *task, uint64_t *wait_ns)
{
	struct vrs_job *job = worker->job;
	struct vrs_reference *reference = &job->reference;
	reference->exists = true;
	for (int eye = 0; eye < job->eyes; eye++) {
		struct vrs_regions regions;
		if (!vrs_roi_first_view(worker, task, eye, &regions, wait_ns))
			return false;
		reference->view[eye] = vrs_regions_around(&regions, job->format.circle);
		if (vrs_luma_view_get(&worker->input_view[eye], &task->frame, &reference->view[eye], reference->luma[eye], NULL) != VRS_OK)
			reference->exists = false;
	}
	return true;
}

bool vrs_reuse_decide(struct vrs_worker *worker, int frames)
{
	struct vrs_job *job = worker->job;
	struct vrs_stage_stats waited = {0};
	int stride = job->settings.matte.stride, late = 0;
	for (int n = 0; n < frames; n++) {
		const struct vrs_frame_task *task = worker->part[n];
		bool between = stride > 1 && !vrs_frame_task_is_first(task) && vrs_frame_task_phase(job, task) % (uint64_t)stride != 0;
		worker->reuse[n] = between ? VRS_REUSE_BETWEEN : VRS_REUSE_NOTHING;
		if (task->late && !between && !vrs_frame_task_is_first(task) && !vrs_roi_is_wide(job, task)) {
			worker->reuse[n] = VRS_REUSE_LAST;
			late++;
		}
		if (!job->reference.turn)
			continue;
		if (!vrs_sequencer_wait(job->reference.turn, task->seq, &waited.wait_input_ns))
			return false;
		if (worker->reuse[n] != VRS_REUSE_NOTHING)
			; /* is decided */
		else if (job->reference.exists && !vrs_roi_is_wide(job, task) && resembles(worker, task))
			worker->reuse[n] = VRS_REUSE_LAST;
		else if (!refer_to(worker, task, &waited.wait_input_ns))
			return false;
		vrs_sequencer_done(job->reference.turn);
	}
	if (job->reference.turn)
		vrs_job_account(job, VRS_STAGE_PREPROCESS, &waited);
	if (late)
		vrs_live_count_reused(job, late);
	return true;
}
