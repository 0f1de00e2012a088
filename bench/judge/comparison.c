/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/comparison.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"
#include "bench/judge/noise_gate.h"

enum { MIN_LAG_PAIRS = 8 };
static const double lag_limit = 0.5;

static double p50_of(const struct vrs_run *run)
{
	return run->frame_median_ms;
}

static double memory_of(const struct vrs_run *run)
{
	return run->peak_rss_bytes > 0 ? (double)run->peak_rss_bytes / 1048576 : NAN;
}

static double start_of(const struct vrs_run *run)
{
	return run->load_ms + run->first_frame_ms;
}

/* Frames per cycle, up to a factor that cancels. */
static double fps_per_mhz(const struct vrs_run *run)
{
	return run->fps / run->frequency_mhz;
}

static const struct metric {
	const char *name, *unit;
	vrs_figure get;
	bool larger_is_better;
} metrics[] = {
	{"fps", "frames/s", vrs_figure_fps, true},
	{"cpu", "ms/frame", vrs_figure_cpu_ms, false},
	{"frame_p50", "ms", p50_of, false},
	{"latency_p50", "ms", vrs_figure_latency_ms, false},
	{"peak_memory", "MiB", memory_of, false},
	{"start", "ms", start_of, false}, /* where it is asked for */
	{"size", "bytes/frame", vrs_figure_output_bytes, false}, /* where it decides */
};
enum { SIZE = sizeof metrics / sizeof *metrics - 1, METRICS = SIZE, START = SIZE - 1, HEADLINE = 0, LIVE_HEADLINE = 3 };

/* Autocorrelation at lag 1 of the log ratios; NaN with too few of them. */
static double lag1(const double *a, const double *b, int n)
{
	double d[VRS_STATS_MAX_PAIRS], value;
	for (int i = 0; i < n; i++)
		d[i] = log(b[i] / a[i]);
	return n >= MIN_LAG_PAIRS && vrs_stats_lag1(d, n, &value) == VRS_OK ? value : NAN;
}

static void add_warning(struct vrs_compare_details *d, const char *words, const char *side)
{
	size_t used = strlen(d->warning);
	if (words[0])
		(void)snprintf(d->warning + used, sizeof d->warning - used, "%s%s: %s", used ? "; " : "", side, words);
}

static void choose_margin(const struct vrs_compare_options *options, const struct vrs_case_result *a, const struct vrs_case_result *b,
			  struct vrs_compare_details *d, struct vrs_verdict_options *v)
{
	double level = 0;
	d->base_margin = options->margin > 0 ? options->margin : v->margin;
	if (options->by == VRS_COMPARE_BY_SPEED) /* the noise is that of time */
		d->pair_share = vrs_verdict_noise_margin(vrs_verdict_pair_sd(a, b), options->alpha > 0 ? d->pairs : VRS_VERDICT_MAX_PAIRS);
	if (options->by == VRS_COMPARE_BY_SPEED && d->pairs > 0 && vrs_stats_median(d->a, d->pairs, &level) == VRS_OK)
		d->floor_share = VRS_COMPARE_FLOOR_MS / (d->larger_is_better ? 1000 / level : level);
	d->soft = d->warning[0] != 0;
	double margin = fmax(fmax(d->base_margin, d->pair_share), d->floor_share);
	v->margin = fmin(d->soft ? VRS_GATE_SOFT_MARGIN * margin : margin, 0.95);
}

/* A difference in time that is none in cycles belongs to the clock, not to the code. */
static void check_cycles(const struct vrs_case_result *a, const struct vrs_case_result *b, const struct vrs_verdict_options *v,
			 struct vrs_compare_details *d, struct vrs_comparison *c)
{
	double x[VRS_STATS_MAX_PAIRS], y[VRS_STATS_MAX_PAIRS];
	struct vrs_comparison cycles;
	struct vrs_verdict_options fixed = *v;
	fixed.alpha = VRS_VERDICT_ALPHA;
	int n = vrs_verdict_collect(a, b, fps_per_mhz, c->pairs, x, y, NULL);
	if (n < VRS_VERDICT_MIN_PAIRS || n < c->pairs || vrs_verdict_pairs(x, y, n, &fixed, &cycles) != VRS_OK)
		return;
	d->has_cycles = true;
	d->cycle_change = cycles.change;
	d->cycle_low = cycles.low;
	d->cycle_high = cycles.high;
	bool moved = c->verdict == VRS_VERDICT_FASTER || c->verdict == VRS_VERDICT_SLOWER;
	if (!moved || !(cycles.low <= 0 && cycles.high >= 0))
		return;
	c->verdict = VRS_VERDICT_INCONCLUSIVE;
	c->gate = false;
	c->cause = VRS_CAUSE_CLOCK;
	snprintf(c->reason, sizeof c->reason, "the time differs but the cycles do not; fix the clock (governor performance, turbo off)");
}

