/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/live_stage.h"

#include "base/clock.h"
#include "base/stop.h"

#include <vrseg/log.h>

#define LOOK_NS 50000000 /* while waiting, look for a stop this often */
#define LATE_FRAMES 3    /* with the one that is looked at no more than VRS_FOLLOW_LAG, so that the looks of one do not wait for another */
#define LATE_BYTES ((size_t)64 << 20)

/* A file may be played at another rate than its own. */
static enum vrs_status choose_rate(struct vrs_job *job, const char *input, struct vrs_error *err)
{
	double asked = job->settings.pipeline.live_fps, own = job->info.fps;
	if (asked <= 0)
		return VRS_OK;
	if (vrs_source_sets_pace(input))
		return vrs_fail(err, VRS_ECONFIG, "--live-fps is for files: %s sets its own pace", input);
	if (own <= 0)
		return vrs_fail(err, VRS_ECONFIG, "--live-fps cannot change the rate of %s, which does not say its own", input);
	job->live.clock.own_fps = own;
	job->live.clock.fps = asked;
	return VRS_OK;
}

/* Late frames that may wait, so long as there is memory for more than one. */
static int late_room(const struct vrs_job *job)
{
	size_t fit = LATE_BYTES / (vrs_frame_bytes(&job->format) + 1);
	return fit >= LATE_FRAMES ? LATE_FRAMES : fit ? (int)fit : 1;
}

enum vrs_status vrs_live_prepare(struct vrs_job *job, const char *input, struct vrs_error *err)
{
	const struct vrs_source_info *source = vrs_source_info(job->source);
	int asked = job->settings.pipeline.frames_in_flight, latency = vrs_matte_stage_latency(&job->settings);
	job->info.live = job->settings.pipeline.live;
	if (job->info.live && job->is_segment)
		return vrs_fail(err, VRS_EINVAL, "a live job is made in one go");
	if (asked && asked < job->group)
		return vrs_fail(err, VRS_ECONFIG, "--frames-in-flight %d is less than the %d frames that fill a batch of %d; raise it or lower --batch-size",
				asked, job->group, job->info.batch);
	if (asked && asked < job->group + latency)
		return vrs_fail(err, VRS_ECONFIG, "--frames-in-flight %d leaves no room for %d frames that wait for later ones; raise it to %d, or lower "
				"--smoothing-window or --stride", asked, latency, job->group + latency);
	job->info.in_flight = asked || !job->info.live ? asked : job->plan.streams * job->group + 1 + latency;
	if (!job->info.live && vrs_sink_is_stream(job->settings.output.file))
		vrs_log(VRS_LOG_INFO, "without --live, frames go to %s as fast as they are made", job->settings.output.file);
	job->live.clock = (struct vrs_live_clock){.paced = !vrs_source_sets_pace(input), .time_base_num = source->time_base_num,
		.time_base_den = source->time_base_den};
	enum vrs_status status = choose_rate(job, input, err);
	if (status)
		return status;
	if (job->info.live && job->settings.pipeline.late_frames == VRS_LATE_REUSE)
		job->room += late_room(job);
	return vrs_inflight_create(&job->flight, job->info.in_flight, asked ? 0 : job->plan.streams * (job->room - job->group));
}

static int fresh_frames(const struct vrs_job *job)
{
	return job->group > 2 ? job->group : 2;
}

int vrs_live_queue_size(const struct vrs_job *job)
{
	return fresh_frames(job) + job->room - job->group;
}

bool vrs_live_wait(struct vrs_job *job, int64_t pts, uint64_t *wait_ns)
{
	int64_t begin = (int64_t)vrs_job_now(job), due = vrs_live_clock_due(&job->live.clock, pts, begin);
	for (int64_t now = begin; now < due; now = (int64_t)vrs_job_now(job)) {
		if (atomic_load(&job->stop) || vrs_stop_requested() || vrs_job_failed(job))
			return false;
		int64_t next = due - now > LOOK_NS ? now + LOOK_NS : due;
		vrs_sleep_until_ns(job->begin_ns + (uint64_t)next);
		uint64_t waited = vrs_job_now(job) - (uint64_t)now;
		*wait_ns += waited;
		job->live.waited_ns += waited;
	}
	return true;
}

static void count_skipped(struct vrs_job *job)
{
	uint64_t skipped = vrs_source_skipped(job->source);
	pthread_mutex_lock(&job->lock);
	struct vrs_live_stats *live = &job->stats.live;
	if (skipped > live->skipped) {
		live->captured += skipped - live->skipped;
		live->dropped += skipped - live->skipped;
		live->skipped = skipped;
	}
	pthread_mutex_unlock(&job->lock);
}

/* Each once. */
static void tell_step(struct vrs_job *job, enum vrs_live_skip_step step)
{
	if (step == VRS_LIVE_SKIP_UNREFERENCED && !job->live.told_skip) {
		job->live.told_skip = true;
		vrs_log(VRS_LOG_WARNING, "%s decodes too slowly for its rate: skipping frames that no other frame needs",
			job->info.input);
	} else if (step == VRS_LIVE_SKIP_JUMP && !job->live.told_jump) {
		job->live.told_jump = true;
		vrs_log(VRS_LOG_WARNING, "still too slow: skipping to a later key frame");
	}
}

