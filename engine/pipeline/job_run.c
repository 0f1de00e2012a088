/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a job: starts the stages, encodes in the calling thread, joins, finishes the output. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/memory_use.h"
#include "pipeline/job.h"
#include "pipeline/live_stage.h"

#include <vrseg/log.h>

void vrs_job_fail(struct vrs_job *job, enum vrs_status status, const struct vrs_error *err)
{
	pthread_mutex_lock(&job->lock);
	if (job->status == VRS_OK) {
		job->status = status;
		if (err && err->text[0])
			job->error = *err;
		else
			vrs_fail(&job->error, status, "%s", vrs_status_str(status));
	}
	pthread_mutex_unlock(&job->lock);
	vrs_stage_queue_abort(job->decoded);
	vrs_stage_queue_abort(job->composed);
	vrs_sequencer_abort(job->turn);
	vrs_inflight_abort(job->flight);
	if (job->reference.turn)
		vrs_sequencer_abort(job->reference.turn);
}

void vrs_job_cut_short(struct vrs_job *job, const struct vrs_error *err)
{
	pthread_mutex_lock(&job->lock);
	job->damaged = true;
	if (job->status == VRS_OK)
		job->error = *err;
	pthread_mutex_unlock(&job->lock);
}

bool vrs_job_failed(struct vrs_job *job)
{
	pthread_mutex_lock(&job->lock);
	bool failed = job->status != VRS_OK;
	pthread_mutex_unlock(&job->lock);
	return failed;
}

/* Backwards from now: what came last ends now. */
static void trace_stage(struct vrs_job *job, enum vrs_stage stage, const struct vrs_stage_stats *add, uint64_t first, int frames)
{
	const char *name = vrs_stage_name(stage);
	uint64_t now = vrs_job_now(job), worked = now - add->wait_output_ns, began = worked - add->busy_ns;
	if (add->wait_input_ns)
		vrs_trace_span(job->trace, "wait for input", name, began - add->wait_input_ns, began, VRS_TRACE_NO_FRAME, 0);
	if (add->busy_ns)
		vrs_trace_span(job->trace, name, name, began, worked, first, frames);
	bool numbered = !(job->info.live && stage == VRS_STAGE_DECODE); /* a live frame gets its number when a worker takes it */
	for (int i = 0; i < frames && add->busy_ns && numbered; i++)
		vrs_trace_arrow(job->trace, stage == VRS_STAGE_DECODE ? VRS_TRACE_FLOW_BEGIN : stage == VRS_STAGE_ENCODE ? VRS_TRACE_FLOW_END :
				VRS_TRACE_FLOW_STEP, first + (uint64_t)i, began);
	if (add->wait_output_ns)
		vrs_trace_span(job->trace, "wait for room", name, worked, now, VRS_TRACE_NO_FRAME, 0);
	vrs_trace_count(job->trace, 0, "decoded frames waiting", now, (uint64_t)vrs_stage_queue_depth(job->decoded));
	vrs_trace_count(job->trace, 1, "composed frames waiting", now, (uint64_t)vrs_stage_queue_depth(job->composed));
}

void vrs_job_trace_row(struct vrs_job *job, int row, const char *name)
{
	vrs_trace_thread(job->trace, row, name);
}

void vrs_job_end_trace(struct vrs_job *job)
{
	if (!job->segment.trace)
		vrs_trace_destroy(job->trace);
	job->trace = NULL;
}

void vrs_job_account(struct vrs_job *job, enum vrs_stage stage, const struct vrs_stage_stats *add)
{
	vrs_job_account_frames(job, stage, add, VRS_TRACE_NO_FRAME, 0);
}

void vrs_job_account_frames(struct vrs_job *job, enum vrs_stage stage, const struct vrs_stage_stats *add, uint64_t first, int frames)
{
	if (job->trace)
		trace_stage(job, stage, add, first, frames);
	pthread_mutex_lock(&job->lock);
	struct vrs_stage_stats *stats = &job->stats.stage[stage];
	stats->frames += add->frames;
	stats->busy_ns += add->busy_ns;
	stats->cpu_ns += add->cpu_ns;
	stats->wait_input_ns += add->wait_input_ns;
	stats->wait_output_ns += add->wait_output_ns;
	pthread_mutex_unlock(&job->lock);
}

uint64_t vrs_job_now(const struct vrs_job *job)
{
	return vrs_now_ns() - job->begin_ns;
}

