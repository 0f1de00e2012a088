/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/flow.h"

#include "base/assert.h"
#include "base/clock.h"
#include "base/stop.h"

void vrs_flow_init(struct vrs_flow *flow)
{
	pthread_mutex_init(&flow->lock, NULL);
}

void vrs_flow_fini(struct vrs_flow *flow)
{
	vrs_stage_queue_destroy(flow->decoded);
	vrs_stage_queue_destroy(flow->finished);
	vrs_stage_queue_destroy(flow->composed);
	vrs_sequencer_destroy(flow->postprocess);
	vrs_sequencer_destroy(flow->comparison);
	vrs_inflight_destroy(flow->inflight);
	pthread_mutex_destroy(&flow->lock);
}

bool vrs_flow_begin(struct vrs_flow *flow, uint64_t begin_ns, uint64_t begin_cpu_ns)
{
	pthread_mutex_lock(&flow->lock);
	bool first = flow->begin_ns == 0;
	if (first) {
		flow->begin_cpu_ns = begin_cpu_ns ? begin_cpu_ns : vrs_cpu_ns();
		flow->begin_ns = begin_ns ? begin_ns : vrs_now_ns();
	}
	pthread_mutex_unlock(&flow->lock);
	return first;
}

void vrs_flow_drain(struct vrs_flow *flow)
{
	struct vrs_frame_task *task;
	while ((task = vrs_stage_queue_drain(flow->decoded)))
		vrs_frame_task_free(task);
	while ((task = vrs_stage_queue_drain(flow->composed)))
		vrs_frame_task_free(task);
}

static void end_stages(struct vrs_flow *flow)
{
	atomic_store(&flow->dropped, true);
	vrs_stage_queue_abort(flow->decoded);
	if (flow->finished)
		vrs_stage_queue_abort(flow->finished);
	vrs_stage_queue_abort(flow->composed);
	vrs_sequencer_abort(flow->postprocess);
	vrs_inflight_abort(flow->inflight);
	if (flow->comparison)
		vrs_sequencer_abort(flow->comparison);
}

void vrs_flow_fail(struct vrs_flow *flow, enum vrs_status status, const struct vrs_error *err)
{
	VRS_ASSERT(status != VRS_OK);
	pthread_mutex_lock(&flow->lock);
	bool mere_end = status == VRS_ESTOPPED && atomic_load(&flow->dropped); /* of work on what was dropped */
	if (flow->status == VRS_OK && !mere_end) {
		flow->status = status;
		if (err && err->text[0])
			flow->error = *err;
		else
			vrs_fail(&flow->error, status, "%s", vrs_status_str(status));
	}
	pthread_mutex_unlock(&flow->lock);
	end_stages(flow);
}

void vrs_flow_drop(struct vrs_flow *flow)
{
	pthread_mutex_lock(&flow->lock);
	flow->stopped = true;
	pthread_mutex_unlock(&flow->lock);
	end_stages(flow);
}

bool vrs_flow_is_over(struct vrs_flow *flow)
{
	return atomic_load(&flow->dropped);
}

void vrs_flow_truncate(struct vrs_flow *flow, const struct vrs_error *err)
{
	pthread_mutex_lock(&flow->lock);
	flow->truncated = true;
	if (flow->status == VRS_OK)
		flow->error = *err;
	pthread_mutex_unlock(&flow->lock);
}

void vrs_flow_end_input(struct vrs_flow *flow, bool stopped)
{
	pthread_mutex_lock(&flow->lock);
	flow->stopped = flow->stopped || stopped;
	pthread_mutex_unlock(&flow->lock);
	vrs_stage_queue_close(flow->decoded);
}

bool vrs_flow_wants_stop(const struct vrs_flow *flow)
{
	return atomic_load(&flow->stop) || vrs_stop_requested();
}

uint64_t vrs_flow_now(const struct vrs_flow *flow)
{
	VRS_ASSERT(flow->begin_ns != 0);
	return vrs_now_ns() - flow->begin_ns;
}

struct vrs_job_stats *vrs_flow_lock_stats(struct vrs_flow *flow)
{
	pthread_mutex_lock(&flow->lock);
	return &flow->stats;
}

void vrs_flow_unlock_stats(struct vrs_flow *flow)
{
	pthread_mutex_unlock(&flow->lock);
}

/* Backwards from now: what came last ends now. */
static void trace_stage(struct vrs_flow *flow, enum vrs_stage stage, const struct vrs_stage_stats *add, uint64_t first, int frames)
{
	const char *name = vrs_stage_name(stage);
	uint64_t now = vrs_flow_now(flow), worked = now - add->wait_output_ns, began = worked - add->busy_ns;
	if (add->wait_input_ns)
		vrs_trace_span(flow->trace, "wait for input", name, began - add->wait_input_ns, began, VRS_TRACE_NO_FRAME, 0);
	if (add->busy_ns)
		vrs_trace_span(flow->trace, name, name, began, worked, first, frames);
	bool numbered = !(flow->live && stage == VRS_STAGE_DECODE); /* a live frame gets its number when a worker takes it */
	for (int i = 0; i < frames && add->busy_ns && numbered; i++)
		vrs_trace_arrow(flow->trace, stage == VRS_STAGE_DECODE ? VRS_TRACE_FLOW_BEGIN : stage == VRS_STAGE_ENCODE ? VRS_TRACE_FLOW_END :
				VRS_TRACE_FLOW_STEP, first + (uint64_t)i, began);
	if (add->wait_output_ns)
		vrs_trace_span(flow->trace, "wait for room", name, worked, now, VRS_TRACE_NO_FRAME, 0);
	vrs_trace_count(flow->trace, 0, "decoded frames waiting", now, (uint64_t)vrs_stage_queue_depth(flow->decoded));
	vrs_trace_count(flow->trace, 1, "composed frames waiting", now, (uint64_t)vrs_stage_queue_depth(flow->composed));
}

