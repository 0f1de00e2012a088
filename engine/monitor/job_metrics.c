/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The jobs leave their counters here as they go; the threads that publish read them from here, so that they never touch a job that is just ending.
 */
#include <vrseg/job_metrics.h>

#include <pthread.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/mem.h"

#include <vrseg/machine.h>
#include <vrseg/session.h>

static const uint64_t interval_ns = 250000000u; /* between two readings of a job's counters */

enum { DONE, STOPPED, FAILED, RESULTS };

/* What a writer is to see: consistent, and not changed while it writes. */
struct view {
	struct vrs_job_info info;
	struct vrs_job_stats all, current;
	int64_t results[RESULTS];
	bool has_info, active;
	double frame_time;
};

struct vrs_job_metrics {
	struct vrs_metrics *metrics;
	struct view view;             /* of the threads that publish, one at a time */
	pthread_mutex_t lock;         /* guards all below */
	struct vrs_job_info info;     /* of the video that is, or was last, worked on */
	bool has_info, active;
	struct vrs_job_stats ended;   /* of the videos before */
	struct vrs_job_stats current; /* of this one */
	int64_t results[RESULTS];     /* videos */
	uint64_t next_ns;
	double frame_time;            /* of the last frame that was seen, s since 1970; 0: none yet */
};

#define GAUGE(ending, of_unit, text) (&(const struct vrs_metric){"vrseg_" ending, VRS_METRIC_GAUGE, of_unit, text})
#define COUNTER(ending, of_unit, text) (&(const struct vrs_metric){"vrseg_" ending, VRS_METRIC_COUNTER, of_unit, text})
#define HISTOGRAM(ending, text) (&(const struct vrs_metric){"vrseg_" ending, VRS_METRIC_HISTOGRAM, "seconds", text})

static void write_labelled(struct vrs_metric_writer *writer, const char *label, const char *text, double value)
{
	vrs_metric_sample(writer, value, &(const struct vrs_metric_label){label, text}, 1);
}

/* What runs here: text, as the labels of a 1. */
static void write_info(const struct view *view, struct vrs_metric_writer *writer)
{
	const struct vrs_job_info *info = &view->info;
	char net[32], picture[32];

	if (!view->has_info)
		return;
	snprintf(net, sizeof net, "%dx%d", info->net_width, info->net_height);
	snprintf(picture, sizeof picture, "%dx%d", info->width, info->height);
	const struct vrs_metric_label labels[] = {{"model", info->model}, {"input_size", net}, {"precision", vrs_precision_name(info->precision)},
		{"backend", info->backend}, {"isa", info->isa}, {"picture", picture}, {"stereo", vrs_stereo_name(info->layout.stereo)},
		{"projection", vrs_projection_name(info->layout.projection)}};
	vrs_metric_begin(writer, GAUGE("job_info", "", "Always 1; the labels say what is made of the video that is, or was last, worked on."));
	vrs_metric_sample(writer, 1, labels, sizeof labels / sizeof labels[0]);
}

static void write_videos(const struct view *view, struct vrs_metric_writer *writer)
{
	vrs_metric_begin(writer, COUNTER("videos", "", "Videos that have ended, by result."));
	write_labelled(writer, "result", "done", (double)view->results[DONE]);
	write_labelled(writer, "result", "stopped", (double)view->results[STOPPED]);
	write_labelled(writer, "result", "failed", (double)view->results[FAILED]);
	vrs_metric_value(writer, GAUGE("working", "", "1 while a video is worked on, else 0."), view->active ? 1 : 0);
}

static void write_frames(const struct view *view, struct vrs_metric_writer *writer)
{
	const struct vrs_job_stats *all = &view->all, *now = &view->current;

	vrs_metric_value(writer, COUNTER("frames", "", "Frames that were written."), (double)all->frames_done);
	vrs_metric_value(writer, COUNTER("frames_reused", "", "Of these, frames that took the matte of an earlier one."), (double)all->frames_reused);
	vrs_metric_value(writer, GAUGE("video_frames", "", "Frames of this video that are done, also by runs before."),
			 (double)(now->frames_earlier + now->frames_done));
	if (now->frames_total)
		vrs_metric_value(writer, GAUGE("video_frames_expected", "", "Frames of this video, by its container."), (double)now->frames_total);
	if (now->wall_ns)
		vrs_metric_value(writer, GAUGE("video_frames_per_second", "", "Frames a second of this video so far, on average."),
				 (double)now->frames_done * 1e9 / (double)now->wall_ns);
	if (view->frame_time > 0)
		vrs_metric_value(writer, GAUGE("last_frame_time_seconds", "seconds", "When the last frame was written, since 1970."), view->frame_time);
}

