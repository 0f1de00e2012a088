/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the frame times of runs: how long frames are under way, as a distribution, and the episodes of slow frames. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/run_graphs.h"
#include "base/file.h"
#include "base/mem.h"
#include "bench/record/frames_file.h"
#include "bench/stats/stats.h"

enum { SERIES = 6, POINTS = 400, EPISODE_CASES = 64, APART = 10 }; /* frames between episodes, as of vrs_stats_episodes */
static const double slow_factor = 2; /* times the median */

/* What the slow frames of a case come to. */
struct slow {
	long frames, slow, episodes, longest; /* longest: slow frames of one episode */
	double limit_ms, worst_ms, first_s;   /* of its run, from the beginning of the job */
};

/* Latencies of all good runs of a case, at most VRS_FRAME_POOL_MAX. */
static enum vrs_status load_latencies(const struct vrs_case_result *c, const char *folder, double **ret, long *ret_count)
{
	double *values = vrs_calloc(VRS_FRAME_POOL_MAX, sizeof *values);
	long n = 0;
	*ret = values;
	*ret_count = 0;
	if (!values)
		return VRS_ENOMEM;
	for (int r = 0; r < c->run_count; r++) {
		char path[VRS_PATH_MAX];
		struct vrs_frames_reader reader;
		struct vrs_frame_times times;
		const struct vrs_run *run = &c->runs[r];
		if (!vrs_case_result_uses(c, run) || !vrs_frames_name_is_inside(run->frames_file) ||
		    vrs_path_join(path, sizeof path, folder, run->frames_file) != VRS_OK || vrs_frames_reader_open(&reader, path, NULL) != VRS_OK)
			continue;
		for (bool first = true; n < VRS_FRAME_POOL_MAX && vrs_frames_reader_next(&reader, &times, NULL) == VRS_OK; first = false) {
			uint64_t from = reader.has_intended ? times.intended_ns : times.start_ns[VRS_STAGE_DECODE], to = times.end_ns[VRS_STAGE_ENCODE];
			if (!first && to > from) /* the first frame is that of the warm-up */
				values[n++] = 1e-6 * (double)(to - from);
		}
		vrs_frames_reader_close(&reader);
	}
	*ret_count = n;
	return VRS_OK;
}

/* Quantiles evenly spaced, from the fastest to the slowest frame. */
static enum vrs_status fill_distribution(struct vrs_series *s, const double *values, int count)
{
	double *sorted = NULL;
	enum vrs_status status = vrs_stats_sorted(values, count, &sorted);
	for (int k = 0; k < s->points && status == VRS_OK; k++) {
		double share = s->points > 1 ? (double)k / (s->points - 1) : 1;
		s->x[k] = sorted[(long)floor(share * (count - 1))];
		s->y[k] = 100 * share;
	}
	vrs_free(sorted);
	return status;
}

void vrs_latency_graph(const struct vrs_result *result, const char *folder, struct vrs_findings *findings)
{
	struct vrs_graph_data *g = vrs_findings_add_graph(findings, "latency", "Latency: how many frames are done within", VRS_GRAPH_STEPS);
	int with = 0;
	snprintf(g->x_label, sizeof g->x_label, "latency of a frame (ms)");
	snprintf(g->y_label, sizeof g->y_label, "share of frames done (%%)");
	g->log_x = true;
	for (int i = 0; i < result->case_count && g->series_count < SERIES; i++) {
		double *values = NULL;
		long count = 0;
		enum vrs_status status = load_latencies(&result->cases[i], folder, &values, &count);
		if (status == VRS_OK && count >= 2) {
			struct vrs_series *s = vrs_graph_add_series(g, result->cases[i].id, count < POINTS ? (int)count : POINTS, false);
			status = s ? fill_distribution(s, values, (int)count) : VRS_ENOMEM;
		}
		if (status != VRS_OK)
			vrs_findings_fail(findings, status);
		vrs_free(values);
	}
	for (int i = 0; i < result->case_count; i++)
		with += vrs_case_result_ok_runs(&result->cases[i]) > 0;
	snprintf(g->caption, sizeof g->caption, "From the start of decoding (live: the intended start) to the end of encoding, all runs.");
	if (g->series_count < with)
		snprintf(g->caption + strlen(g->caption), sizeof g->caption - strlen(g->caption), " The first %d of %d cases are drawn.", g->series_count, with);
}

/* Slow frames of a run into what the case has: a new episode begins where APART frames before were not slow. */
static void add_run(const double *ms, long n, double limit, struct slow *s)
{
	long last = -APART - 1, size = 0;
	double seconds = 0;
	for (long i = 0; i < n; i++) {
		seconds += 1e-3 * ms[i];
		s->worst_ms = fmax(s->worst_ms, ms[i]);
		if (ms[i] <= limit)
			continue;
		bool fresh = i - last >= APART;
		size = fresh ? 1 : size + 1;
		s->episodes += fresh;
		s->slow++;
		s->longest = size > s->longest ? size : s->longest;
		if (s->slow == 1)
			s->first_s = seconds;
		last = i;
	}
	s->frames += n;
}

static enum vrs_status find_slow(const struct vrs_case_result *c, const char *folder, struct slow *ret)
{
	struct vrs_frame_pool pool;
	double median = NAN;
	*ret = (struct slow){.first_s = NAN};
	enum vrs_status status = vrs_frame_pool_load(&pool, c, folder);
	bool enough = status == VRS_OK && pool.count >= 2;
	if (enough)
		status = vrs_stats_median(pool.interval_ms, (int)pool.count, &median);
	for (int r = 0; enough && status == VRS_OK && r < pool.runs; r++) {
		long from = pool.run_starts[r], to = r + 1 < pool.runs ? pool.run_starts[r + 1] : pool.count;
		ret->limit_ms = slow_factor * median;
		add_run(pool.interval_ms + from, to - from, ret->limit_ms, ret);
	}
	vrs_frame_pool_fini(&pool);
	return status;
}

void vrs_slow_table(const struct vrs_result *result, const char *folder, struct vrs_findings *findings)
{
	static const char *const heads[] = {"case", "frames", "slow", "episodes", "longest", "limit (ms)", "worst (ms)", "first after (s)"};
	struct vrs_table *t = vrs_findings_start_table(findings, "slow", "Slow frames and their episodes", heads, sizeof heads / sizeof *heads, 1);
	for (int i = 0; i < result->case_count && t->rows < EPISODE_CASES; i++) {
		struct slow s;
		enum vrs_status status = find_slow(&result->cases[i], folder, &s);
		if (status != VRS_OK)
			vrs_findings_fail(findings, status);
		if (status != VRS_OK || s.frames == 0)
			continue;
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s", result->cases[i].id);
		vrs_table_set(t, 1, "%ld", s.frames);
		vrs_table_set(t, 2, "%ld", s.slow);
		vrs_table_set(t, 3, "%ld", s.episodes);
		vrs_table_set(t, 4, "%ld", s.longest);
		vrs_table_set_number(t, 5, "%.1f", s.limit_ms);
		vrs_table_set_number(t, 6, "%.1f", s.worst_ms);
		vrs_table_set_number(t, 7, "%.1f", s.first_s);
	}
	snprintf(t->caption, sizeof t->caption, "Slow: longer than twice the case's median. Slow frames less than %d apart are one episode; "
			 "longest: slow frames of one. First: seconds of measuring in its run.%s", APART, t->rows == EPISODE_CASES && result->case_count > EPISODE_CASES
		 ? " The first 64 cases are read." : "");
}
