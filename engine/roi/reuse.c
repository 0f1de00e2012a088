/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/reuse.h"

#include <string.h>

#include "base/assert.h"
#include "matte/scene_cut.h"

bool vrs_reuse_wanted(const struct vrs_settings *settings)
{
	return settings->matte.skip_similar || settings->matte.stride > 1;
}

static size_t input_size(const struct vrs_roi_plan *plan)
{
	return (size_t)plan->shape.input_width * (size_t)plan->shape.input_height;
}

enum vrs_status vrs_reference_init(struct vrs_reference *reference, struct vrs_arena *arena, const struct vrs_roi_plan *plan)
{
	for (int eye = 0; eye < plan->eyes && plan->settings->matte.skip_similar; eye++)
		reference->luma[eye] = vrs_arena_calloc(arena, input_size(plan), 1);
	return arena->failed ? VRS_ENOMEM : VRS_OK;
}

enum vrs_status vrs_reuse_init(struct vrs_roi_worker *worker)
{
	const struct vrs_roi_plan *plan = worker->plan;
	worker->batch.reuse = vrs_arena_calloc(worker->arena, (size_t)plan->room, sizeof *worker->batch.reuse);
	enum vrs_status status = worker->arena->failed ? VRS_ENOMEM : VRS_OK;
	if (!plan->settings->matte.skip_similar)
		return status;
	worker->comparison.luma = vrs_arena_calloc(worker->arena, input_size(plan), 1);
	for (int eye = 0; eye < plan->eyes && status == VRS_OK; eye++)
		status = vrs_luma_view_init(&worker->comparison.view[eye], worker->arena, &plan->format, &plan->follow[eye].eye, vrs_roi_area(plan, eye),
					    plan->shape.input_width, plan->shape.input_height);
	return status;
}

static bool resembles(struct vrs_roi_worker *worker, const struct vrs_frame_task *task)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_reference *reference = worker->reference;
	int width = plan->shape.input_width, height = plan->shape.input_height;
	for (int eye = 0; eye < plan->eyes; eye++) {
		if (vrs_luma_view_get(&worker->comparison.view[eye], &task->frame, &reference->view[eye], worker->comparison.luma, NULL) != VRS_OK)
			return false;
		if (vrs_similarity(worker->comparison.luma, reference->luma[eye], width, height) < plan->settings->matte.skip_threshold)
			return false;
	}
	return true;
}

/* The frame is what later ones are compared with. False when the job is over. */
static bool refer_to(struct vrs_roi_worker *worker, const struct vrs_frame_task *task, uint64_t *wait_ns)
{
	const struct vrs_roi_plan *plan = worker->plan;
	struct vrs_reference *reference = worker->reference;
	VRS_ASSERT(vrs_sequencer_is_at(worker->flow->comparison, task->seq));
	reference->exists = true;
	for (int eye = 0; eye < plan->eyes; eye++) {
		struct vrs_regions regions;
		if (!vrs_roi_past_first_view(worker->past, task, eye, &regions, wait_ns))
			return false;
		reference->view[eye] = vrs_regions_around(&regions, plan->format.circle);
		if (vrs_luma_view_get(&worker->comparison.view[eye], &task->frame, &reference->view[eye], reference->luma[eye], NULL) != VRS_OK)
			reference->exists = false;
	}
	return true;
}

static void count_late(struct vrs_flow *flow, int frames)
{
	vrs_flow_lock_stats(flow)->live.reused += (uint64_t)frames;
	vrs_flow_unlock_stats(flow);
}

bool vrs_reuse_decide(struct vrs_roi_worker *worker, int frames)
{
	const struct vrs_roi_plan *plan = worker->plan;
	struct vrs_stage_stats waited = {0};
	int stride = plan->settings->matte.stride, late = 0;
	for (int n = 0; n < frames; n++) {
		const struct vrs_frame_task *task = worker->batch.tasks[n];
		bool between = stride > 1 && !vrs_frame_task_is_first(task) && vrs_frame_task_phase(task) % (uint64_t)stride != 0;
		worker->batch.reuse[n] = between ? VRS_REUSE_BETWEEN : VRS_REUSE_NOTHING;
		if (task->late && !between && !vrs_frame_task_is_first(task) && !vrs_roi_is_wide(plan, task)) {
			worker->batch.reuse[n] = VRS_REUSE_LAST;
			late++;
		}
		if (!worker->flow->comparison)
			continue;
		if (!vrs_sequencer_wait(worker->flow->comparison, task->seq, &waited.wait_input_ns))
			return false;
		if (worker->batch.reuse[n] != VRS_REUSE_NOTHING)
			; /* is decided */
		else if (worker->reference->exists && !vrs_roi_is_wide(plan, task) && resembles(worker, task))
			worker->batch.reuse[n] = VRS_REUSE_LAST;
		else if (!refer_to(worker, task, &waited.wait_input_ns))
			return false;
		vrs_sequencer_done(worker->flow->comparison);
	}
	if (worker->flow->comparison)
		vrs_flow_account(worker->flow, VRS_STAGE_PREPROCESS, &waited);
	if (late)
		count_late(worker->flow, late);
	return true;
}

bool vrs_reference_archive(struct vrs_reference *reference, const struct vrs_roi_plan *plan, struct vrs_archive *archive)
{
	bool good = vrs_archive_flag(archive, &reference->exists);
	for (int eye = 0; good && reference->exists && eye < plan->eyes; eye++)
		good = vrs_archive_require(archive, reference->luma[eye] != NULL) &&
		       vrs_archive_part(archive, &reference->view[eye], &plan->follow[eye].eye, plan->format.circle) &&
		       vrs_archive_bytes(archive, reference->luma[eye], input_size(plan));
	return good;
}
