/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Segments of a video made by several processes at once.  One thread waits for each of them; who is free takes the next segment that nobody has.
 * After a failure the others finish their segments, which the next run then has.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "segments/long_run.h"
#include "segments/segment_process.h"
#include "pipeline/thread_plan.h"

#include <vrseg/log.h>

#define MOST_PROCESSES 64

struct crew {
	struct vrs_long_run *run;
	pthread_mutex_t lock; /* guards all below, and the video */
	int next;             /* segment that nobody has looked at */
	int members;          /* that have begun, which gives them their numbers */
	int failed;           /* the first segment that was not made, which one process would have told of; status and error are its */
	enum vrs_status status;
	struct vrs_error error;
};

static int process_count(const struct vrs_long_run *run)
{
	int count = vrs_thread_plan_processes(&run->settings, run->info.cpus), segments = run->ckpt.plan.segments;
	return count > segments ? segments : count;
}

/* The budget of threads is shared.  Encoders keep theirs, because what they write depends on it, and they sleep while they have nothing to do. */
static void share_threads(struct vrs_long_run *run, int processes)
{
	int cpus = run->info.cpus / processes;
	struct vrs_thread_plan plan = vrs_thread_plan_make(&run->settings, cpus < 1 ? 1 : cpus, true);
	run->settings.engine.streams = plan.streams > run->info.devices ? plan.streams : run->info.devices;
	run->settings.engine.threads = plan.threads;
	run->settings.pipeline.decode_threads = plan.decode;
}

/* The next segment to make, or -1.  How many frames --max-frames leaves for the last ones is known when the others are done: they are left. */
static int take_segment(struct crew *crew)
{
	const struct vrs_long_run *run = crew->run;
	int number = -1, segments = vrs_segment_plan_unbound(&run->ckpt.plan);
	pthread_mutex_lock(&crew->lock);
	while (crew->next < segments && run->ckpt.segments[crew->next].done)
		crew->next++;
	if (crew->status == VRS_OK && !vrs_stop_requested() && crew->next < segments)
		number = crew->next++;
	pthread_mutex_unlock(&crew->lock);
	return number;
}

/* The file of a worker becomes that of its segment, while the lease is ours; it is not there where the segment holds no frame. */
static enum vrs_status place(const struct vrs_long_run *run, int number, struct vrs_error *err)
{
	char from[VRS_PATH_MAX], to[VRS_PATH_MAX];
	if (!vrs_segment_worker_file(&run->folder, number, run->mark, from, sizeof from) || !vrs_segment_file(&run->folder, number, to, sizeof to))
		return vrs_fail(err, VRS_ELIMIT, "the name %s is too long", run->folder.path);
	if (!vrs_path_exists(from))
		return VRS_OK;
	enum vrs_status status = vrs_lease_check(run->folder.lease, err);
	if (status == VRS_OK && rename(from, to) != 0)
		status = vrs_fail(err, VRS_EIO, "cannot move the finished file to %s: %s", to, strerror(errno));
	return status == VRS_OK ? vrs_file_sync_folder(to, err) : status;
}

/* With the lock: what a process has reported about a segment. */
static enum vrs_status take_reply(struct vrs_long_run *run, int number, const struct vrs_segment_reply *reply, struct vrs_error *err)
{
	const struct vrs_segment_outcome *outcome = &reply->outcome;
	enum vrs_status status = place(run, number, err);
	if (status != VRS_OK)
		return status;
	struct vrs_segment_record record = vrs_long_run_take(run, number, outcome);
	status = reply->error.status == VRS_END ? VRS_OK : reply->error.status; /* the video may be shorter than its container says */
	if (status == VRS_ESTOPPED || outcome->result.truncated)
		vrs_long_run_keep_tail(run, number, &record, &outcome->stats, outcome->result.truncated);
	if (status != VRS_OK) {
		*err = reply->error;
		return status;
	}
	vrs_long_run_leave(run, &outcome->result);
	status = vrs_long_run_record(run, number, &record, err);
	if (run->ckpt.segments[number].done)
		vrs_job_stats_add(&run->stats, &outcome->stats);
	run->stats.wall_ns = vrs_now_ns() - run->begin_ns;
	if (run->request->on_segment)
		run->request->on_segment(run->request->cookie, &run->stats);
	return status;
}

