/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/encode_stage.h"

#include <string.h>

#include "base/assert.h"
#include "base/clock.h"
#include "pipeline/live_stage.h"

static void note_written(struct vrs_encode_stage *stage, struct vrs_frame *frame)
{
	if (stage->written++ == 0)
		stage->first_pts = frame->pts;
	stage->end_pts = frame->pts + (frame->duration > 0 ? frame->duration : 1);
	if (stage->from_zero)
		frame->pts -= stage->first_pts;
}

/* The frame is about to be handed to the sink. */
static void note_shown(struct vrs_encode_stage *stage, const struct vrs_frame_task *task)
{
	int64_t shown = (int64_t)task->times.start_ns[VRS_STAGE_ENCODE], late = shown - task->intended_ns;
	if (!stage->flow->live)
		return;
	struct vrs_live_stats *live = &vrs_flow_lock_stats(stage->flow)->live;
	vrs_latency_add(&stage->latency, late > 0 ? (uint64_t)late : 0);
	live->last_shown_ns = (uint64_t)shown;
	live->last_due_ns = task->intended_ns > 0 ? (uint64_t)task->intended_ns : 0;
	if (stage->latency.count == 1) {
		live->first_shown_ns = live->last_shown_ns;
		live->first_due_ns = live->last_due_ns;
	}
	vrs_flow_unlock_stats(stage->flow);
}

/* False: the job has failed. */
static bool encode(struct vrs_encode_stage *stage, struct vrs_frame_task *task, struct vrs_stage_stats *stats)
{
	struct vrs_flow *flow = stage->flow;
	struct vrs_error err = {0};
	VRS_ASSERT(stage->sink && !task->preroll);
	note_written(stage, &task->frame);
	uint64_t cpu = vrs_thread_cpu_ns();
	task->times.start_ns[VRS_STAGE_ENCODE] = vrs_flow_now(flow);
	note_shown(stage, task);
	vrs_flow_work_begin(flow, VRS_STAGE_ENCODE);
	enum vrs_status status = vrs_sink_write(stage->sink, &task->frame, &err);
	vrs_flow_work_end(flow, VRS_STAGE_ENCODE);
	memset(&task->frame, 0, sizeof task->frame); /* the sink has the reference in every case */
	task->times.end_ns[VRS_STAGE_ENCODE] = vrs_flow_now(flow);
	stats->busy_ns = task->times.end_ns[VRS_STAGE_ENCODE] - task->times.start_ns[VRS_STAGE_ENCODE];
	stats->cpu_ns = vrs_thread_cpu_ns() - cpu;
	if (status != VRS_OK)
		vrs_flow_fail(flow, status, &err);
	return status == VRS_OK;
}

void vrs_encode_stage_run(struct vrs_encode_stage *stage, int row)
{
	struct vrs_flow *flow = stage->flow;
	bool going = true;
	vrs_trace_thread(flow->trace, row, "encode");
	while (going) {
		struct vrs_stage_stats stats = {.frames = 1};
		void *item;
		if (!vrs_stage_queue_pop(flow->composed, &item, 1, &stats.wait_input_ns))
			return;
		struct vrs_frame_task *task = item;
		bool preroll = task->preroll;
		going = preroll || encode(stage, task, &stats);
		if (going)
			vrs_live_leave(flow, task);
		if (going && !preroll) {
			vrs_flow_account_frames(flow, VRS_STAGE_ENCODE, &stats, task->seq, 1);
			vrs_flow_frame_done(flow, &task->times);
			if (stage->callbacks.on_frame)
				stage->callbacks.on_frame(stage->callbacks.cookie, &task->times);
		}
		vrs_frame_task_free(task);
	}
}

enum vrs_status vrs_encode_stage_check(struct vrs_encode_stage *stage, const char *file, struct vrs_error *err)
{
	const struct vrs_job_callbacks *callbacks = &stage->callbacks;
	uint64_t start = vrs_now_ns(), cpu = vrs_cpu_ns(), thread_cpu = vrs_thread_cpu_ns();
	if (!callbacks->check_output || stage->flow->stopped)
		return VRS_OK;
	enum vrs_status status = callbacks->check_output(callbacks->cookie, file, err);
	stage->check = (struct vrs_encode_check){.ns = vrs_now_ns() - start, .cpu_ns = vrs_cpu_ns() - cpu,
		.thread_cpu_ns = vrs_thread_cpu_ns() - thread_cpu};
	return status;
}

enum vrs_status vrs_encode_stage_finish(struct vrs_encode_stage *stage, struct vrs_error *err)
{
	uint64_t start = vrs_flow_now(stage->flow), cpu = vrs_thread_cpu_ns();
	enum vrs_status status = vrs_sink_finish(stage->sink, err);
	struct vrs_stage_stats stats = {.busy_ns = vrs_flow_now(stage->flow) - start - stage->check.ns,
		.cpu_ns = vrs_thread_cpu_ns() - cpu - stage->check.thread_cpu_ns};
	vrs_flow_account(stage->flow, VRS_STAGE_ENCODE, &stats);
	return status;
}

void vrs_encode_stage_close(struct vrs_encode_stage *stage)
{
	vrs_sink_close(stage->sink);
	stage->sink = NULL;
}

void vrs_encode_stage_latency(const struct vrs_encode_stage *stage, struct vrs_live_stats *ret)
{
	static const double quantiles[VRS_LIVE_QUANTILES] = {0.50, 0.95, 0.99};
	for (int i = 0; i < VRS_LIVE_QUANTILES && stage->flow->live; i++) {
		ret->needs[i] = vrs_latency_needs(quantiles[i]);
		ret->known[i] = vrs_latency_quantile(&stage->latency, quantiles[i], &ret->latency_ns[i]);
	}
	ret->max_latency_ns = stage->latency.max_ns;
}