static void write_live(const struct vrs_live_stats *live, struct vrs_metric_writer *writer)
{
	static const char *const quantiles[VRS_LIVE_QUANTILES] = {"0.5", "0.95", "0.99"};
	bool begun = false;

	vrs_metric_begin(writer, COUNTER("live_frames", "", "Live frames by what became of them; dropped ones contain those skipped before decoding."));
	write_labelled(writer, "event", "captured", (double)live->captured);
	write_labelled(writer, "event", "dropped", (double)live->dropped);
	write_labelled(writer, "event", "skipped", (double)live->skipped);
	write_labelled(writer, "event", "reused", (double)live->reused);
	for (int i = 0; i < VRS_LIVE_QUANTILES; i++) {
		if (!live->known[i])
			continue;
		if (!begun)
			vrs_metric_begin(writer, GAUGE("live_latency_seconds", "seconds", "From a live frame's intended start to the output, over the run."));
		begun = true;
		write_labelled(writer, "quantile", quantiles[i], 1e-9 * (double)live->latency_ns[i]);
	}
}

static void write_stage_seconds(const struct vrs_job_stats *all, struct vrs_metric_writer *writer)
{
	vrs_metric_begin(writer, COUNTER("stage_busy_seconds", "seconds", "Time in which a stage worked, over all of its threads."));
	for (int i = 0; i < VRS_STAGE_COUNT; i++)
		write_labelled(writer, "stage", vrs_stage_name((enum vrs_stage)i), 1e-9 * (double)all->stage[i].busy_ns);
	vrs_metric_begin(writer, COUNTER("stage_cpu_seconds", "seconds", "CPU time of a stage's own threads."));
	for (int i = 0; i < VRS_STAGE_COUNT; i++)
		write_labelled(writer, "stage", vrs_stage_name((enum vrs_stage)i), 1e-9 * (double)all->stage[i].cpu_ns);
	vrs_metric_begin(writer, COUNTER("stage_wait_seconds", "seconds", "Time in which a stage waited: for input, or for room to leave its frames."));
	for (int i = 0; i < VRS_STAGE_COUNT; i++) {
		const char *name = vrs_stage_name((enum vrs_stage)i);
		const struct vrs_metric_label input[] = {{"stage", name}, {"for", "input"}}, room[] = {{"stage", name}, {"for", "room"}};

		vrs_metric_sample(writer, 1e-9 * (double)all->stage[i].wait_input_ns, input, 2);
		vrs_metric_sample(writer, 1e-9 * (double)all->stage[i].wait_output_ns, room, 2);
	}
}

static void write_times(const struct vrs_job_stats *all, struct vrs_metric_writer *writer)
{
	vrs_metric_begin(writer, HISTOGRAM("stage_seconds", "How long a stage had a frame."));
	for (int i = 0; i < VRS_STAGE_COUNT; i++)
		vrs_metric_histogram(writer, vrs_time_bounds, VRS_TIME_BUCKETS - 1, all->stage_time[i].counts, 1e-9 * (double)all->stage_time[i].sum_ns,
				     &(const struct vrs_metric_label){"stage", vrs_stage_name((enum vrs_stage)i)}, 1);
	vrs_metric_begin(writer, HISTOGRAM("frame_seconds", "How long a frame took from the beginning of decoding to the end of encoding."));
	vrs_metric_histogram(writer, vrs_time_bounds, VRS_TIME_BUCKETS - 1, all->frame_time.counts, 1e-9 * (double)all->frame_time.sum_ns, NULL, 0);
}

static void write_eyes(const struct vrs_job_stats *all, struct vrs_metric_writer *writer)
{
	if (!all->eyes_compared)
		return;
	vrs_metric_begin(writer, &(const struct vrs_metric){"vrseg_eyes_agreement_ratio", VRS_METRIC_SUMMARY, "ratio",
							     "How well the mattes of both eyes agree, 1 where they are the same."});
	vrs_metric_summary(writer, all->eyes_sum, (double)all->eyes_compared, NULL, 0);
	vrs_metric_value(writer, GAUGE("eyes_agreement_worst_ratio", "ratio", "The lowest agreement of any frame."), all->eyes_worst);
}

static void write_resources(const struct view *view, struct vrs_metric_writer *writer)
{
	vrs_metric_value(writer, COUNTER("cpu_seconds", "seconds", "CPU time of all threads and processes of the jobs."), 1e-9 * (double)view->all.cpu_ns);
	vrs_metric_value(writer, GAUGE("memory_bytes", "bytes", "Resident memory of this process."), (double)vrs_rss_bytes());
	vrs_metric_value(writer, GAUGE("peak_memory_bytes", "bytes", "The most that a process of this run held."), (double)view->all.peak_rss_bytes);
	vrs_metric_begin(writer, GAUGE("queue_frames", "", "Frames that wait between two stages, of this process."));
	write_labelled(writer, "queue", "decoded", view->active ? view->current.decoded_waiting : 0);
	write_labelled(writer, "queue", "composed", view->active ? view->current.composed_waiting : 0);
}

