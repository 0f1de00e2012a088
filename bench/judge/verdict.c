/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "base/verdict_line.h"

static const int looks[] = {8, 14, 20};
enum { LOOKS = sizeof looks / sizeof *looks };

struct vrs_verdict_options vrs_verdict_options_default(void)
{
	return (struct vrs_verdict_options){.margin = 0.02};
}

int vrs_verdict_exit_code(const struct vrs_comparison *comparison)
{
	switch (comparison->verdict) {
	case VRS_VERDICT_SLOWER:
		return comparison->gate ? VRS_EXIT_REGRESSION : VRS_EXIT_OK;
	case VRS_VERDICT_INCONCLUSIVE:
		return VRS_EXIT_INCONCLUSIVE;
	case VRS_VERDICT_INVALID:
		return VRS_EXIT_INVALID;
	default:
		return VRS_EXIT_OK;
	}
}

double vrs_verdict_mde(double sd, int n)
{
	double mde;
	bool known = n >= 2 && vrs_stats_mde(sd, n, &mde) == VRS_OK && mde < 20; /* beyond, a factor of 5e8, no file holds it */
	return known ? expm1(mde) : NAN;                                         /* sd is of logarithms: a doubling is ln 2 */
}

/* Pairs that would shrink the minimum detectable effect to the margin: n grows with the square. */
static int pairs_for_margin(const struct vrs_comparison *c)
{
	if (!(c->margin > 0) || !isfinite(c->mde))
		return 0;
	double ratio = log1p(c->mde) / log1p(c->margin), need = c->pairs * ratio * ratio;
	return need > 1e6 ? 0 : need <= c->pairs ? c->pairs + 1 : (int)ceil(need);
}

/* The two intervals of one shift contradict each other: disjoint, or on different sides of zero. */
static bool intervals_disagree(const struct vrs_shift *s)
{
	if (isnan(s->sign_low))
		return false;
	return s->sign_low > s->high || s->sign_high < s->low || (s->low > 0 && s->sign_high < 0) || (s->high < 0 && s->sign_low > 0);
}

static void VRS_PRINTF(3, 4) explain(struct vrs_comparison *c, enum vrs_cause cause, const char *fmt, ...)
{
	va_list args;
	c->cause = cause;
	va_start(args, fmt);
	(void)vsnprintf(c->reason, sizeof c->reason, fmt, args);
	va_end(args);
}

/* One look. EQUIVALENT is checked first; a significant change smaller than the margin waits for the last look. */
static void look_once(const struct vrs_shift *s, double margin, bool last, struct vrs_comparison *c)
{
	double limit_low = log1p(-margin), limit_high = log1p(margin);
	bool large = s->estimate >= limit_high || s->estimate <= limit_low;
	c->final = true;
	c->gate = false;
	c->cause = VRS_CAUSE_NONE;
	c->reason[0] = 0;
	if (intervals_disagree(s)) {
		c->verdict = VRS_VERDICT_INCONCLUSIVE;
		c->final = last;
		explain(c, VRS_CAUSE_DISAGREE, "signed-rank and sign intervals contradict each other");
	} else if (s->low > limit_low && s->high < limit_high) {
		c->verdict = VRS_VERDICT_EQUIVALENT;
	} else if ((s->low > 0 || s->high < 0) && (large || last)) {
		c->verdict = s->low > 0 ? VRS_VERDICT_SLOWER : VRS_VERDICT_FASTER;
		c->gate = large;
		if (!large)
			explain(c, VRS_CAUSE_BELOW_MARGIN, "the change is real but smaller than %.1f %%", 100 * margin);
	} else {
		c->verdict = VRS_VERDICT_INCONCLUSIVE;
		c->final = last;
		explain(c, VRS_CAUSE_PRECISION, "the interval is too wide for a margin of %.1f %%", 100 * margin);
	}
}

static double robust_sd(const double *d, int n)
{
	double mad;
	return vrs_stats_mad(d, n, &mad) == VRS_OK ? mad : NAN;
}

static enum vrs_status evaluate(const double *d, int n, double alpha, bool last, const struct vrs_verdict_options *options,
				struct vrs_comparison *c)
{
	struct vrs_shift shift;
	enum vrs_status status = vrs_stats_shift(d, n, alpha, &shift);
	if (status != VRS_OK)
		return status;
	double sd = robust_sd(d, n);
	c->margin = fmax(options->margin, vrs_verdict_noise_margin(options->pair_sd, n));
	c->pairs = n;
	c->change = expm1(shift.estimate);
	c->p = shift.p;
	c->mde = vrs_verdict_mde(sd, n);
	c->low = shift.has_interval ? expm1(shift.low) : NAN;
	c->high = shift.has_interval ? expm1(shift.high) : NAN;
	if (n < VRS_VERDICT_MIN_PAIRS || !shift.has_interval) {
		c->verdict = VRS_VERDICT_INCONCLUSIVE;
		c->final = last && n >= VRS_VERDICT_MIN_PAIRS;
		c->pairs_needed = n < VRS_VERDICT_MIN_PAIRS ? VRS_VERDICT_MIN_PAIRS : n + 1;
		explain(c, VRS_CAUSE_FEW_RUNS, "%d pair%s, at least %d are needed", n, n == 1 ? "" : "s", c->pairs_needed);
		return VRS_OK;
	}
	look_once(&shift, c->margin, last, c);
	c->pairs_needed = c->verdict == VRS_VERDICT_INCONCLUSIVE ? pairs_for_margin(c) : 0;
	return VRS_OK;
}