static void name_metric(const struct metric *m, const double *a, const double *b, int n, struct vrs_comparison *c)
{
	vrs_strcpy(c->metric, sizeof c->metric, m->name);
	vrs_strcpy(c->unit, sizeof c->unit, m->unit);
	if (n > 0) {
		(void)vrs_stats_median(a, n, &c->a); /* checked before: finite, and at least one */
		(void)vrs_stats_median(b, n, &c->b);
	}
}

/* The others; of the pairs that the first one rests on. */
static enum vrs_status compare_secondary(struct vrs_result *result, const struct vrs_case_result *a, const struct vrs_case_result *b, int headline,
					 double margin, const struct vrs_compare_options *options)
{
	double x[VRS_STATS_MAX_PAIRS], y[VRS_STATS_MAX_PAIRS];
	const struct vrs_comparison *first = &result->comparisons[0];
	struct vrs_comparison *family[METRICS];
	int members = 0;
	for (int i = 0; i < METRICS; i++) {
		struct vrs_verdict_options v = {.margin = margin, .alpha = VRS_VERDICT_ALPHA, .larger_is_better = metrics[i].larger_is_better};
		if (i == headline || (i == HEADLINE && b->live_hz > 0)) /* the rate of live runs is given */
			continue;
		if (i == START && !options->start)
			continue;
		int n = vrs_verdict_collect(a, b, metrics[i].get, first->pairs, x, y, NULL);
		if (n == 0)
			continue;
		struct vrs_comparison *c = &result->comparisons[result->comparison_count];
		enum vrs_status status = vrs_verdict_pairs(x, y, n, &v, c);
		if (status != VRS_OK)
			return status;
		name_metric(&metrics[i], x, y, n, c);
		family[members++] = c;
		result->comparison_count++;
	}
	return options->alone ? VRS_OK : vrs_verdict_family(family, members);
}

void vrs_compare_other_mattes(const struct vrs_case_result *a, const struct vrs_case_result *b, char *buf, size_t size)
{
	(void)snprintf(buf, size, "%d mattes of A and %d of B were compared with truth; longer runs make them equal (--min-frames)",
		       vrs_case_result_mattes(a), vrs_case_result_mattes(b));
}

/* Why IoU decides nothing. */
static void iou_hindrance(const struct vrs_case_result *a, const struct vrs_case_result *b, int first, char *buf, size_t size)
{
	if (first < 0)
		vrs_compare_other_mattes(a, b, buf, size);
	else
		(void)snprintf(buf, size, "no matte of %s was compared with truth", isfinite(vrs_case_result_median(a, offsetof(struct vrs_run, iou))) ? "B" : "A");
}

/* What a judged difference cannot say in its figures. */
static void iou_words(const struct vrs_comparison *c, int first, char *buf, size_t size)
{
	if (!isfinite(c->change))
		(void)snprintf(buf, size, "IoU is %.4f and %.4f", c->a, c->b);
	if (first > 0) {
		size_t used = strlen(buf);
		(void)snprintf(buf + used, size - used, "%sover the first %d mattes, which both have", used ? ", " : "", first);
	}
}

/* IoU is the same in every run: one difference over the mattes that both have, against the margin of IoU. */
static void compare_iou(const struct vrs_case_result *a, const struct vrs_case_result *b, const struct vrs_compare_options *options,
			struct vrs_compare_details *d, struct vrs_comparison *c)
{
	double margin = vrs_quality_figure_info(VRS_FIGURE_IOU)->margin;
	vrs_comparison_init(c);
	vrs_strcpy(c->metric, sizeof c->metric, "iou");
	int first = vrs_case_result_common_quality(a, b, VRS_FIGURE_IOU, &c->a, &c->b);
	double change = c->b - c->a;
	for (int i = 0; i < d->pairs; i++) {
		d->a[i] = c->a;
		d->b[i] = c->b;
	}
	c->pairs = d->pairs;
	c->final = true;
	c->margin = d->base_margin = c->a > margin ? margin / c->a : NAN; /* of less there is no share */
	c->verdict = VRS_VERDICT_INCONCLUSIVE;
	if (options->invalid) {
		c->verdict = VRS_VERDICT_INVALID;
		c->cause = options->invalid;
		snprintf(c->reason, sizeof c->reason, "%.190s", options->why ? options->why : "");
	} else if (!isfinite(change)) {
		c->cause = VRS_CAUSE_FEW_RUNS;
		iou_hindrance(a, b, first, c->reason, sizeof c->reason);
	} else {
		c->change = vrs_compare_iou_cost(c->a, c->b);
		c->gate = fabs(change) > margin;
		c->verdict = !c->gate ? VRS_VERDICT_EQUIVALENT : change > 0 ? VRS_VERDICT_FASTER : VRS_VERDICT_SLOWER;
		iou_words(c, first, c->reason, sizeof c->reason);
	}
}

