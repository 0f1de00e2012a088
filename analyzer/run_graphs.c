/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/run_graphs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "bench/record/frames_file.h"
#include "bench/run/run_samples.h"
#include "bench/stats/stats.h"

enum { TAIL_SERIES = 6, TAIL_POINTS = 600, TIME_POINTS = 8000, MEMORY_SERIES = 4 };

/* What does not fit into one picture is said below it. */
static void say_left_out(struct vrs_graph_data *g, const struct vrs_result *result, int shown)
{
	int all = 0;
	for (int i = 0; i < result->case_count; i++)
		all += vrs_case_result_ok_runs(&result->cases[i]) > 0;
	size_t used = strlen(g->caption);
	if (shown < all)
		snprintf(g->caption + used, sizeof g->caption - used, " The first %d of %d cases are drawn.", shown, all);
}

/* Share of frames that took longer, from all down to the slowest one: evenly spaced in the logarithm of that share. */
static enum vrs_status fill_tail(struct vrs_series *s, const double *ms, int count)
{
	enum vrs_status status = VRS_OK;
	for (int k = 0; k < s->points && status == VRS_OK; k++) {
		double slower = pow(1.0 / count, s->points > 1 ? (double)k / (s->points - 1) : 0);
		status = vrs_stats_quantile(ms, count, 1 - slower, &s->x[k]);
		s->x[k] = s->x[k] > 1e-3 ? s->x[k] : 1e-3;
		s->y[k] = 100 * slower;
	}
	return status;
}

static void tail_graph(const struct vrs_result *result, const char *folder, struct vrs_findings *findings)
{
	struct vrs_graph_data *graph = vrs_findings_add_graph(findings, "frame-times", "Frame times: how many are slower", VRS_GRAPH_STEPS);
	snprintf(graph->x_label, sizeof graph->x_label, "time between frames (ms)");
	snprintf(graph->y_label, sizeof graph->y_label, "share of frames that took longer (%%)");
	snprintf(graph->caption, sizeof graph->caption, "All measured frames of all runs, down to the slowest one; 1 %% is P99.");
	graph->log_x = graph->log_y = true;
	for (int i = 0; i < result->case_count && graph->series_count < TAIL_SERIES; i++) {
		struct vrs_frame_pool pool;
		enum vrs_status status = vrs_frame_pool_load(&pool, &result->cases[i], folder);
		if (status == VRS_OK && pool.count >= 2) {
			int points = pool.count < TAIL_POINTS ? (int)pool.count : TAIL_POINTS;
			struct vrs_series *s = vrs_graph_add_series(graph, result->cases[i].id, points, false);
			status = s ? fill_tail(s, pool.interval_ms, (int)pool.count) : VRS_ENOMEM;
		}
		if (status != VRS_OK) {
			vrs_findings_fail(findings, status);
			return;
		}
		vrs_frame_pool_fini(&pool);
	}
	say_left_out(graph, result, graph->series_count);
}

/* The first good run of a case that left frame times; NULL: none. */
static const struct vrs_run *first_run(const struct vrs_case_result *c)
{
	for (int i = 0; i < c->run_count; i++)
		if (c->runs[i].status == VRS_RUN_OK && vrs_frames_name_is_inside(c->runs[i].frames_file))
			return &c->runs[i];
	return NULL;
}

/* Completion times (s) and intervals (ms) of a run into a new series; every n-th frame of long runs, and the slowest of those between. */
static void add_intervals(struct vrs_graph_data *g, struct vrs_frames_reader *reader)
{
	struct vrs_frame_times times;
	uint64_t step = reader->count / TIME_POINTS + 1, before_ns = 0;
	struct vrs_series *s = vrs_graph_add_series(g, "frame time", (int)(reader->count / step), false);
	int at = 0;
	if (!s)
		return;
	while (vrs_frames_reader_next(reader, &times, NULL) == VRS_OK) {
		uint64_t end_ns = times.end_ns[VRS_STAGE_ENCODE], n = reader->next - 1; /* n intervals so far */
		double ms = 1e-6 * (double)(end_ns - before_ns);
		before_ns = end_ns;
		if (n < 1 || at >= s->points)
			continue;
		s->y[at] = fmax(s->y[at], ms);
		s->x[at] = 1e-9 * (double)end_ns;
		at += n % step == 0;
	}
	s->points = at;
	s->style = VRS_SERIES_DOTS;
}

/* One column of samples; rows without a value are left out. */
static void add_samples(struct vrs_graph_data *g, const char *name, const struct vrs_sample *rows, int count,
				   double (*value)(const struct vrs_sample *s), enum vrs_series_style style)
{
	int points = 0;
	for (int i = 0; i < count; i++)
		points += isfinite(value(&rows[i]));
	struct vrs_series *s = points ? vrs_graph_add_series(g, name, points, false) : NULL;
	if (!s)
		return;
	s->style = style;
	for (int i = 0, at = 0; i < count; i++)
		if (isfinite(value(&rows[i]))) {
			s->x[at] = rows[i].seconds;
			s->y[at++] = value(&rows[i]);
		}
}