/* Every look in turn, as they would have come: what an early look has decided stays decided. */
static enum vrs_status evaluate_looks(const double *d, int n, const struct vrs_verdict_options *options, struct vrs_comparison *c)
{
	if (n < looks[0])
		return evaluate(d, n, VRS_VERDICT_LOOK_ALPHA, false, options, c);
	for (int i = 0; i < LOOKS && looks[i] <= n; i++) {
		enum vrs_status status = evaluate(d, looks[i], VRS_VERDICT_LOOK_ALPHA, i == LOOKS - 1, options, c);
		if (status != VRS_OK || c->final)
			return status;
	}
	return VRS_OK;
}

enum vrs_status vrs_verdict_pairs(const double *a, const double *b, int n, const struct vrs_verdict_options *options, struct vrs_comparison *ret)
{
	double d[VRS_STATS_MAX_PAIRS];
	struct vrs_comparison c;
	vrs_comparison_init(&c);
	c.margin = fmax(options->margin, vrs_verdict_noise_margin(options->pair_sd, n));
	if (n < 0 || n > VRS_STATS_MAX_PAIRS || !isfinite(options->margin + options->pair_sd) || options->margin < 0 || c.margin >= 1)
		return VRS_EINVAL;
	for (int i = 0; i < n; i++) {
		if (!(isfinite(a[i]) && isfinite(b[i]) && a[i] > 0 && b[i] > 0))
			return VRS_EINVAL;
		d[i] = options->larger_is_better ? log(a[i] / b[i]) : log(b[i] / a[i]);
	}
	enum vrs_status status = VRS_OK;
	if (n == 0) {
		c.pairs_needed = VRS_VERDICT_MIN_PAIRS;
		explain(&c, VRS_CAUSE_FEW_RUNS, "no pairs, at least %d are needed", c.pairs_needed);
	} else if (options->alpha > 0) {
		status = evaluate(d, n, options->alpha, true, options, &c);
	} else {
		status = evaluate_looks(d, n, options, &c);
	}
	if (status == VRS_OK && options->invalid) {
		c.verdict = VRS_VERDICT_INVALID;
		c.final = true;
		c.gate = false;
		explain(&c, options->invalid, "%s", options->why);
	}
	if (status == VRS_OK)
		*ret = c;
	return status;
}

/* Order of runs by round and session; those of other cases at the same place ran beside them, and not hours before. */
static int64_t place_of(const struct vrs_run *run)
{
	return (int64_t)run->round << 32 | run->session;
}

/* The run that counts at the first place after that one; NULL: there is none. A resumed measurement may hold runs in another order. */
static const struct vrs_run *next_run(const struct vrs_case_result *c, int64_t place)
{
	const struct vrs_run *next = NULL;
	for (int i = 0; i < c->run_count; i++) {
		const struct vrs_run *run = &c->runs[i];
		if (place_of(run) > place && (!next || place_of(run) < place_of(next)) && vrs_run_counts(run))
			next = run;
	}
	return next;
}

int vrs_verdict_collect(const struct vrs_case_result *a, const struct vrs_case_result *b, vrs_figure figure, int max, double *ret_a, double *ret_b,
			int *ret_rounds)
{
	int n = 0;
	for (const struct vrs_run *p = next_run(a, UINT32_MAX); p && n < max; p = next_run(a, place_of(p))) { /* from round 1 on */
		const struct vrs_run *q = next_run(b, place_of(p) - 1);
		double x = figure(p), y = q && place_of(q) == place_of(p) ? figure(q) : NAN;
		if (!(isfinite(x) && isfinite(y) && x > 0 && y > 0))
			continue;
		if (ret_rounds)
			ret_rounds[n] = p->round;
		ret_a[n] = x;
		ret_b[n++] = y;
	}
	return n;
}

double vrs_verdict_noise_margin(double pair_sd, int pairs)
{
	return 1.5 * pair_sd * sqrt((double)VRS_VERDICT_MAX_PAIRS / (pairs > VRS_VERDICT_MAX_PAIRS ? pairs : VRS_VERDICT_MAX_PAIRS));
}

double vrs_verdict_pair_sd(const struct vrs_case_result *a, const struct vrs_case_result *b)
{
	const double most = 0.6; /* a margin of 90 %: pairs as wild as that decide nothing anyway */
	double sd = fmax(a->pair_sd, b->pair_sd); /* of a number and NaN the number */
	return isnan(sd) ? 0 : fmin(sd, most);
}