void vrs_flow_account_frames(struct vrs_flow *flow, enum vrs_stage stage, const struct vrs_stage_stats *add, uint64_t first, int frames)
{
	VRS_ASSERT(stage >= 0 && stage < VRS_STAGE_COUNT);
	if (flow->trace)
		trace_stage(flow, stage, add, first, frames);
	struct vrs_stage_stats *stats = &vrs_flow_lock_stats(flow)->stage[stage];
	stats->frames += add->frames;
	stats->busy_ns += add->busy_ns;
	stats->cpu_ns += add->cpu_ns;
	stats->wait_input_ns += add->wait_input_ns;
	stats->wait_output_ns += add->wait_output_ns;
	vrs_flow_unlock_stats(flow);
	(void)atomic_fetch_add_explicit(&flow->moves, 1, memory_order_relaxed);
	vrs_stop_moved();
}

static void add_time(struct vrs_time_histogram *to, uint64_t ns)
{
	int i = 0;

	while (i < VRS_TIME_BUCKETS - 1 && (double)ns > vrs_time_bounds[i] * 1e9)
		i++;
	to->counts[i]++;
	to->sum_ns += ns;
}

void vrs_flow_frame_done(struct vrs_flow *flow, const struct vrs_frame_times *times)
{
	struct vrs_job_stats *stats = vrs_flow_lock_stats(flow);
	uint64_t begin = times->intended_ns, end = times->end_ns[VRS_STAGE_ENCODE];

	stats->frames_done++;
	for (int i = 0; i < VRS_STAGE_COUNT; i++)
		if (times->end_ns[i])
			add_time(&stats->stage_time[i], times->end_ns[i] - times->start_ns[i]);
	add_time(&stats->frame_time, end > begin ? end - begin : 0);
	vrs_flow_unlock_stats(flow);
}

void vrs_flow_account(struct vrs_flow *flow, enum vrs_stage stage, const struct vrs_stage_stats *add)
{
	vrs_flow_account_frames(flow, stage, add, VRS_TRACE_NO_FRAME, 0);
}

/* On the clock of the run. */
static uint64_t since_begin(const struct vrs_flow *flow, uint64_t ns)
{
	return ns > flow->begin_ns ? ns - flow->begin_ns : 0;
}

void vrs_flow_account_device(struct vrs_flow *flow, const struct vrs_device_span spans[VRS_DEVICE_QUEUES], uint64_t first, int frames)
{
	static const char *const lanes[VRS_DEVICE_QUEUES] = {"device: up", "device: compute", "device: down"};
	static const char *const names[VRS_DEVICE_QUEUES] = {"host to device", "network", "device to host"};
	_Static_assert(VRS_DEVICE_QUEUES == VRS_TRACE_LANES, "a lane for each queue");
	for (int q = 0; q < VRS_DEVICE_QUEUES; q++)
		if (spans[q].commands > 0)
			vrs_trace_lane(flow->trace, q, lanes[q], names[q], since_begin(flow, spans[q].begin_ns), since_begin(flow, spans[q].end_ns), first,
				       frames);
	struct vrs_job_stats *stats = vrs_flow_lock_stats(flow);
	for (int q = 0; q < VRS_DEVICE_QUEUES; q++) {
		stats->device[q].busy_ns += spans[q].busy_ns;
		stats->device[q].runs += spans[q].commands > 0;
	}
	vrs_flow_unlock_stats(flow);
}

void vrs_flow_work_begin(struct vrs_flow *flow, enum vrs_stage stage)
{
	(void)atomic_fetch_add(&flow->at_work[stage], 1);
}

void vrs_flow_work_end(struct vrs_flow *flow, enum vrs_stage stage)
{
	int before = atomic_fetch_sub(&flow->at_work[stage], 1);
	VRS_ASSERT(before > 0);
	(void)before;
}

struct vrs_flow_step vrs_flow_step_begin(struct vrs_flow *flow, enum vrs_stage stage)
{
	vrs_flow_work_begin(flow, stage);
	return (struct vrs_flow_step){.start_ns = vrs_flow_now(flow), .cpu_ns = vrs_team_cpu_ns()};
}

void vrs_flow_step_end(struct vrs_flow *flow, enum vrs_stage stage, const struct vrs_flow_step *step, struct vrs_frame_task **tasks, int count,
		       const struct vrs_stage_stats *extra)
{
	VRS_ASSERT(count > 0);
	struct vrs_stage_stats stats = *extra;
	uint64_t end = vrs_flow_now(flow);
	vrs_flow_work_end(flow, stage);
	stats.busy_ns = end - step->start_ns;
	stats.cpu_ns = vrs_team_cpu_ns() - step->cpu_ns;
	for (int i = 0; i < count; i++) {
		if (!tasks[i]->times.end_ns[stage])
			tasks[i]->times.start_ns[stage] = step->start_ns;
		tasks[i]->times.end_ns[stage] = end;
	}
	vrs_flow_account_frames(flow, stage, &stats, tasks[0]->seq, count);
}
