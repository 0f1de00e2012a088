/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The estimates of a case: made of its runs when it is measured, and again when it is read. */
#include <math.h>
#include <stddef.h>

#include "base/mem.h"
#include "bench/record/result.h"

double vrs_run_ms_per_frame(const struct vrs_run *run, double seconds)
{
	return run->frames > 0 ? 1e3 * seconds / (double)run->frames : NAN;
}

static double cpu_ms(const struct vrs_run *run)
{
	return vrs_run_ms_per_frame(run, run->cpu_seconds);
}

static double peak_rss(const struct vrs_run *run)
{
	return run->peak_rss_bytes >= 0 ? (double)run->peak_rss_bytes : NAN;
}

/* Of values that a run does not hold as doubles. */
static enum vrs_status estimate_derived(const struct vrs_case_result *c, double (*value)(const struct vrs_run *run), double *values,
					struct vrs_estimate *ret)
{
	int n = 0;
	for (int i = 0; i < c->run_count; i++) {
		double one = vrs_case_result_uses(c, &c->runs[i]) ? value(&c->runs[i]) : NAN;
		if (isfinite(one))
			values[n++] = one;
	}
	return vrs_stats_estimate(values, n, ret);
}

enum vrs_status vrs_case_result_estimate(struct vrs_case_result *c)
{
	const struct { size_t offset; struct vrs_estimate *ret; } stored[] = {
		{offsetof(struct vrs_run, fps), &c->fps},
		{offsetof(struct vrs_run, frame_median_ms), &c->frame_ms},
		{offsetof(struct vrs_run, latency_median_ms), &c->latency_ms},
		{offsetof(struct vrs_run, live_miss_percent), &c->live_miss_percent},
	};
	double *values = vrs_realloc_array(NULL, (size_t)c->run_count + 1, sizeof *values);
	enum vrs_status status = values ? VRS_OK : VRS_ENOMEM;
	for (size_t i = 0; i < sizeof stored / sizeof *stored && status == VRS_OK; i++)
		status = vrs_stats_estimate(values, vrs_case_result_values(c, stored[i].offset, values), stored[i].ret);
	if (status == VRS_OK)
		status = estimate_derived(c, peak_rss, values, &c->peak_rss);
	if (status == VRS_OK)
		status = estimate_derived(c, cpu_ms, values, &c->cpu_ms_per_frame);
	vrs_free(values);
	return status;
}