vrs_figure vrs_headline_figure(enum vrs_headline headline)
{
	return headline == VRS_HEADLINE_LATENCY ? vrs_figure_latency_ms : vrs_figure_fps;
}

const char *vrs_headline_name(enum vrs_headline headline)
{
	return headline == VRS_HEADLINE_LATENCY ? "latency_p50" : "fps";
}

enum vrs_status vrs_verdict_cases(const struct vrs_case_result *a, const struct vrs_case_result *b, enum vrs_headline headline, double alpha,
				  struct vrs_comparison *ret)
{
	double x[VRS_STATS_MAX_PAIRS], y[VRS_STATS_MAX_PAIRS];
	struct vrs_verdict_options options = vrs_verdict_options_default();
	options.larger_is_better = headline == VRS_HEADLINE_FPS;
	options.alpha = alpha;
	options.pair_sd = vrs_verdict_pair_sd(a, b);
	int n = vrs_verdict_collect(a, b, vrs_headline_figure(headline), VRS_STATS_MAX_PAIRS, x, y, NULL);
	enum vrs_status status = n > 0 ? vrs_verdict_pairs(x, y, n, &options, ret) : VRS_ENOTFOUND;
	if (status == VRS_OK)
		vrs_strcpy(ret->metric, sizeof ret->metric, vrs_headline_name(headline));
	return status;
}

enum vrs_status vrs_verdict_family(struct vrs_comparison *const *items, int n)
{
	double *p = vrs_calloc(2 * (size_t)n + 1, sizeof *p), *adjusted = p ? p + n : NULL;
	if (!p)
		return VRS_ENOMEM;
	for (int i = 0; i < n; i++)
		p[i] = isfinite(items[i]->p) ? items[i]->p : 1;
	enum vrs_status status = n > 0 ? vrs_stats_holm(p, n, adjusted) : VRS_OK;
	for (int i = 0; i < n && status == VRS_OK; i++) {
		struct vrs_comparison *c = items[i];
		c->holm_p = adjusted[i];
		if ((c->verdict != VRS_VERDICT_FASTER && c->verdict != VRS_VERDICT_SLOWER) || c->holm_p <= VRS_VERDICT_ALPHA)
			continue;
		c->verdict = VRS_VERDICT_INCONCLUSIVE;
		c->gate = false;
		explain(c, VRS_CAUSE_HOLM, "alone it would be proven, among %d comparisons it is not", n);
	}
	vrs_free(p);
	return status;
}

int vrs_verdict_family_rounds(int n)
{
	int rounds = VRS_VERDICT_MIN_PAIRS;
	while (ldexp(n, 1 - rounds) > VRS_VERDICT_ALPHA)
		rounds++;
	return rounds;
}

bool vrs_verdict_is_proven(const struct vrs_comparison *c)
{
	return c->pairs >= VRS_VERDICT_MIN_PAIRS && (isnan(c->holm_p) ? c->p : c->holm_p) <= VRS_VERDICT_ALPHA;
}

bool vrs_verdict_is_gain(const struct vrs_comparison *c)
{
	return c->verdict == VRS_VERDICT_FASTER && c->gate;
}

const char *vrs_verdict_word(const struct vrs_comparison *c)
{
	bool size = strcmp(c->metric, "size") == 0, iou = strcmp(c->metric, "iou") == 0;
	if (c->verdict == VRS_VERDICT_FASTER && (size || iou))
		return size ? "SMALLER" : "BETTER";
	if (c->verdict == VRS_VERDICT_SLOWER && (size || iou))
		return size ? "LARGER" : "WORSE";
	return vrs_name_of(&vrs_verdict_names, c->verdict);
}

void vrs_verdict_line(const struct vrs_comparison *c, char *buf, size_t size)
{
	vrs_verdict_line_begin(buf, size, vrs_verdict_word(c));
	vrs_verdict_line_keys(c, buf, size);
}

void vrs_verdict_line_keys(const struct vrs_comparison *c, char *buf, size_t size)
{
	vrs_verdict_line_put(buf, size, "metric", "%s", c->metric);
	if (isfinite(c->change))
		vrs_verdict_line_put(buf, size, "delta", "%+.1f%%", 100 * c->change);
	if (isfinite(c->low) && isfinite(c->high))
		vrs_verdict_line_put(buf, size, "ci", "[%+.1f,%+.1f]", 100 * c->low, 100 * c->high);
	vrs_verdict_line_put(buf, size, "n", "%d", c->pairs);
	if (isfinite(c->margin))
		vrs_verdict_line_put(buf, size, "margin", "%.1f%%", 100 * c->margin);
	if (isfinite(c->mde))
		vrs_verdict_line_put(buf, size, "mde", "%.1f%%", 100 * c->mde);
	if (c->cause != VRS_CAUSE_NONE)
		vrs_verdict_line_put(buf, size, "reason", "%s", vrs_name_of(&vrs_cause_names, c->cause));
}