static void take_view(struct vrs_job_metrics *metrics, struct view *ret)
{
	pthread_mutex_lock(&metrics->lock);
	ret->info = metrics->info;
	ret->has_info = metrics->has_info;
	ret->active = metrics->active;
	ret->current = metrics->current;
	ret->all = metrics->ended;
	if (metrics->active)
		vrs_job_stats_add(&ret->all, &metrics->current);
	for (int i = 0; i < RESULTS; i++)
		ret->results[i] = metrics->results[i];
	ret->frame_time = metrics->frame_time;
	pthread_mutex_unlock(&metrics->lock);
}

/* Of struct vrs_metrics_source. */
static void write_all(void *cookie, struct vrs_metric_writer *writer)
{
	struct vrs_job_metrics *metrics = cookie;
	struct view *view = &metrics->view;

	take_view(metrics, view);
	write_info(view, writer);
	write_videos(view, writer);
	write_frames(view, writer);
	if (view->has_info && view->info.live)
		write_live(&view->current.live, writer);
	write_stage_seconds(&view->all, writer);
	write_times(&view->all, writer);
	write_eyes(&view->all, writer);
	write_resources(view, writer);
}

enum vrs_status vrs_job_metrics_open(struct vrs_job_metrics **ret_metrics, const char *file, const char *port, struct vrs_error *err)
{
	struct vrs_job_metrics *metrics = vrs_calloc(1, sizeof *metrics);
	struct vrs_metrics_source source = {.program = "vrseg", .cookie = metrics, .write = write_all};
	enum vrs_status status = VRS_ENOMEM;

	if (!metrics)
		return vrs_fail_nomem(err);
	pthread_mutex_init(&metrics->lock, NULL);
	status = vrs_metrics_open(&metrics->metrics, file, port, &source, err);
	if (status == VRS_OK)
		*ret_metrics = metrics;
	else
		vrs_job_metrics_close(metrics, 0);
	return status;
}

void vrs_job_metrics_begin(struct vrs_job_metrics *metrics, const struct vrs_job_info *info)
{
	if (!metrics)
		return;
	pthread_mutex_lock(&metrics->lock);
	metrics->info = *info;
	metrics->has_info = metrics->active = true;
	metrics->current = (struct vrs_job_stats){0};
	pthread_mutex_unlock(&metrics->lock);
}

/* With the lock. */
static void take_stats(struct vrs_job_metrics *metrics, const struct vrs_job_stats *stats)
{
	if (stats->frames_done > metrics->current.frames_done)
		metrics->frame_time = vrs_seconds_since_1970();
	metrics->current = *stats;
}

void vrs_job_metrics_frame(struct vrs_job_metrics *metrics, const struct vrs_job *job)
{
	if (!metrics)
		return;
	pthread_mutex_lock(&metrics->lock);
	uint64_t now = vrs_now_ns();
	if (now >= metrics->next_ns) {
		struct vrs_job_stats stats;

		metrics->next_ns = now + interval_ns;
		vrs_job_stats(job, &stats);
		take_stats(metrics, &stats);
	}
	pthread_mutex_unlock(&metrics->lock);
}

void vrs_job_metrics_stats(struct vrs_job_metrics *metrics, const struct vrs_job_stats *stats)
{
	if (!metrics)
		return;
	pthread_mutex_lock(&metrics->lock);
	take_stats(metrics, stats);
	pthread_mutex_unlock(&metrics->lock);
}

void vrs_job_metrics_end(struct vrs_job_metrics *metrics, const struct vrs_job_stats *stats, enum vrs_status status)
{
	if (!metrics)
		return;
	pthread_mutex_lock(&metrics->lock);
	if (!metrics->active) /* it has failed before it began */
		metrics->current = (struct vrs_job_stats){0};
	if (stats->frames_done >= metrics->current.frames_done) /* a job that fails may have nothing to say any more */
		take_stats(metrics, stats);
	vrs_job_stats_add(&metrics->ended, &metrics->current);
	metrics->active = false;
	metrics->results[status == VRS_OK ? DONE : status == VRS_ESTOPPED ? STOPPED : FAILED]++;
	pthread_mutex_unlock(&metrics->lock);
}

void vrs_job_metrics_close(struct vrs_job_metrics *metrics, int exit_code)
{
	if (!metrics)
		return;
	vrs_metrics_exit(metrics->metrics, exit_code);
	vrs_metrics_close(metrics->metrics);
	pthread_mutex_destroy(&metrics->lock);
	vrs_free(metrics);
}
