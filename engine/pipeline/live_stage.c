/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/live_stage.h"

#include "base/assert.h"
#include "base/clock.h"

#include <vrseg/log.h>

#define LOOK_NS 50000000 /* while waiting, look for a stop this often */
/* With the one that is looked at no more than VRS_FOLLOW_LAG (roi/roi_plan.h), so that the looks of one do not wait for another. */
#define LATE_FRAMES 3
#define LATE_BYTES ((size_t)64 << 20)

enum vrs_status vrs_live_open(struct vrs_live_input *input, const struct vrs_settings *settings, double own_fps, struct vrs_error *err)
{
	const struct vrs_source_info *source = vrs_source_info(input->source);
	double asked = settings->pipeline.live_fps;
	bool sets_pace = vrs_source_sets_pace(input->name), is_pulled = sets_pace ? vrs_source_is_pulled(input->source) : input->grows;
	input->clock = (struct vrs_live_clock){.paced = !sets_pace || is_pulled, .pulled = is_pulled, .time_base_num = source->time_base_num,
		.time_base_den = source->time_base_den};
	if (asked <= 0)
		return VRS_OK;
	if (sets_pace)
		return vrs_fail(err, VRS_ECONFIG, "--live-fps is for files: %s sets its own pace", input->name);
	if (own_fps <= 0)
		return vrs_fail(err, VRS_ECONFIG, "--live-fps cannot change the rate of %s, which does not say its own", input->name);
	input->clock.own_fps = own_fps; /* a file may be played at another rate than its own */
	input->clock.fps = asked;
	return VRS_OK;
}

int vrs_live_late_room(const struct vrs_picture_format *format)
{
	size_t fit = LATE_BYTES / (vrs_frame_bytes(format) + 1); /* so long as there is memory for more than one */
	return fit >= LATE_FRAMES ? LATE_FRAMES : fit ? (int)fit : 1;
}

static int fresh_frames(const struct vrs_live_take *take)
{
	return take->group > 2 ? take->group : 2;
}

int vrs_live_queue_size(const struct vrs_live_take *take)
{
	return fresh_frames(take) + take->room - take->group;
}

bool vrs_live_wait(struct vrs_live_input *input, int64_t pts, uint64_t *wait_ns)
{
	int64_t begin = (int64_t)vrs_flow_now(input->flow), due = vrs_live_clock_due(&input->clock, pts, begin);
	for (int64_t now = begin; now < due; now = (int64_t)vrs_flow_now(input->flow)) {
		if (vrs_flow_wants_stop(input->flow) || vrs_flow_is_over(input->flow))
			return false;
		int64_t next = due - now > LOOK_NS ? now + LOOK_NS : due;
		vrs_sleep_until_ns(input->flow->begin_ns + (uint64_t)next);
		uint64_t waited = vrs_flow_now(input->flow) - (uint64_t)now;
		*wait_ns += waited;
		input->waited_ns += waited;
	}
	return true;
}

static void count_skipped(struct vrs_live_input *input)
{
	uint64_t skipped = vrs_source_skipped(input->source);
	if (skipped <= input->skipped)
		return;
	struct vrs_live_stats *live = &vrs_flow_lock_stats(input->flow)->live;
	live->captured += skipped - input->skipped;
	live->dropped += skipped - input->skipped;
	live->skipped = skipped;
	vrs_flow_unlock_stats(input->flow);
	input->skipped = skipped;
}

/* Each once. */
static void tell_step(struct vrs_live_input *input, enum vrs_live_skip_step step)
{
	if (step == VRS_LIVE_SKIP_UNREFERENCED && !input->told_skip) {
		input->told_skip = true;
		vrs_log(VRS_LOG_WARNING, "%s decodes too slowly for its rate: skipping frames that no other frame needs",
			input->name);
	} else if (step == VRS_LIVE_SKIP_JUMP && !input->told_jump) {
		input->told_jump = true;
		vrs_log(VRS_LOG_WARNING, "still too slow: skipping to a later key frame");
	}
}

static double ns_per_unit(const struct vrs_live_clock *clock)
{
	double speed = clock->fps > 0 ? clock->fps / clock->own_fps : 1;
	return 1e9 * clock->time_base_num / clock->time_base_den / speed;
}

/* The frame comes now; the time that was waited for it is counted from the frame before. */
static struct vrs_live_arrival arrive(struct vrs_live_input *input, const struct vrs_frame_task *task)
{
	uint64_t data = vrs_source_waited_ns(input->source), data_since = data - input->data_before_ns;
	uint64_t waited = input->waited_ns + data, since = waited - input->waited_before_ns;
	input->waited_before_ns = waited;
	input->data_before_ns = data;
	/* of a file, the frame begins before it is decoded; what comes from outside has begun when it is here */
	bool is_file = input->clock.paced && !input->clock.pulled;
	return (struct vrs_live_arrival){
		.now_ns = is_file ? (int64_t)task->times.start_ns[VRS_STAGE_DECODE] : (int64_t)vrs_flow_now(input->flow),
		.waited_ns = (int64_t)since,
		.data_ns = (int64_t)data_since,
		.frame_ns = (int64_t)((double)task->frame.duration * ns_per_unit(&input->clock)),
	};
}