/* One try. */
static enum vrs_status run_segment(struct crew *crew, int number, int member, struct vrs_segment_reply *reply, struct vrs_error *err)
{
	struct vrs_long_run *run = crew->run;
	char trace[VRS_PATH_MAX];
	struct vrs_segment_request request = {.input = run->request->input, .segment = vrs_segment_plan_at(&run->ckpt.plan, number), .number = number,
		.truth = run->request->truth ? run->request->truth->file : NULL, .process = member + 2}; /* 1 is this one */
	request.segment.begin_ns = run->begin_ns;
	request.segment.video = run->settings.output.file;
	request.segment.pictures = run->pictures;
	request.segment.video_first_us = llround(run->info.first_seconds * 1e6);
	pthread_mutex_lock(&crew->lock);
	enum vrs_status status = vrs_long_run_segment_settings(run, number, &request.settings, err);
	char *file = request.settings.output.file;
	if (status == VRS_OK && !vrs_segment_worker_file(&run->folder, number, run->mark, file, sizeof request.settings.output.file))
		status = vrs_fail(err, VRS_ELIMIT, "the name %s is too long", run->folder.path);
	if (vrs_long_run_trace_segment(run, number, trace, sizeof trace))
		request.trace = trace;
	pthread_mutex_unlock(&crew->lock);
	if (status == VRS_OK)
		status = vrs_segment_process_run(&request, reply, err);
	if (request.trace)
		vrs_long_run_trace_take(run, trace);
	return status;
}

/* What was not placed, and has a name that no other run has. */
static void remove_rest(const struct vrs_long_run *run, int number)
{
	char file[VRS_PATH_MAX];
	if (vrs_segment_worker_file(&run->folder, number, run->mark, file, sizeof file))
		unlink(file);
}

static enum vrs_status make_segment(struct crew *crew, int number, int member, struct vrs_error *err)
{
	struct vrs_long_run *run = crew->run;
	struct vrs_segment_reply reply;
	bool again;
	enum vrs_status status;
	do {
		reply = (struct vrs_segment_reply){0};
		status = run_segment(crew, number, member, &reply, err);
		pthread_mutex_lock(&crew->lock);
		const struct vrs_error *why = status != VRS_OK ? err : &reply.error;
		again = vrs_long_run_again(run, status != VRS_OK ? status : reply.error.status, &reply.outcome.result, why);
		if (!again && status == VRS_OK)
			status = take_reply(run, number, &reply, err);
		remove_rest(run, number);
		pthread_mutex_unlock(&crew->lock);
	} while (again);
	return status;
}

static void *crew_main(void *arg)
{
	struct crew *crew = arg;
	int number;
	pthread_mutex_lock(&crew->lock);
	int member = crew->members++;
	pthread_mutex_unlock(&crew->lock);
	while ((number = take_segment(crew)) >= 0) {
		struct vrs_error err = {0};
		enum vrs_status status = make_segment(crew, number, member, &err);
		pthread_mutex_lock(&crew->lock);
		if (status != VRS_OK && (crew->status == VRS_OK || number < crew->failed)) {
			crew->failed = number;
			crew->status = status;
			crew->error = err;
		}
		pthread_mutex_unlock(&crew->lock);
	}
	return NULL;
}

enum vrs_status vrs_long_run_make_by_processes(struct vrs_long_run *run, struct vrs_error *err)
{
	pthread_t threads[MOST_PROCESSES];
	struct crew crew = {.run = run};
	int count = process_count(run), started = 0;
	if (getrandom(&run->mark, sizeof run->mark, 0) != sizeof run->mark)
		return vrs_fail(err, VRS_EIO, "there are no random numbers for names of files: %s", strerror(errno));
	share_threads(run, count);
	vrs_log(VRS_LOG_INFO, "%d processes with %d stream%s x %d thread%s each", count, run->settings.engine.streams,
		run->settings.engine.streams == 1 ? "" : "s", run->settings.engine.threads, run->settings.engine.threads == 1 ? "" : "s");
	pthread_mutex_init(&crew.lock, NULL);
	vrs_stop_hold(); /* workers that are stopped have frames to report */
	while (started < count && pthread_create(&threads[started], NULL, crew_main, &crew) == 0)
		started++;
	if (started == 0)
		crew_main(&crew);
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	vrs_stop_release();
	pthread_mutex_destroy(&crew.lock);
	if (crew.status == VRS_OK && vrs_stop_requested() && vrs_checkpoint_open_segments(&run->ckpt) > 0)
		crew.status = vrs_fail(&crew.error, VRS_ESTOPPED, "stopped on request");
	if (crew.status && err)
		*err = crew.error;
	return crew.status;
}