static double clock_of(const struct vrs_sample *s)
{
	return s->clock_mhz;
}

static double mib_of(const struct vrs_sample *s)
{
	return s->rss_bytes >= 0 ? (double)s->rss_bytes / 1048576 : NAN;
}

static double device_mib_of(const struct vrs_sample *s)
{
	return s->device_bytes >= 0 ? (double)s->device_bytes / 1048576 : NAN;
}

/* Samples of a run; none where their file is missing. */
static int load_samples(const struct vrs_run *run, const char *folder, struct vrs_sample **ret)
{
	char name[160], path[VRS_PATH_MAX];
	int count = 0;
	*ret = NULL;
	if (vrs_samples_name(run->frames_file, name, sizeof name) && vrs_path_join(path, sizeof path, folder, name) == VRS_OK)
		(void)vrs_samples_read(path, ret, &count, NULL);
	return count;
}

static void time_graph(const struct vrs_result *result, const struct vrs_case_result *c, const char *folder, struct vrs_findings *findings)
{
	const struct vrs_run *run = first_run(c);
	char path[VRS_PATH_MAX];
	struct vrs_frames_reader reader;
	struct vrs_sample *rows;
	if (!run || vrs_path_join(path, sizeof path, folder, run->frames_file) != VRS_OK || vrs_frames_reader_open(&reader, path, NULL) != VRS_OK)
		return;
	struct vrs_graph_data *g = vrs_findings_add_graph(findings, "frame-time-over-time", "", VRS_GRAPH_LINES);
	if (reader.count > 2)
		add_intervals(g, &reader);
	vrs_frames_reader_close(&reader);
	if (g->series_count == 0)
		return;
	int count = load_samples(run, folder, &rows);
	add_samples(g, "clock", rows, count, clock_of, VRS_SERIES_RIGHT);
	vrs_free(rows);
	bool clock = g->series_count > 1;
	const char *why = "it was not sampled";
	for (int i = 0; i < result->unavailable_count; i++)
		if (strcmp(result->unavailable[i].key, "frequency_mhz") == 0)
			why = result->unavailable[i].reason;
	/* Which case, also in a picture that is shown by itself. */
	snprintf(g->title, sizeof g->title, "Frame time over time%s, %.56s", clock ? " and clock" : "", c->id);
	snprintf(g->x_label, sizeof g->x_label, "seconds since the job began");
	snprintf(g->y_label, sizeof g->y_label, "time between frames (ms)");
	snprintf(g->y2_label, sizeof g->y2_label, "clock (MHz)");
	if (clock)
		snprintf(g->caption, sizeof g->caption, "First run of %.120s; the clock is that of the fastest processor.", c->id);
	else
		snprintf(g->caption, sizeof g->caption, "First run of %.80s. No clock: %.140s.", c->id, why);
}

static void memory_graph(const struct vrs_result *result, const char *folder, struct vrs_findings *findings)
{
	struct vrs_graph_data *g = vrs_findings_add_graph(findings, "memory-over-time", "Memory over time", VRS_GRAPH_LINES);
	int shown = 0;
	snprintf(g->x_label, sizeof g->x_label, "seconds since the job began");
	snprintf(g->y_label, sizeof g->y_label, "resident memory (MiB)");
	snprintf(g->y2_label, sizeof g->y2_label, "GPU memory (MiB)");
	snprintf(g->caption, sizeof g->caption, "First run of each case, warm-up included; GPU memory is that of all processes.");
	for (int i = 0; i < result->case_count && shown < MEMORY_SERIES; i++) {
		const struct vrs_run *run = first_run(&result->cases[i]);
		struct vrs_sample *rows = NULL;
		int count = run ? load_samples(run, folder, &rows) : 0;
		if (count >= 2 && shown++ == 0)
			add_samples(g, "GPU memory", rows, count, device_mib_of, VRS_SERIES_RIGHT);
		if (count >= 2)
			add_samples(g, result->cases[i].id, rows, count, mib_of, VRS_SERIES_LINE);
		vrs_free(rows);
	}
	say_left_out(g, result, shown);
}

enum vrs_status vrs_run_graphs(const struct vrs_result *result, const char *folder, struct vrs_findings *findings)
{
	const struct vrs_case_result *base = vrs_result_find_case(result, result->default_case);
	if (!base && result->case_count)
		base = &result->cases[0];
	vrs_soak_graphs(result, folder, findings);
	tail_graph(result, folder, findings);
	vrs_latency_graph(result, folder, findings);
	if (base)
		time_graph(result, base, folder, findings);
	memory_graph(result, folder, findings);
	return vrs_findings_finish(findings);
}
