/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/figures/case_summary.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "bench/record/frame_metrics.h"

/* One pooled percentile, or the reason why it is absent. */
static void pooled_percentile(const struct vrs_frame_pool *pool, const double *sorted, double p, double stored_deff, double *ret_ms, char *note,
			      size_t note_size)
{
	double value, deff, low, high;
	*ret_ms = NAN;
	note[0] = 0;
	if (pool->count == 0 || vrs_stats_quantile(pool->interval_ms, (int)pool->count, p, &value) != VRS_OK) {
		snprintf(note, note_size, "no frame times");
		return;
	}
	/*
	 * The design effect of this session alone is no licence to answer (it is small exactly in lucky sessions), so beyond the median a value
	 * without a stored calibration stays marked; but a bad one is reason enough to refuse.
	 */
	if (vrs_stats_design_effect(pool->interval_ms, pool->count, pool->run_starts, pool->runs, value, &deff) != VRS_OK)
		deff = 1;
	deff = fmax(deff, stored_deff);
	long missing = vrs_stats_frames_missing(pool->count, p, p > 0.5 ? deff : 1);
	if (missing > 0) {
		snprintf(note, note_size, "needs %ld more frames", missing);
		return;
	}
	*ret_ms = value;
	if (p > 0.5 && isnan(stored_deff))
		snprintf(note, note_size, "uncalibrated");
	else if (vrs_stats_burst_interval(sorted, pool->count, p, p > 0.5 ? deff : 1, &low, &high) == VRS_OK && p > 0.5)
		snprintf(note, note_size, "95 %% interval %.2f to %.2f ms at design effect %.1f", low, high, deff);
}

/* Of very long runs the first hours stand for all. */
static void tell_cut(struct vrs_case_result *c, const struct vrs_frame_pool *pool)
{
	int64_t all = 0;
	c->pooled_note[0] = 0;
	for (int i = 0; i < c->run_count; i++)
		all += vrs_case_result_uses(c, &c->runs[i]) ? c->runs[i].frames : 0;
	if (pool->cut)
		snprintf(c->pooled_note, sizeof c->pooled_note, "the first %ld of %lld times between frames", pool->count, (long long)all);
}

static enum vrs_status pool_percentiles(struct vrs_case_result *c, const char *dir)
{
	struct vrs_frame_pool pool;
	enum vrs_status status = vrs_frame_pool_load(&pool, c, dir);
	if (status != VRS_OK)
		return status;
	c->pooled_frames = pool.count;
	tell_cut(c, &pool);
	double *sorted;
	status = vrs_stats_sorted(pool.interval_ms, pool.count, &sorted);
	if (status == VRS_OK) {
		pooled_percentile(&pool, sorted, 0.50, NAN, &c->p50_ms, c->p50_note, sizeof c->p50_note);
		pooled_percentile(&pool, sorted, 0.95, c->deff95, &c->p95_ms, c->p95_note, sizeof c->p95_note);
		pooled_percentile(&pool, sorted, 0.99, c->deff99, &c->p99_ms, c->p99_note, sizeof c->p99_note);
		vrs_free(sorted);
	}
	vrs_frame_pool_fini(&pool);
	return status;
}

enum vrs_status vrs_case_result_summarize(struct vrs_case_result *c, const char *dir)
{
	for (int i = 0; i < c->run_count; i++)
		if (c->runs[i].status == VRS_RUN_OK && !isfinite(c->runs[i].fps))
			return VRS_EINVAL;
	enum vrs_status status = vrs_case_result_estimate(c);
	vrs_live_judge(c);
	return status == VRS_OK ? pool_percentiles(c, dir) : status;
}
