/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a job: starts the stages, encodes in the calling thread, joins, finishes the output. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/stop.h"
#include "flow/flow_watch.h"
#include "pipeline/device_loss.h"

void vrs_job_end_trace(struct vrs_job *job)
{
	vrs_trace_destroy(job->trace);
	job->trace = NULL;
	job->flow.trace = NULL;
}

/* Start decoder and workers; returns false (and has failed the job) when a thread cannot be made. */
static bool start_threads(struct vrs_job *job, pthread_t *decoder, bool *decoder_started)
{
	struct vrs_error err = {0};
	atomic_store(&job->shared.left, job->threads.streams);
	int failed = pthread_create(decoder, NULL, vrs_decode_stage_main, &job->decode);
	*decoder_started = !failed;
	for (int i = 0; i < job->threads.streams && !failed; i++) {
		failed = pthread_create(&job->workers[i].thread, NULL, vrs_worker_main, &job->workers[i]);
		job->workers[i].started = !failed;
		char name[16];
		snprintf(name, sizeof name, "vrs-work%d", i % 1000);
		if (!failed)
			(void)pthread_setname_np(job->workers[i].thread, name); /* only for profilers */
		if (!failed && !vrs_composer_start(&job->workers[i].composer))
			failed = EAGAIN;
	}
	if (*decoder_started)
		(void)pthread_setname_np(*decoder, "vrs-decode");
	if (failed) {
		vrs_fail(&err, VRS_EINTERNAL, "cannot start a thread: %s", strerror(failed));
		vrs_flow_fail(&job->flow, VRS_EINTERNAL, &err);
	}
	return !failed;
}

static void join_threads(struct vrs_job *job, pthread_t decoder, bool decoder_started)
{
	if (decoder_started)
		pthread_join(decoder, NULL);
	for (int i = 0; i < job->threads.streams; i++)
		if (job->workers[i].started)
			pthread_join(job->workers[i].thread, NULL);
	for (int i = 0; i < job->threads.streams; i++)
		vrs_composer_join(&job->workers[i].composer);
	vrs_flow_drain(&job->flow);
}

enum vrs_status vrs_job_check_files(const struct vrs_job *job, struct vrs_error *err)
{
	return job->flow.live ? VRS_OK : vrs_job_stamps_check(&job->stamps, &job->settings, err);
}

/* What is wrong with an output that is kept: the job has failed all the same. */
static enum vrs_status judge_kept(struct vrs_job *job, struct vrs_error *err)
{
	const struct vrs_flow *flow = &job->flow;
	const struct vrs_error *behind = vrs_compose_behind_broken(&job->compose);
	enum vrs_status status = VRS_OK;
	if (flow->truncated && job->is_segment) /* the video knows how many frames are kept */
		return vrs_fail(err, flow->error.status, "%s", flow->error.text);
	if (flow->truncated)
		status = vrs_fail(err, flow->error.status, "%s; the %llu frames before are kept", flow->error.text, (unsigned long long)job->encode.written);
	else if (behind)
		status = vrs_fail(err, behind->status, "the background broke off: %s; the output is kept, with its last picture from there on", behind->text);
	else if (flow->live)
		status = vrs_job_stamps_check(&job->stamps, &job->settings, err);
	if (status != VRS_OK) {
		vrs_flow_lock_stats(&job->flow)->kept = true;
		vrs_flow_unlock_stats(&job->flow);
	}
	return status;
}

/* All frames are written: complete the file, unless there is nothing in it. */
static enum vrs_status finish(struct vrs_job *job, struct vrs_error *err)
{
	const struct vrs_flow *flow = &job->flow;
	uint64_t written = job->encode.written;
	if (written == 0 && job->is_segment && !flow->stopped)
		return VRS_OK;
	if (written == 0)
		return flow->stopped ? vrs_fail(err, VRS_ESTOPPED, "stopped before the first frame; nothing was written")
				     : vrs_fail(err, VRS_EFORMAT, "%s contains no frame that can be decoded", job->info.input);
	enum vrs_status status = vrs_job_check_files(job, err);
	if (status == VRS_OK)
		status = vrs_encode_stage_finish(&job->encode, err);
	if (status == VRS_OK)
		status = judge_kept(job, err);
	if (status != VRS_OK)
		return status;
	return flow->stopped ? vrs_fail(err, VRS_ESTOPPED, "stopped on request after %llu frames", (unsigned long long)written) : VRS_OK;
}

