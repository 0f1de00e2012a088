/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/between.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/str_parse.h"

enum { OWN_SPREAD_RUNS = 6 };
static const double median_error = 1.2533; /* of a median against a mean: sqrt(pi / 2), for normal values */

/* Median of a headline over the runs that count, and the standard error of its logarithm; few runs take the calibrated spread. */
static enum vrs_status side_level(const struct vrs_case_result *c, vrs_figure figure, double stored_cv, double *ret_level, double *ret_se,
				int *ret_runs)
{
	double spread, *values = vrs_calloc((size_t)c->run_count + 1, sizeof *values);
	*ret_level = *ret_se = NAN;
	*ret_runs = values ? vrs_figure_values(c, figure, values) : 0;
	enum vrs_status status = !values ? VRS_ENOMEM : *ret_runs > 0 ? vrs_stats_median(values, *ret_runs, ret_level) : VRS_OK;
	if (status == VRS_OK && *ret_runs >= OWN_SPREAD_RUNS && vrs_stats_mad(values, *ret_runs, &spread) == VRS_OK)
		*ret_se = median_error * spread / *ret_level / sqrt(*ret_runs);
	else if (*ret_runs > 0)
		*ret_se = median_error * stored_cv / sqrt(*ret_runs);
	vrs_free(values);
	return status;
}

static void judge(struct vrs_between *s, struct vrs_comparison *c)
{
	double limit_low = log1p(-c->margin), limit_high = log1p(c->margin);
	bool large = s->d >= limit_high || s->d <= limit_low;
	c->low = expm1(s->low);
	c->high = expm1(s->high);
	c->cause = VRS_CAUSE_NONE;
	c->reason[0] = 0;
	c->final = true;
	if (s->low > limit_low && s->high < limit_high) {
		c->verdict = VRS_VERDICT_EQUIVALENT;
	} else if (s->low > 0 || s->high < 0) {
		c->verdict = s->low > 0 ? VRS_VERDICT_SLOWER : VRS_VERDICT_FASTER;
		c->gate = large;
		c->cause = large ? VRS_CAUSE_NONE : VRS_CAUSE_BELOW_MARGIN;
		if (!large)
			snprintf(c->reason, sizeof c->reason, "the change is real but smaller than %.1f %%", 100 * c->margin);
	} else {
		c->cause = VRS_CAUSE_PRECISION;
		snprintf(c->reason, sizeof c->reason, "the interval is too wide for a margin of %.1f %%", 100 * c->margin);
	}
}

/* Why nothing can be judged; "": it can. */
static void find_hindrance(const struct vrs_noise_record *record, const char *why_none, time_t now, const struct vrs_case_result *a,
			   const struct vrs_case_result *b, struct vrs_between *s)
{
	if (vrs_case_result_is_invalid(a) || vrs_case_result_is_invalid(b))
		snprintf(s->why, sizeof s->why, "the machine was disturbed while %s was measured", vrs_case_result_is_invalid(a) ? "A" : "B");
	else if (!record)
		snprintf(s->why, sizeof s->why, "%s", why_none);
	else if (vrs_noise_record_between(record, now, &s->sd, &s->freedom, &s->invocations) != VRS_OK)
		snprintf(s->why, sizeof s->why, "how invocations differ here is not known: %d calibration%s of the last %d days, an hour apart, give %d of %d "
			 "degrees of freedom", s->invocations, s->invocations == 1 ? "" : "s", VRS_NOISE_LEVELS_DAYS, s->freedom, VRS_NOISE_LEVELS_FREEDOM);
}

enum vrs_status vrs_between_judge(const struct vrs_noise_record *record, const char *why_none, time_t now, const struct vrs_case_result *a,
				  const struct vrs_case_result *b, struct vrs_comparison *ret, struct vrs_between *ret_steps)
{
	enum vrs_headline headline = b->live_hz > 0 ? VRS_HEADLINE_LATENCY : VRS_HEADLINE_FPS;
	vrs_figure figure = vrs_headline_figure(headline);
	struct vrs_between s = {.sd = NAN, .low = NAN, .high = NAN, .se = NAN};
	struct vrs_comparison c;
	double stored_cv = record ? record->run_cv : NAN;
	vrs_comparison_init(&c);
	vrs_strcpy(c.metric, sizeof c.metric, vrs_headline_name(headline));
	vrs_strcpy(c.unit, sizeof c.unit, headline == VRS_HEADLINE_FPS ? "frames/s" : "ms");
	enum vrs_status status = side_level(a, figure, stored_cv, &c.a, &s.se_a, &s.runs_a);
	if (status == VRS_OK)
		status = side_level(b, figure, stored_cv, &c.b, &s.se_b, &s.runs_b);
	if (status != VRS_OK)
		return status;
	s.d = headline == VRS_HEADLINE_FPS ? log(c.a / c.b) : log(c.b / c.a);
	c.change = expm1(s.d);
	c.cause = VRS_CAUSE_FEW_RUNS;
	find_hindrance(record, why_none, now, a, b, &s);
	if (!s.why[0] && !(isfinite(s.d) && isfinite(s.se_a) && isfinite(s.se_b)))
		snprintf(s.why, sizeof s.why, "a side has no figure, or no spread");
	if (!s.why[0]) {
		c.margin = fmin(fmax(vrs_verdict_options_default().margin, 1.5 * s.sd), 0.95);
		s.se = sqrt(2 * s.sd * s.sd + s.se_a * s.se_a + s.se_b * s.se_b);
		if (vrs_stats_student(s.d, s.se, s.freedom, VRS_VERDICT_ALPHA, &s.low, &s.high, &c.p) == VRS_OK)
			judge(&s, &c);
		else
			snprintf(s.why, sizeof s.why, "the calibrations show no spread at all");
	}
	if (s.why[0])
		snprintf(c.reason, sizeof c.reason, "%.191s", s.why);
	*ret = c;
	*ret_steps = s;
	return VRS_OK;
}
