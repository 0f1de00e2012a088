/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runner leaves its numbers here; the threads that publish read them from here. */
#include "bench/modes/bench_metrics.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str_parse.h"

/* Results of runs besides those of enum vrs_run_status: one that went well and that a noise gate excluded. */
enum { EXCLUDED = VRS_RUN_STATUS_COUNT, RESULTS };

/* What a writer is to see at one moment. */
struct numbers {
	int done, total, round, rounds, cases_skipped;
	int64_t results[RESULTS];
	bool measuring;
	char case_id[VRS_CASE_ID_MAX]; /* of the run in progress, or the last one */
	double run_seconds;        /* of the run in progress */
	double remaining_seconds;  /* NaN: not known */
	double fps, case_fps;      /* of the last good run, and of its case so far; NaN: none */
	double event_time;         /* of the last event, s since 1970; 0: none */
};

struct vrs_bench_metrics {
	struct vrs_metrics *metrics;
	pthread_mutex_t lock;      /* guards all below */
	struct numbers now;
};

#define GAUGE(ending, of_unit, text) (&(const struct vrs_metric){"vrbench_" ending, VRS_METRIC_GAUGE, of_unit, text})
#define COUNTER(ending, text) (&(const struct vrs_metric){"vrbench_" ending, VRS_METRIC_COUNTER, "", text})

static void write_runs(const struct numbers *now, struct vrs_metric_writer *writer)
{
	vrs_metric_begin(writer, COUNTER("runs", "Runs that have ended, by result; excluded ones were disturbed."));
	for (int i = 0; i < RESULTS; i++) {
		const char *name = i == EXCLUDED ? "excluded" : vrs_name_of(&vrs_run_status_names, i);
		vrs_metric_sample(writer, (double)now->results[i], &(const struct vrs_metric_label){"result", name}, 1);
	}
	vrs_metric_value(writer, COUNTER("cases_skipped", "Cases that were not tried, since they cannot run here."), now->cases_skipped);
}

static void write_progress(const struct numbers *now, struct vrs_metric_writer *writer)
{
	vrs_metric_value(writer, GAUGE("runs_done", "", "Runs of this measurement that are finished, with those that a resumed one had."), now->done);
	vrs_metric_value(writer, GAUGE("runs_planned", "", "Runs of this measurement, as far as is known."), now->total);
	vrs_metric_value(writer, GAUGE("round", "", "Round that is measured."), now->round);
	vrs_metric_value(writer, GAUGE("rounds", "", "Rounds of this measurement, as far as is known."), now->rounds);
	if (isfinite(now->remaining_seconds))
		vrs_metric_value(writer, GAUGE("remaining_seconds", "seconds", "What the rest will take, by the runs so far."), now->remaining_seconds);
	vrs_metric_value(writer, GAUGE("measuring", "", "1 while a run lasts, else 0."), now->measuring ? 1 : 0);
	vrs_metric_value(writer, GAUGE("run_seconds", "seconds", "How long the run in progress has lasted."), now->measuring ? now->run_seconds : 0);
	if (now->event_time > 0)
		vrs_metric_value(writer, GAUGE("last_event_time_seconds", "seconds", "When something happened last, each second of a run counted, since 1970."),
				 now->event_time);
}

static void write_figures(const struct numbers *now, struct vrs_metric_writer *writer)
{
	const struct vrs_metric_label label = {"case", now->case_id};
	if (now->case_id[0]) {
		vrs_metric_begin(writer, GAUGE("case_info", "", "Always 1; the label says which case is, or was last, measured."));
		vrs_metric_sample(writer, 1, &label, 1);
	}
	if (isfinite(now->fps))
		vrs_metric_value(writer, GAUGE("run_frames_per_second", "", "Frames a second of the last run that went well."), now->fps);
	if (isfinite(now->case_fps))
		vrs_metric_value(writer, GAUGE("case_frames_per_second", "", "Median of its case so far."), now->case_fps);
}

/* Of struct vrs_metrics_source. */
static void write_all(void *cookie, struct vrs_metric_writer *writer)
{
	struct vrs_bench_metrics *metrics = cookie;
	pthread_mutex_lock(&metrics->lock);
	const struct numbers now = metrics->now;
	pthread_mutex_unlock(&metrics->lock);
	write_runs(&now, writer);
	write_progress(&now, writer);
	write_figures(&now, writer);
}

enum vrs_status vrs_bench_metrics_open(struct vrs_bench_metrics **ret_metrics, const char *file, const char *port, struct vrs_error *err)
{
	struct vrs_bench_metrics *metrics = vrs_calloc(1, sizeof *metrics);
	const struct vrs_metrics_source source = {.program = "vrbench", .cookie = metrics, .write = write_all};
	if (!metrics)
		return vrs_fail_nomem(err);
	metrics->now = (struct numbers){.remaining_seconds = NAN, .fps = NAN, .case_fps = NAN};
	pthread_mutex_init(&metrics->lock, NULL);
	enum vrs_status status = vrs_metrics_open(&metrics->metrics, file, port, &source, err);
	if (status == VRS_OK)
		*ret_metrics = metrics;
	else
		vrs_bench_metrics_close(metrics, 0);
	return status;
}

/* With the lock. */
static void take_run(struct numbers *now, const struct vrs_runner_event *event)
{
	const struct vrs_run *run = event->run;
	bool excluded = run->status == VRS_RUN_OK && run->excluded[0];
	now->measuring = false;
	now->results[excluded ? EXCLUDED : (int)run->status]++;
	if (run->status == VRS_RUN_OK && !excluded) {
		now->fps = run->fps;
		now->case_fps = vrs_case_result_median(event->case_result, offsetof(struct vrs_run, fps));
	}
}

void vrs_bench_metrics_event(struct vrs_bench_metrics *metrics, const struct vrs_runner_event *event)
{
	if (!metrics)
		return;
	pthread_mutex_lock(&metrics->lock);
	struct numbers *now = &metrics->now;
	now->event_time = vrs_seconds_since_1970();
	if (event->kind != VRS_RUNNER_PREPARE) {
		now->done = event->done;
		now->total = event->total;
		now->round = event->round;
		now->rounds = event->rounds;
		now->remaining_seconds = event->eta_seconds;
	}
	if (event->kind == VRS_RUNNER_RUN_START || event->kind == VRS_RUNNER_TICK) {
		now->measuring = true;
		now->run_seconds = event->run_seconds;
		(void)vrs_strcpy(now->case_id, sizeof now->case_id, event->case_result->id);
	}
	if (event->kind == VRS_RUNNER_RUN_END)
		take_run(now, event);
	now->cases_skipped += event->kind == VRS_RUNNER_SKIPPED;
	pthread_mutex_unlock(&metrics->lock);
}

void vrs_bench_metrics_close(struct vrs_bench_metrics *metrics, int exit_code)
{
	if (!metrics)
		return;
	vrs_metrics_exit(metrics->metrics, exit_code);
	vrs_metrics_close(metrics->metrics);
	pthread_mutex_destroy(&metrics->lock);
	vrs_free(metrics);
}
