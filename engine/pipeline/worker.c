/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/worker.h"

#include <stdio.h>

#include "base/assert.h"
#include "roi/roi_inference.h"
#include "roi/roi_network.h"
#include "roi/roi_setup.h"

enum vrs_status vrs_worker_init(struct vrs_worker *worker, struct vrs_worker_shared *shared, const struct vrs_worker *first, int number,
				struct vrs_error *err)
{
	worker->shared = shared;
	worker->number = number;
	worker->roi.plan = shared->roi;
	worker->roi.flow = shared->flow;
	worker->roi.past = shared->past;
	worker->roi.reference = shared->reference;
	worker->roi.arena = &worker->arena;
	worker->roi.device = vrs_roi_devices_of(&shared->roi->devices, number);
	enum vrs_status status = vrs_roi_worker_init(&worker->roi, &first->roi, vrs_matte_stage_needs_luma(shared->roi), err);
	if (status == VRS_OK) {
		worker->group = vrs_arena_calloc(&worker->arena, (size_t)shared->roi->room, sizeof(struct vrs_frame_task *));
		worker->composer.row = number + 3;
		status = vrs_composer_init(&worker->composer, &worker->arena, shared->flow, shared->roi, shared->compose, err);
	}
	return status;
}

void vrs_worker_fini(struct vrs_worker *worker)
{
	vrs_roi_worker_fini(&worker->roi);
	vrs_composer_fini(&worker->composer);
	vrs_arena_free(&worker->arena);
}

struct vrs_segment_memory vrs_worker_memory(struct vrs_worker *worker)
{
	const struct vrs_worker_shared *shared = worker->shared;
	return (struct vrs_segment_memory){shared->roi, shared->mattes, shared->reference, worker->roi.states,
		vrs_composer_last(&worker->composer)};
}

static bool work_on_batch(struct vrs_worker *worker, int frames)
{
	struct vrs_finished *finished = vrs_composer_next(&worker->composer);
	VRS_ASSERT(finished->count == 0);
	if (!vrs_reuse_decide(&worker->roi, frames) || !vrs_roi_inference_run(&worker->roi, frames))
		return false;
	for (int n = 0; n < frames; n++)
		if (!vrs_matte_stage_pass(worker->shared->mattes, &worker->roi.batch, n, finished))
			return false;
	return vrs_composer_pass(&worker->composer);
}

/* All frames have been through the network: those whose mattes waited for more. */
static bool drain(struct vrs_worker *worker)
{
	bool going = true;
	while (going) {
		struct vrs_finished *finished = vrs_composer_next(&worker->composer);
		while (finished->count < worker->shared->roi->room && vrs_matte_stage_drain(worker->shared->mattes, finished))
			;
		if (finished->count == 0)
			return true;
		going = vrs_composer_pass(&worker->composer);
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

/* Frames that may be looked at before any was seen: a group, but where people are followed or remembered none on which another one depends. */
static int batch_length(const struct vrs_worker *worker, struct vrs_frame_task **tasks, int frames)
{
	const struct vrs_roi_plan *roi = worker->shared->roi;
	int count = 1;
	if (!roi->follows && !roi->has_states)
		return frames;
	while (count < frames && count < roi->lag && !vrs_frame_task_is_first(tasks[count - 1]))
		count++;
	return count;
}

/* Without the network. */
static bool recall_group(struct vrs_worker *worker, int frames)
{
	struct vrs_finished *finished = vrs_composer_next(&worker->composer);
	for (finished->count = 0; finished->count < frames; finished->count++) {
		int n = finished->count;
		finished->tasks[n] = worker->group[n];
		worker->group[n] = NULL;
		if (!vrs_matte_stage_recall(worker->shared->mattes, finished, n))
			return false;
	}
	return vrs_composer_pass(&worker->composer);
}

/* Before the first frame behind the segment, or after its last one: what the next segment begins with. */
static bool keep_past(struct vrs_worker *worker, uint64_t next_seq)
{
	const struct vrs_segment *segment = worker->shared->segment;
	struct vrs_error err = {0};
	if (!segment || !segment->past_to || worker->shared->past_out->written)
		return true;
	const struct vrs_segment_memory memory = vrs_worker_memory(worker);
	enum vrs_status status = vrs_roi_states_bring_down(worker->roi.states, &err);
	if (status == VRS_EDEVICE)
		vrs_roi_network_lost(&worker->roi, &err);
	if (status == VRS_OK)
		status = vrs_segment_past_write(worker->shared->past_out, &memory, next_seq, segment, &err);
	if (status != VRS_OK)
		vrs_flow_fail(worker->shared->flow, status, &err);
	return status == VRS_OK;
}

static bool work_on_group(struct vrs_worker *worker, int frames)
{
	if (worker->group[0]->preroll && !keep_past(worker, worker->group[0]->seq))
		return false;
	if (vrs_matte_cache_has(worker->shared->mattes->cache))
		return recall_group(worker, frames);
	for (int from = 0, count; from < frames; from += count) {
		worker->roi.batch.tasks = worker->group + from;
		count = batch_length(worker, worker->roi.batch.tasks, frames - from);
		if (!work_on_batch(worker, count))
			return false;
	}
	return true;
}

static void trace_row(const struct vrs_worker *worker)
{
	char name[32];
	snprintf(name, sizeof name, "worker %d", worker->number + 1);
	vrs_trace_thread(worker->shared->flow->trace, worker->number + 2, name);
}

void *vrs_worker_main(void *arg)
{
	struct vrs_worker *worker = arg;
	struct vrs_worker_shared *shared = worker->shared;
	struct vrs_flow *flow = shared->flow;
	bool going = true;
	uint64_t seen = 0;
	trace_row(worker);
	if (shared->segment && shared->segment->past_from)
		vrs_matte_stage_show_past(shared->mattes, vrs_composer_last(&worker->composer));
	while (going) {
		struct vrs_stage_stats stats = {0};
		int frames = vrs_live_take(&shared->take, flow, worker->group, &stats.wait_input_ns);
		stats.frames = (uint64_t)frames;
		vrs_flow_account(flow, VRS_STAGE_PREPROCESS, &stats);
		stats.wait_input_ns = 0;
		vrs_flow_account(flow, VRS_STAGE_INFERENCE, &stats);
		going = frames > 0 && vrs_tonemap_step_run(shared->tonemap, flow, worker->group, frames) && work_on_group(worker, frames);
		seen += (uint64_t)frames;
		free_frames(worker->group, frames);
	}
	/* the last one out ends the stage */
	if (atomic_fetch_sub(&shared->left, 1) == 1) {
		if (!vrs_flow_is_over(flow) && (seen == 0 || keep_past(worker, seen)))
			(void)drain(worker);
		vrs_composer_close(&worker->composer);
	}
	return NULL;
}