/* The frame was decoded: is the decoder fast enough? */
static void keep_up(struct vrs_live_input *input, const struct vrs_frame_task *task, const struct vrs_live_arrival *arrival)
{
	struct vrs_live_skip *skip = &input->skip;
	int64_t end = (int64_t)task->times.end_ns[VRS_STAGE_DECODE];
	enum vrs_live_skip_step step = vrs_live_skip_next(skip, end, end - task->intended_ns, arrival->waited_ns, arrival->frame_ns);
	if (step == VRS_LIVE_SKIP_JUMP && !vrs_source_jump(input->source, (int64_t)((double)skip->lag_ns / ns_per_unit(&input->clock))))
		step = VRS_LIVE_SKIP_KEEP;
	if (step == VRS_LIVE_SKIP_UNREFERENCED || step == VRS_LIVE_SKIP_NOTHING)
		vrs_source_skip_unreferenced(input->source, step == VRS_LIVE_SKIP_UNREFERENCED);
	tell_step(input, step);
	count_skipped(input);
}

void vrs_live_end(struct vrs_live_input *input)
{
	count_skipped(input);
}

/* A frame is dropped. */
static void drop(struct vrs_flow *flow, struct vrs_frame_task *task)
{
	vrs_trace_mark(flow->trace, "dropped", (uint64_t)task->times.index, vrs_flow_now(flow));
	vrs_frame_task_free(task);
	vrs_flow_lock_stats(flow)->live.dropped++;
	vrs_flow_unlock_stats(flow);
}

bool vrs_live_put(struct vrs_live_input *input, struct vrs_frame_task *task)
{
	void *old = NULL;
	uint64_t early_ns = 0;
	(void)vrs_live_wait(input, task->frame.pts, &early_ns); /* after a gap; a wish to stop lets the frame pass */
	const struct vrs_live_arrival arrival = arrive(input, task);
	task->intended_ns = vrs_live_clock_start(&input->clock, task->frame.pts, &arrival);
	task->times.intended_ns = task->intended_ns > 0 ? (uint64_t)task->intended_ns : 0;
	keep_up(input, task, &arrival);
	bool taken = vrs_stage_queue_replace(input->flow->decoded, task, &old);
	vrs_flow_lock_stats(input->flow)->live.captured += taken;
	vrs_flow_unlock_stats(input->flow);
	if (old)
		drop(input->flow, old);
	return taken;
}

/* Called in the order of frames, whichever worker takes them. */
static void number(void *cookie, void *item, uint64_t place)
{
	struct vrs_flow *flow = cookie;
	struct vrs_frame_task *task = item;
	if (task->loop_seq != flow->loop.decoded) {
		flow->loop.decoded = task->loop_seq;
		flow->loop.taken = place;
	}
	task->seq = place;
	task->loop_seq = flow->loop.taken;
	task->times.index = (int64_t)place;
}

void vrs_live_number(struct vrs_flow *flow)
{
	vrs_stage_queue_on_taken(flow->decoded, number, flow);
}

static int take_live(const struct vrs_live_take *take, struct vrs_flow *flow, struct vrs_frame_task **tasks, uint64_t *wait_ns)
{
	uint64_t first, waited = 0;
	struct vrs_frame_task *old;
	if (!vrs_inflight_enter(flow->inflight, take->group, &waited))
		return 0;
	*wait_ns += waited;
	while (waited && (old = vrs_stage_queue_shed(flow->decoded, fresh_frames(take))))
		drop(flow, old);
	int added = vrs_inflight_add(flow->inflight, take->room - take->group), late = added;
	int count = vrs_stage_queue_pop_late(flow->decoded, (void **)tasks, take->group, fresh_frames(take), &late, take->within_ns, &first, wait_ns);
	VRS_ASSERT(late >= 0 && late <= added && count <= take->group + late);
	vrs_inflight_release(flow->inflight, added - late);
	vrs_inflight_leave(flow->inflight, take->group + late - count);
	for (int i = 0; i < count; i++) {
		VRS_ASSERT(tasks[i]->seq == first + (uint64_t)i && tasks[i]->loop_seq <= tasks[i]->seq);
		tasks[i]->late = i < late;
		vrs_trace_arrow(flow->trace, VRS_TRACE_FLOW_BEGIN, tasks[i]->seq, vrs_flow_now(flow));
	}
	return count;
}

int vrs_live_take(const struct vrs_live_take *take, struct vrs_flow *flow, struct vrs_frame_task **tasks, uint64_t *wait_ns)
{
	uint64_t first;
	return flow->live ? take_live(take, flow, tasks, wait_ns)
			  : vrs_stage_queue_pop_within(flow->decoded, (void **)tasks, take->group, take->within_ns, &first, wait_ns);
}

void vrs_live_leave(struct vrs_flow *flow, const struct vrs_frame_task *task)
{
	if (task->late)
		vrs_inflight_release(flow->inflight, 1);
	else
		vrs_inflight_leave(flow->inflight, 1);
}