bool vrs_frame_task_is_first(const struct vrs_frame_task *task)
{
	return task->seq == task->loop_seq;
}

uint64_t vrs_frame_task_phase(const struct vrs_job *job, const struct vrs_frame_task *task)
{
	return task->seq - task->loop_seq + (uint64_t)job->segment.frames_unseen;
}

int64_t vrs_frame_task_number(const struct vrs_job *job, const struct vrs_frame_task *task)
{
	return (int64_t)task->place + job->segment.frames_before;
}

void vrs_frame_task_free(struct vrs_frame_task *task)
{
	if (!task)
		return;
	vrs_frame_unref(&task->frame);
	vrs_frame_unref(&task->behind);
	vrs_free(task);
}

/* A segment's own clock begins with its first frame. */
static void note_written(struct vrs_job *job, struct vrs_frame *frame)
{
	if (job->written++ == 0)
		job->first_pts = frame->pts;
	job->end_pts = frame->pts + (frame->duration > 0 ? frame->duration : 1);
	if (job->is_segment)
		frame->pts -= job->first_pts;
}

/* Until the composed queue ends. */
static void encode_all(struct vrs_job *job)
{
	vrs_job_trace_row(job, job->plan.streams + 2, "encode");
	for (;;) {
		struct vrs_stage_stats stats = {.frames = 1};
		void *item;
		if (!vrs_stage_queue_pop(job->composed, &item, 1, &stats.wait_input_ns))
			return;
		struct vrs_frame_task *task = item;
		struct vrs_error err = {0};
		if (task->preroll) {
			vrs_live_leave(job, task);
			vrs_frame_task_free(task);
			continue;
		}
		note_written(job, &task->frame);
		uint64_t cpu = vrs_thread_cpu_ns();
		task->times.start_ns[VRS_STAGE_ENCODE] = vrs_job_now(job);
		vrs_live_show(job, task);
		enum vrs_status status = vrs_sink_write(job->sink, &task->frame, &err);
		memset(&task->frame, 0, sizeof task->frame); /* the sink has the reference in every case */
		task->times.end_ns[VRS_STAGE_ENCODE] = vrs_job_now(job);
		stats.busy_ns = task->times.end_ns[VRS_STAGE_ENCODE] - task->times.start_ns[VRS_STAGE_ENCODE];
		stats.cpu_ns = vrs_thread_cpu_ns() - cpu;
		if (status) {
			vrs_frame_task_free(task);
			vrs_job_fail(job, status, &err);
			return;
		}
		vrs_live_leave(job, task);
		vrs_job_account_frames(job, VRS_STAGE_ENCODE, &stats, task->seq, 1);
		pthread_mutex_lock(&job->lock);
		job->stats.frames_done++;
		pthread_mutex_unlock(&job->lock);
		if (job->callbacks.on_frame)
			job->callbacks.on_frame(job->callbacks.cookie, &task->times);
		vrs_frame_task_free(task);
	}
}

/* Start decoder and workers; returns false (and has called vrs_job_fail) when a thread cannot be made. */
static bool start_threads(struct vrs_job *job, pthread_t *decoder, bool *decoder_started)
{
	struct vrs_error err = {0};
	atomic_store(&job->workers_left, job->plan.streams);
	int failed = pthread_create(decoder, NULL, vrs_decode_main, job);
	*decoder_started = !failed;
	for (int i = 0; i < job->plan.streams && !failed; i++) {
		failed = pthread_create(&job->workers[i].thread, NULL, vrs_worker_main, &job->workers[i]);
		job->workers[i].started = !failed;
		char name[16];
		snprintf(name, sizeof name, "vrs-work%d", i % 1000);
		if (!failed)
			(void)pthread_setname_np(job->workers[i].thread, name); /* only for profilers */
	}
	if (*decoder_started)
		(void)pthread_setname_np(*decoder, "vrs-decode");
	if (failed) {
		vrs_fail(&err, VRS_EINTERNAL, "cannot start a thread: %s", strerror(failed));
		vrs_job_fail(job, VRS_EINTERNAL, &err);
	}
	return !failed;
}

