/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parts of a film made by several processes at once.  One thread waits for each of them; who is free takes the next part that nobody has.  After a
 * failure the others finish their parts, which the next run then has.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/stop.h"
#include "film/film.h"
#include "film/part_process.h"
#include "pipeline/thread_plan.h"

#include <vrseg/log.h>

#define MOST_PROCESSES 64

struct crew {
	struct vrs_film *film;
	pthread_mutex_t lock; /* guards all below, and the film */
	int next;             /* part that nobody has looked at */
	int members;          /* that have begun, which gives them their numbers */
	enum vrs_status status;
	struct vrs_error error;
};

/* A process for four CPUs, since one keeps that many busy with decoding, network and encoder; but more than one, which was asked for. */
static int process_count(const struct vrs_film *film)
{
	int count = film->settings.pipeline.process_count ? film->settings.pipeline.process_count : film->info.cpus / 4;
	int parts = film->ckpt.plan.parts;
	count = count < 2 && !film->settings.pipeline.process_count ? 2 : count;
	count = count > MOST_PROCESSES ? MOST_PROCESSES : count;
	return count > parts ? parts : count;
}

/* The budget of threads is shared.  Encoders keep theirs, because what they write depends on it, and they sleep while they have nothing to do. */
static void share_threads(struct vrs_film *film, int processes)
{
	int cpus = film->info.cpus / processes;
	struct vrs_thread_plan plan = vrs_thread_plan_make(&film->settings, cpus < 1 ? 1 : cpus, true);
	film->settings.engine.streams = plan.streams;
	film->settings.engine.threads = plan.threads;
	int alone = vrs_thread_plan_make(&film->settings, film->info.cpus, true).decode, fit = film->info.decode_threads / processes;
	if (film->info.decode_threads < alone && plan.decode > fit) /* memory has room for so many alone */
		plan.decode = fit > 1 ? fit : 1;
	film->settings.pipeline.decode_threads = plan.decode;
}

static void add_agreement(struct vrs_job_stats *to, const struct vrs_job_stats *from)
{
	if (from->eyes_compared && (!to->eyes_compared || from->eyes_worst < to->eyes_worst)) {
		to->eyes_worst = from->eyes_worst;
		to->eyes_worst_frame = from->eyes_worst_frame;
	}
	to->eyes_compared += from->eyes_compared;
	to->eyes_sum += from->eyes_sum;
}

static void add_stats(struct vrs_job_stats *to, const struct vrs_job_stats *from)
{
	to->frames_done += from->frames_done;
	to->frames_reused += from->frames_reused;
	to->cpu_ns += from->cpu_ns;
	to->peak_rss_bytes += from->peak_rss_bytes > to->peak_rss_bytes ? from->peak_rss_bytes - to->peak_rss_bytes : 0;
	to->queue_bytes += from->queue_bytes > to->queue_bytes ? from->queue_bytes - to->queue_bytes : 0;
	add_agreement(to, from);
	for (int i = 0; i < VRS_STAGE_COUNT; i++) {
		to->stage[i].frames += from->stage[i].frames;
		to->stage[i].busy_ns += from->stage[i].busy_ns;
		to->stage[i].cpu_ns += from->stage[i].cpu_ns;
		to->stage[i].wait_input_ns += from->stage[i].wait_input_ns;
		to->stage[i].wait_output_ns += from->stage[i].wait_output_ns;
	}
}

/* The next part to make, or -1.  How many frames the last part may have is known when all others are done, so that it is left then. */
static int take_part(struct crew *crew)
{
	const struct vrs_film *film = crew->film;
	int number = -1, parts = film->ckpt.plan.parts - (film->ckpt.plan.max_frames > 0);
	pthread_mutex_lock(&crew->lock);
	while (crew->next < parts && film->ckpt.parts[crew->next].done)
		crew->next++;
	if (crew->status == VRS_OK && !vrs_stop_requested() && crew->next < parts)
		number = crew->next++;
	pthread_mutex_unlock(&crew->lock);
	return number;
}