double vrs_compare_iou_cost(double a, double b)
{
	return b > 0 ? a / b - 1 : a > 0 ? NAN : 0; /* nobody found at all costs more than any share */
}

/* By the pairs of a metric. */
static enum vrs_status compare_pairs(const struct vrs_case_result *a, const struct vrs_case_result *b, int headline,
				     const struct vrs_compare_options *options, struct vrs_compare_details *d, struct vrs_comparison *c)
{
	struct vrs_verdict_options v = vrs_verdict_options_default();
	choose_margin(options, a, b, d, &v);
	v.larger_is_better = metrics[headline].larger_is_better;
	v.invalid = options->invalid;
	v.why = options->why;
	v.alpha = options->alpha;
	enum vrs_status status = vrs_verdict_pairs(d->a, d->b, d->pairs, &v, c);
	if (status != VRS_OK)
		return status;
	if (c->verdict != VRS_VERDICT_INVALID && headline == HEADLINE)
		check_cycles(a, b, &v, d, c);
	name_metric(&metrics[headline], d->a, d->b, c->pairs, c);
	return VRS_OK;
}

enum vrs_status vrs_compare(struct vrs_result *result, const struct vrs_case_result *a, const struct vrs_case_result *b,
			    const struct vrs_compare_options *options, struct vrs_comparison *ret_headline, struct vrs_compare_details *ret_details)
{
	struct vrs_compare_details *d = ret_details;
	struct vrs_comparison c;
	bool by_iou = options->by == VRS_COMPARE_BY_IOU;
	int headline = options->by == VRS_COMPARE_BY_SIZE ? SIZE : b->live_hz > 0 ? LIVE_HEADLINE : HEADLINE;
	const struct metric *m = &metrics[headline];
	enum vrs_status status = VRS_OK;
	*d = (struct vrs_compare_details){.metric = by_iou ? "iou" : m->name, .larger_is_better = by_iou || m->larger_is_better, .lag1 = NAN,
					 .cycle_change = NAN, .cycle_low = NAN, .cycle_high = NAN};
	result->comparison_count = 0;
	d->pairs = vrs_verdict_collect(a, b, m->get, VRS_STATS_MAX_PAIRS, d->a, d->b, d->round);
	d->lag1 = lag1(d->a, d->b, d->pairs);
	add_warning(d, a->warning, "A");
	add_warning(d, b->warning, "B");
	if (d->lag1 > lag_limit && options->by == VRS_COMPARE_BY_SPEED)
		add_warning(d, "autocorrelation (neighbouring pairs are alike)", "pairs");
	if (by_iou)
		compare_iou(a, b, options, d, &c);
	else
		status = compare_pairs(a, b, headline, options, d, &c);
	if (status != VRS_OK)
		return status;
	result->comparisons[result->comparison_count++] = *ret_headline = c;
	return compare_secondary(result, a, b, by_iou ? -1 : headline, by_iou ? vrs_verdict_options_default().margin : c.margin, options);
}

/* Sides without a good run make no pairs: the reason is theirs. */
static bool side_failed(const struct vrs_case_result *c, char side, char *why, size_t size)
{
	if (!vrs_case_result_is_skipped(c) && (c->run_count == 0 || vrs_case_result_ok_runs(c) > 0))
		return false;
	snprintf(why, size, "side %c: %.160s", side, vrs_case_result_is_skipped(c) ? c->skipped : c->runs[c->run_count - 1].reason);
	return true;
}

enum vrs_cause vrs_compare_hindrance(const struct vrs_case_result *a, const struct vrs_case_result *b, char *why, size_t size)
{
	why[0] = 0;
	if (side_failed(a, 'A', why, size) || side_failed(b, 'B', why, size))
		return VRS_CAUSE_FAILED;
	if (vrs_noise_invalid(a, why, size) || vrs_noise_invalid(b, why, size))
		return VRS_CAUSE_DISTURBED;
	why[0] = 0;
	return VRS_CAUSE_NONE;
}

int vrs_compare_figures(const struct vrs_case_result *c, struct vrs_comparison *ret, int max)
{
	int count = 0;
	for (int i = 0; i < START && count < max; i++) {
		double value = vrs_figure_median(c, metrics[i].get);
		if (!isfinite(value))
			continue;
		vrs_comparison_init(&ret[count]);
		name_metric(&metrics[i], NULL, NULL, 0, &ret[count]);
		ret[count].b = value;
		ret[count++].verdict = VRS_VERDICT_INCONCLUSIVE;
	}
	return count;
}

bool vrs_compare_rises(const char *metric)
{
	for (int i = 0; i < METRICS; i++)
		if (strcmp(metrics[i].name, metric) == 0)
			return metrics[i].larger_is_better;
	return false;
}

vrs_figure vrs_compare_figure(const char *metric)
{
	for (int i = 0; i <= SIZE; i++)
		if (strcmp(metrics[i].name, metric) == 0)
			return metrics[i].get;
	return NULL;
}