/* Pipes, devices and streams take and give frames at their own pace. */
static unsigned patient_stages(const struct vrs_job *job)
{
	unsigned patient = vrs_source_sets_pace(job->info.input) ? 1u << VRS_STAGE_DECODE : 0;
	return vrs_sink_saves(job->settings.output.file) ? patient : patient | 1u << VRS_STAGE_ENCODE;
}

/* All stages, from the first frame to the last. */
static void run_stages(struct vrs_job *job)
{
	struct vrs_flow_watch watch = {.flow = &job->flow, .limit_seconds = job->settings.pipeline.frame_timeout, .patient = patient_stages(job)};
	struct vrs_error err = {0};
	pthread_t decoder = pthread_self(); /* until it is started */
	bool decoder_started = false;
	enum vrs_status status = vrs_flow_watch_begin(&watch, &err);
	if (status != VRS_OK)
		vrs_flow_fail(&job->flow, status, &err);
	else if (start_threads(job, &decoder, &decoder_started))
		vrs_encode_stage_run(&job->encode, job->threads.streams + (job->flow.finished ? 3 : 2));
	join_threads(job, decoder, decoder_started);
	if (status == VRS_OK)
		vrs_flow_watch_end(&watch);
}

enum vrs_status vrs_job_run(struct vrs_job *job, struct vrs_error *err)
{
	struct vrs_flow *flow = &job->flow;
	bool saves = vrs_sink_saves(job->settings.output.file);
	if (!vrs_flow_begin(flow, job->segment.begin_ns, job->segment.before ? job->segment.begin_cpu_ns : 0))
		return vrs_fail(err, VRS_EINVAL, "a job can run only once");
	VRS_ASSERT(job->encode.sink && flow->decoded && flow->composed && flow->postprocess && flow->inflight);
	if (saves)
		vrs_stop_hold();
	run_stages(job);
	enum vrs_status status = flow->status;
	if (status != VRS_OK) {
		if (err)
			*err = flow->error;
	} else {
		status = finish(job, err);
		if (status == VRS_OK && !vrs_job_is_mixed(job)) /* mattes of two devices are neither's */
			vrs_matte_cache_commit(job->mattes.cache, job->past_out.written ? job->segment.past_to : NULL);
	}
	vrs_encode_stage_close(&job->encode);
	if (saves)
		vrs_stop_release();
	if (status == VRS_OK || (status == VRS_ESTOPPED && flow->stats.frames_done > 0) || flow->stats.kept) /* so live ones end, and are saved */
		vrs_trace_complete(job->trace);
	vrs_job_end_trace(job);
	struct vrs_job_stats *stats = vrs_flow_lock_stats(flow);
	stats->wall_ns = vrs_flow_now(flow) - job->encode.check.ns;
	stats->cpu_ns = vrs_cpu_ns() - flow->begin_cpu_ns - job->encode.check.cpu_ns;
	vrs_flow_unlock_stats(flow);
	return status;
}

void vrs_job_stop(struct vrs_job *job)
{
	atomic_store(&job->flow.stop, true);
}

void vrs_job_stats(const struct vrs_job *job, struct vrs_job_stats *ret_stats)
{
	/* the lock is the one thing that a reader changes */
	struct vrs_flow *flow = (struct vrs_flow *)(uintptr_t)&job->flow;
	*ret_stats = *vrs_flow_lock_stats(flow);
	if (flow->begin_ns && !ret_stats->wall_ns) {
		ret_stats->wall_ns = vrs_flow_now(flow);
		ret_stats->cpu_ns = vrs_cpu_ns() - flow->begin_cpu_ns;
	}
	vrs_encode_stage_latency(&job->encode, &ret_stats->live);
	vrs_flow_unlock_stats(flow);
	ret_stats->decoded_waiting = vrs_stage_queue_depth(flow->decoded);
	ret_stats->composed_waiting = vrs_stage_queue_depth(flow->composed);
	ret_stats->peak_rss_bytes = vrs_peak_rss_bytes();
}

const struct vrs_job_info *vrs_job_info(const struct vrs_job *job)
{
	return &job->info;
}