/* With the lock: what a process has reported about a part. */
static enum vrs_status take_reply(struct vrs_film *film, int number, const struct vrs_part_reply *reply, struct vrs_error *err)
{
	const struct vrs_part_outcome *outcome = &reply->outcome;
	struct vrs_part_record record = vrs_film_take(film, number, outcome);
	enum vrs_status status = reply->status == VRS_END ? VRS_OK : reply->status; /* the film may be shorter than its container says */
	if (status == VRS_ESTOPPED && record.frames > 0 && (film->tail_part < 0 || number < film->tail_part)) {
		film->tail = record;
		film->tail_part = number;
	}
	if (!status || status == VRS_ESTOPPED || outcome->result.cut_short)
		add_stats(&film->stats, &outcome->stats);
	if (status)
		(void)vrs_fail(err, status, "%s", reply->text);
	if (status && !outcome->result.cut_short)
		return status;
	enum vrs_status recorded = vrs_film_record(film, number, &record, status ? NULL : err);
	film->stats.wall_ns = vrs_now_ns() - film->begin_ns;
	film->stats.frames_total = (uint64_t)film->ckpt.plan.frames;
	if (film->request->on_part)
		film->request->on_part(film->request->cookie, &film->stats);
	return status ? status : recorded;
}

/* One try. */
static enum vrs_status run_part(struct crew *crew, int number, int member, struct vrs_part_reply *reply, struct vrs_error *err)
{
	struct vrs_film *film = crew->film;
	struct vrs_settings settings;
	char trace[VRS_PATH_MAX];
	struct vrs_part_order order = {.input = film->request->input, .settings = &settings, .part = vrs_film_plan_part(&film->ckpt.plan, number),
		.number = number, .truth = film->request->truth ? film->request->truth->file : NULL};
	struct vrs_part_request request = {.order = &order, .config = film->request->config, .process = member + 2}; /* 1 is this one */
	order.part.begin_ns = film->begin_ns;
	pthread_mutex_lock(&crew->lock);
	enum vrs_status status = vrs_film_part_settings(film, number, &settings, err);
	if (vrs_film_trace_piece(film, number, trace, sizeof trace))
		request.trace = trace;
	pthread_mutex_unlock(&crew->lock);
	if (!status)
		status = vrs_part_process_run(&request, reply, err);
	if (request.trace)
		vrs_film_trace_take(film, trace);
	return status;
}

static enum vrs_status make_part(struct crew *crew, int number, int member, struct vrs_error *err)
{
	struct vrs_film *film = crew->film;
	struct vrs_part_reply reply;
	bool again;
	enum vrs_status status;
	do {
		reply = (struct vrs_part_reply){0};
		status = run_part(crew, number, member, &reply, err);
		pthread_mutex_lock(&crew->lock);
		again = (status == VRS_ENOMEM || (!status && reply.status == VRS_ENOMEM)) && vrs_step_down(&film->settings, &film->info);
		if (!again && !status)
			status = take_reply(film, number, &reply, err);
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
	while ((number = take_part(crew)) >= 0) {
		struct vrs_error err = {0};
		enum vrs_status status = make_part(crew, number, member, &err);
		pthread_mutex_lock(&crew->lock);
		if (status && (crew->status == VRS_OK || crew->status == VRS_ESTOPPED)) {
			crew->status = status;
			crew->error = err;
		}
		pthread_mutex_unlock(&crew->lock);
	}
	return NULL;
}

enum vrs_status vrs_film_make_parts_apart(struct vrs_film *film, struct vrs_error *err)
{
	pthread_t threads[MOST_PROCESSES];
	struct crew crew = {.film = film};
	int count = process_count(film), started = 0;
	share_threads(film, count);
	vrs_log(VRS_LOG_INFO, "%d processes with %d stream%s x %d thread%s each", count, film->settings.engine.streams,
		film->settings.engine.streams == 1 ? "" : "s", film->settings.engine.threads, film->settings.engine.threads == 1 ? "" : "s");
	pthread_mutex_init(&crew.lock, NULL);
	while (started < count && pthread_create(&threads[started], NULL, crew_main, &crew) == 0)
		started++;
	if (started == 0)
		crew_main(&crew);
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&crew.lock);
	if (crew.status == VRS_OK && vrs_stop_requested() && vrs_checkpoint_open_parts(&film->ckpt) > 0)
		crew.status = vrs_fail(&crew.error, VRS_ESTOPPED, "stopped on request");
	if (crew.status && err)
		*err = crew.error;
	return crew.status;
}