static void join_threads(struct vrs_job *job, pthread_t decoder, bool decoder_started)
{
	if (decoder_started)
		pthread_join(decoder, NULL);
	for (int i = 0; i < job->plan.streams; i++)
		if (job->workers[i].started)
			pthread_join(job->workers[i].thread, NULL);
	struct vrs_frame_task *task;
	while ((task = vrs_stage_queue_drain(job->decoded)))
		vrs_frame_task_free(task);
	while ((task = vrs_stage_queue_drain(job->composed)))
		vrs_frame_task_free(task);
}

/* All frames are written: complete the file, unless there is nothing in it. */
static enum vrs_status finish(struct vrs_job *job, struct vrs_error *err)
{
	if (job->written == 0 && job->is_segment && !job->stopped)
		return VRS_OK;
	if (job->written == 0)
		return job->stopped ? vrs_fail(err, VRS_ESTOPPED, "stopped before the first frame; nothing was written")
				    : vrs_fail(err, VRS_EFORMAT, "%s contains no frame that can be decoded", job->info.input);
	uint64_t start = vrs_job_now(job), cpu = vrs_thread_cpu_ns();
	enum vrs_status status = vrs_sink_finish(job->sink, err);
	struct vrs_stage_stats stats = {.busy_ns = vrs_job_now(job) - start, .cpu_ns = vrs_thread_cpu_ns() - cpu};
	vrs_job_account(job, VRS_STAGE_ENCODE, &stats);
	if (!status && job->damaged)
		status = vrs_fail(err, job->error.status, "%s; the %llu frames before are kept", job->error.text, (unsigned long long)job->written);
	if (status)
		return status;
	return job->stopped ? vrs_fail(err, VRS_ESTOPPED, "stopped on request after %llu frames",
				       (unsigned long long)job->written)
			    : VRS_OK;
}

enum vrs_status vrs_job_run(struct vrs_job *job, struct vrs_error *err)
{
	pthread_t decoder;
	bool decoder_started = false;
	pthread_mutex_lock(&job->lock);
	bool again = job->begin_ns != 0;
	job->begin_cpu_ns = job->segment.before ? job->segment.begin_cpu_ns : vrs_cpu_ns();
	job->begin_ns = job->segment.begin_ns ? job->segment.begin_ns : vrs_now_ns();
	pthread_mutex_unlock(&job->lock);
	if (again)
		return vrs_fail(err, VRS_EINVAL, "a job can run only once");
	if (start_threads(job, &decoder, &decoder_started))
		encode_all(job);
	join_threads(job, decoder, decoder_started);
	enum vrs_status status = job->status;
	if (status) {
		if (err)
			*err = job->error;
	} else {
		status = finish(job, err);
		if (!status)
			vrs_matte_cache_commit(job->cache);
	}
	/* frees what the encoder holds; without a finish it removes what was written */
	vrs_sink_close(job->sink);
	job->sink = NULL;
	vrs_job_end_trace(job);
	pthread_mutex_lock(&job->lock);
	job->stats.wall_ns = vrs_job_now(job);
	job->stats.cpu_ns = vrs_cpu_ns() - job->begin_cpu_ns;
	pthread_mutex_unlock(&job->lock);
	return status;
}

void vrs_job_stop(struct vrs_job *job)
{
	atomic_store(&job->stop, true);
}

void vrs_job_stats(const struct vrs_job *job, struct vrs_job_stats *ret_stats)
{
	/* the lock is the one thing that a reader changes */
	pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&job->lock;
	pthread_mutex_lock(lock);
	*ret_stats = job->stats;
	if (job->begin_ns && !job->stats.wall_ns) {
		ret_stats->wall_ns = vrs_job_now(job);
		ret_stats->cpu_ns = vrs_cpu_ns() - job->begin_cpu_ns;
	}
	static const double quantiles[VRS_LIVE_QUANTILES] = {0.50, 0.95, 0.99};
	for (int i = 0; i < VRS_LIVE_QUANTILES && job->info.live; i++) {
		ret_stats->live.needs[i] = vrs_latency_needs(quantiles[i]);
		ret_stats->live.known[i] = vrs_latency_quantile(&job->live.latency, quantiles[i], &ret_stats->live.latency_ns[i]);
	}
	ret_stats->live.max_latency_ns = job->live.latency.max_ns;
	pthread_mutex_unlock(lock);
	ret_stats->peak_rss_bytes = vrs_peak_rss_bytes();
}

const struct vrs_job_info *vrs_job_info(const struct vrs_job *job)
{
	return &job->info;
}