/* The frame was decoded: is the decoder fast enough? */
static void keep_up(struct vrs_job *job, const struct vrs_frame_task *task)
{
	const struct vrs_live_clock *clock = &job->live.clock;
	double speed = clock->fps > 0 ? clock->fps / clock->own_fps : 1;
	double ns_per_unit = 1e9 * clock->time_base_num / clock->time_base_den / speed;
	int64_t lag = (int64_t)task->times.end_ns[VRS_STAGE_DECODE] - task->intended_ns;
	uint64_t waited = job->live.waited_ns + vrs_source_waited_ns(job->source), since = waited - job->live.waited_before_ns;
	job->live.waited_before_ns = waited;
	enum vrs_live_skip_step step = vrs_live_skip_next(&job->live.skip, (int64_t)task->times.end_ns[VRS_STAGE_DECODE], lag, (int64_t)since,
							  (int64_t)((double)task->frame.duration * ns_per_unit));
	if (step == VRS_LIVE_SKIP_JUMP)
		vrs_source_jump(job->source, (int64_t)((double)lag / ns_per_unit));
	else if (step != VRS_LIVE_SKIP_KEEP)
		vrs_source_skip_unreferenced(job->source, step == VRS_LIVE_SKIP_UNREFERENCED);
	tell_step(job, step);
	count_skipped(job);
}

void vrs_live_end(struct vrs_job *job)
{
	if (job->info.live)
		count_skipped(job);
}

/* A frame is dropped. */
static void forget(struct vrs_job *job, struct vrs_frame_task *task)
{
	vrs_trace_mark(job->trace, "dropped", (uint64_t)task->times.index, vrs_job_now(job));
	vrs_frame_task_free(task);
	pthread_mutex_lock(&job->lock);
	job->stats.live.dropped++;
	pthread_mutex_unlock(&job->lock);
}

bool vrs_live_put(struct vrs_job *job, struct vrs_frame_task *task)
{
	void *old = NULL;
	uint64_t early_ns = 0;
	(void)vrs_live_wait(job, task->frame.pts, &early_ns); /* after a gap; a wish to stop lets the frame pass */
	int64_t now = (int64_t)vrs_job_now(job);
	/* of a file, the frame begins before it is decoded; what comes from outside has begun when it is here */
	task->intended_ns = vrs_live_clock_start(&job->live.clock, task->frame.pts,
						 job->live.clock.paced ? (int64_t)task->times.start_ns[VRS_STAGE_DECODE] : now);
	task->times.intended_ns = task->intended_ns > 0 ? (uint64_t)task->intended_ns : 0;
	keep_up(job, task);
	bool taken = vrs_stage_queue_replace(job->decoded, task, &old);
	pthread_mutex_lock(&job->lock);
	job->stats.live.captured += taken;
	pthread_mutex_unlock(&job->lock);
	if (old)
		forget(job, old);
	return taken;
}

static int take_live(struct vrs_job *job, struct vrs_frame_task **tasks, uint64_t within_ns, uint64_t *wait_ns)
{
	uint64_t first, waited = 0;
	struct vrs_frame_task *old;
	if (!vrs_inflight_enter(job->flight, job->group, &waited))
		return 0;
	*wait_ns += waited;
	while (waited && (old = vrs_stage_queue_shed(job->decoded, fresh_frames(job))))
		forget(job, old);
	int riding = vrs_inflight_add(job->flight, job->room - job->group), late = riding;
	int count = vrs_stage_queue_pop_late(job->decoded, (void **)tasks, job->group, fresh_frames(job), &late, within_ns, &first, wait_ns);
	vrs_inflight_release(job->flight, riding - late);
	vrs_inflight_leave(job->flight, job->group + late - count);
	for (int i = 0; i < count; i++) {
		tasks[i]->late = i < late;
		tasks[i]->seq = first + (uint64_t)i;
		tasks[i]->times.index = (int64_t)tasks[i]->seq;
		vrs_trace_arrow(job->trace, VRS_TRACE_FLOW_BEGIN, tasks[i]->seq, vrs_job_now(job));
	}
	return count;
}

int vrs_job_take(struct vrs_job *job, struct vrs_frame_task **tasks, uint64_t *wait_ns)
{
	uint64_t first, within_ns = (uint64_t)(job->settings.pipeline.batch_timeout_ms * 1e6);
	return job->info.live ? take_live(job, tasks, within_ns, wait_ns)
			      : vrs_stage_queue_pop_within(job->decoded, (void **)tasks, job->group, within_ns, &first, wait_ns);
}

void vrs_live_count_reused(struct vrs_job *job, int frames)
{
	pthread_mutex_lock(&job->lock);
	job->stats.live.reused += (uint64_t)frames;
	pthread_mutex_unlock(&job->lock);
}

void vrs_live_leave(struct vrs_job *job, const struct vrs_frame_task *task)
{
	if (task->late)
		vrs_inflight_release(job->flight, 1);
	else
		vrs_inflight_leave(job->flight, 1);
}

void vrs_live_show(struct vrs_job *job, const struct vrs_frame_task *task)
{
	if (!job->info.live)
		return;
	int64_t shown = (int64_t)task->times.start_ns[VRS_STAGE_ENCODE], late = shown - task->intended_ns;
	pthread_mutex_lock(&job->lock);
	vrs_latency_add(&job->live.latency, late > 0 ? (uint64_t)late : 0);
	if (job->live.latency.count == 1)
		job->stats.live.first_shown_ns = (uint64_t)shown;
	job->stats.live.last_shown_ns = (uint64_t)shown;
	pthread_mutex_unlock(&job->lock);
}
