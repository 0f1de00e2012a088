/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/objective.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"
#include "bench/judge/holm_family.h"
#include "bench/judge/verdict.h"
#include "tuner/limit_bounds.h"

#define MARGIN 0.02           /* of speed and size: smaller changes do not matter */
#define SLOWNESS_WEIGHT 5     /* a share of speed that is missing, or of frames that are late, counts as five of the goal's */
#define IOU_SCALE 10          /* the margin of IoU, .002, is 2 % */

struct vrs_objective vrs_objective_default(void)
{
	return (struct vrs_objective){.max_iou_loss = 0.005, .min_agreement = 0.97, .max_encode_loss = 0.002, .max_growth = 0.5};
}

static double ratio_of(const struct vrs_case_result *c, const struct vrs_case_result *base, enum vrs_headline headline)
{
	double a[VRS_STATS_MAX_PAIRS], b[VRS_STATS_MAX_PAIRS], ratio;
	int n = vrs_verdict_collect(base, c, vrs_headline_figure(headline), VRS_STATS_MAX_PAIRS, a, b, NULL);
	for (int i = 0; i < n; i++)
		b[i] /= a[i];
	return n > 0 && vrs_stats_median(b, n, &ratio) == VRS_OK ? ratio : NAN;
}

double vrs_case_speed(const struct vrs_case_result *c, const struct vrs_case_result *base)
{
	return ratio_of(c, base, VRS_HEADLINE_FPS);
}

enum vrs_headline vrs_objective_headline(const struct vrs_objective *objective)
{
	return objective->goal == VRS_GOAL_LIVE ? VRS_HEADLINE_LATENCY : VRS_HEADLINE_FPS;
}

double vrs_objective_ratio(const struct vrs_objective *objective, const struct vrs_case_result *c, const struct vrs_case_result *base)
{
	return ratio_of(c, base, vrs_objective_headline(objective));
}

double vrs_case_quality(const struct vrs_case_result *c, bool *ret_truth)
{
	double iou = vrs_case_result_median(c, offsetof(struct vrs_run, iou));
	*ret_truth = isfinite(iou);
	return *ret_truth ? iou : vrs_case_result_median(c, offsetof(struct vrs_run, agreement));
}

struct vrs_matte_pair vrs_matte_pair(const struct vrs_case_result *c, const struct vrs_case_result *base)
{
	struct vrs_matte_pair pair = {.whole = vrs_case_result_same_mattes(c, base)};
	pair.alike = !pair.whole && vrs_holm_family_same_mattes(c, base);
	pair.first = pair.whole || pair.alike ? 0 : vrs_case_result_common_quality(c, base, VRS_FIGURE_IOU, &pair.quality, &pair.reference);
	if (pair.first == 0) {
		bool truth, base_truth;
		pair.reference = vrs_case_quality(base, &base_truth);
		pair.quality = pair.alike ? pair.reference : vrs_case_quality(c, &truth);
	}
	return pair;
}

/* " over the first 5 mattes"; "": over all. */
static const char *first_words(int first, char *buf, size_t size)
{
	buf[0] = '\0';
	if (first > 0)
		snprintf(buf, size, " over the first %d mattes", first);
	return buf;
}

const char *vrs_limit_name(enum vrs_limit limit)
{
	static const char *const names[VRS_LIMIT_COUNT] = {"runs", "matte", "iou", "memory", "encode", "bitrate", "deadline", "speed"};
	return names[limit];
}

/* A limit is missed by a share of it; the first one has the word. */
static VRS_PRINTF(4, 5) void miss(struct vrs_limits *limits, enum vrs_limit limit, double excess, const char *fmt, ...)
{
	va_list args;
	limits->missed |= 1u << limit;
	limits->excess[limit] = fmax(limits->excess[limit], isfinite(excess) ? excess : 1);
	if (limits->why[0])
		return;
	va_start(args, fmt);
	(void)vsnprintf(limits->why, sizeof limits->why, fmt, args);
	va_end(args);
}

/*
 * Is no other figure with truth lost that matters?  Each may lose as many of its margins as IoU may of its own.
 */
static void check_figures(const struct vrs_objective *objective, const struct vrs_case_result *c, const struct vrs_case_result *base,
			  struct vrs_limits *limits)
{
	double margins = objective->max_iou_loss / vrs_quality_figure_info(VRS_FIGURE_IOU)->margin, value, reference;
	char over[40];
	for (int i = 0; i < VRS_QUALITY_FIGURES; i++) {
		const struct vrs_quality_figure_info *info = vrs_quality_figure_info((enum vrs_quality_figure)i);
		int first = vrs_case_result_common_quality(c, base, (enum vrs_quality_figure)i, &value, &reference);
		double reach = margins * info->margin;
		double loss = info->more_is_better ? reference - value : value - reference;
		if (i == VRS_FIGURE_IOU || !(info->margin > 0) || !(loss > reach)) /* not finite: nothing to hold it against */
			continue;
		miss(limits, VRS_LIMIT_MATTE, (loss - reach) / fabs(reference), "%s %.4f is worse than %.4f by more than %.4f%s", info->head,
		     info->factor * value, info->factor * reference, info->factor * reach, first_words(first, over, sizeof over));
	}
}

/* Why nothing is known of the matte of a case that ran; "": nobody can tell. */
static const char *why_not_compared(const struct vrs_case_result *c, bool compared_base)
{
	if (!compared_base)
		return ": there are no mattes to compare with";
	for (int i = c->run_count - 1; i >= 0; i--)
		if (c->runs[i].status != VRS_RUN_OK)
			return c->runs[i].status == VRS_RUN_OOM ? ": the run that compares it ran out of memory" : ": the run that compares it failed";
	return "";
}

static void check_matte(const struct vrs_objective *objective, const struct vrs_case_result *c, const struct vrs_case_result *base,
			struct vrs_limits *limits)
{
	const struct vrs_matte_pair pair = vrs_matte_pair(c, base);
	char over[40];
	bool truth, base_truth;
	if (c->scope == VRS_SCOPE_NET_ONLY) /* only a recorded sweep has such cases: numbers go in, and there is no matte */
		return;
	double quality = vrs_case_quality(c, &truth), reference = vrs_case_quality(base, &base_truth);
	if (truth && pair.first > 0) {
		quality = pair.quality;
		reference = pair.reference;
	}
	double least = truth ? reference - objective->max_iou_loss : objective->min_agreement;
	bool any_will_do = objective->max_iou_loss >= 1 && objective->min_agreement <= 0; /* no matte can lose more: nobody need know it */
	if (any_will_do && !(isfinite(quality) && truth == base_truth && pair.first >= 0))
		return;
	if (!isfinite(quality) || (truth && !base_truth))
		miss(limits, VRS_LIMIT_MATTE, NAN, "the quality of its matte is not known%s", why_not_compared(c, isfinite(reference)));
	else if (truth && pair.first < 0)
		miss(limits, VRS_LIMIT_MATTE, NAN, "%d of its mattes and %d of the default's were compared with truth; longer runs make them equal",
		     vrs_case_result_mattes(c), vrs_case_result_mattes(base));
	else if ((!truth || !pair.alike) && quality < least)
		miss(limits, VRS_LIMIT_MATTE, 1 - quality / least, "%s %.4f is below %.4f%s", truth ? "IoU" : "agreement", quality, least,
		     first_words(truth ? pair.first : 0, over, sizeof over));
	if (!pair.alike)
		check_figures(objective, c, base, limits);
}

static void check_iou(const struct vrs_objective *objective, const struct vrs_case_result *c, const struct vrs_case_result *base,
		      struct vrs_limits *limits)
{
	const struct vrs_matte_pair pair = vrs_matte_pair(c, base);
	bool truth;
	double quality = vrs_case_quality(pair.alike ? base : c, &truth);
	if (pair.first > 0)
		quality = pair.quality;
	if (objective->min_iou > 0 && !isfinite(quality))
		miss(limits, VRS_LIMIT_IOU, NAN, "the IoU of its matte is not known");
	else if (quality < objective->min_iou)
		miss(limits, VRS_LIMIT_IOU, 1 - quality / objective->min_iou, "%s %.4f is below %.4f", truth ? "IoU" : "agreement", quality,
		     objective->min_iou);
}

static void check_memory(const struct vrs_objective *objective, const struct vrs_case_result *c, struct vrs_limits *limits)
{
	double peak = c->peak_rss.n ? c->peak_rss.max : NAN, limit = (double)objective->memory_limit_bytes;
	if (limit > 0 && peak > (1 - VRS_MEMORY_HEADROOM) * limit)
		miss(limits, VRS_LIMIT_MEMORY, peak / ((1 - VRS_MEMORY_HEADROOM) * limit) - 1, peak > limit ? "%.0f MiB is above the limit of %.0f MiB" :
		     "%.0f MiB is too near the limit of %.0f MiB", peak / (1 << 20), limit / (1 << 20));
}

/* What the encoder makes of the pictures, against its own limits. Where nothing is encoded there is nothing to pay. */
static void check_output(const struct vrs_objective *objective, const struct vrs_case_result *c, const struct vrs_case_result *base,
			 struct vrs_limits *limits)
{
	double ssim = vrs_case_result_median(c, offsetof(struct vrs_run, encode_ssim));
	double base_ssim = vrs_case_result_median(base, offsetof(struct vrs_run, encode_ssim));
	double bytes = vrs_case_result_median(c, offsetof(struct vrs_run, output_bytes_per_frame));
	double base_bytes = vrs_case_result_median(base, offsetof(struct vrs_run, output_bytes_per_frame));
	double kbps = vrs_case_result_median(c, offsetof(struct vrs_run, output_kbps)), most = (1 + objective->max_growth) * base_bytes;
	if (ssim < base_ssim - objective->max_encode_loss) /* not for NaN */
		miss(limits, VRS_LIMIT_ENCODE, 1 - ssim / (base_ssim - objective->max_encode_loss), "SSIM %.4f of what is encoded is below %.4f", ssim,
		     base_ssim - objective->max_encode_loss);
	if (objective->max_kbps > 0 && kbps > objective->max_kbps)
		miss(limits, VRS_LIMIT_RATE, kbps / objective->max_kbps - 1, "%.0f kbit/s are above %.0f", kbps, objective->max_kbps);
	else if (!(objective->max_kbps > 0) && bytes > most)
		miss(limits, VRS_LIMIT_RATE, bytes / most - 1, "the output is %.2f times as large as the default's, %.2f are allowed", bytes / base_bytes,
		     1 + objective->max_growth);
}

/* Does the case keep up with the rate at which frames come? */
static void check_deadlines(const struct vrs_case_result *c, struct vrs_limits *limits)
{
	double high = vrs_case_high_late_percent(c, VRS_LIVE_MAX_MISSED_PERCENT);
	if (c->live_verdict == VRS_OUTCOME_FAIL)
		miss(limits, VRS_LIMIT_DEADLINE, (c->live_miss_percent.n ? c->live_miss_percent.median : 100) / VRS_LIVE_MAX_MISSED_PERCENT - 1, "%s",
		     c->live_note);
	else if (high > VRS_LIVE_MAX_MISSED_PERCENT)
		miss(limits, VRS_LIMIT_DEADLINE, high / VRS_LIVE_MAX_MISSED_PERCENT - 1, "up to %.2f %% of the frames may be late; %s", high, c->live_note);
}

void vrs_objective_check(const struct vrs_objective *objective, const struct vrs_case_result *c, const struct vrs_case_result *base,
			 struct vrs_limits *ret)
{
	*ret = (struct vrs_limits){.missed = 0};
	if (vrs_case_result_ran_out(c)) {
		miss(ret, VRS_LIMIT_RUNS, NAN, "out of memory");
		return;
	}
	if (vrs_case_result_ok_runs(c) == 0) {
		miss(ret, VRS_LIMIT_RUNS, NAN, "did not run: %s",
		     vrs_case_result_is_skipped(c) ? c->skipped : c->run_count ? c->runs[c->run_count - 1].reason : "no run");
		return;
	}
	if (c != base)
		check_matte(objective, c, base, ret);
	check_iou(objective, c, base, ret);
	check_memory(objective, c, ret);
	check_output(objective, c, base, ret);
	check_deadlines(c, ret);
	double low = vrs_objective_low_fps(objective, c);
	if (objective->min_fps > 0 && !(low >= objective->min_fps))
		miss(ret, VRS_LIMIT_SPEED, 1 - low / objective->min_fps, "%.2f FPS are below %g", low, objective->min_fps);
}

double vrs_objective_low_fps(const struct vrs_objective *objective, const struct vrs_case_result *c)
{
	return vrs_case_low_fps(c) * (objective->pace > 0 ? fmin(objective->pace, 1) : 1);
}

bool vrs_limits_accept(const struct vrs_limits *limits)
{
	return (limits->missed & ~(1u << VRS_LIMIT_SPEED | 1u << VRS_LIMIT_DEADLINE)) == 0;
}

bool vrs_objective_accepts(const struct vrs_objective *objective, const struct vrs_case_result *c, const struct vrs_case_result *base, char *why,
			   size_t size)
{
	struct vrs_limits limits;
	vrs_objective_check(objective, c, base, &limits);
	bool accepted = vrs_limits_accept(&limits);
	snprintf(why, size, "%s", accepted ? "" : limits.why);
	return accepted;
}

bool vrs_limits_are_final(const struct vrs_limits *limits)
{
	return (limits->missed & ~(1u << VRS_LIMIT_SPEED | 1u << VRS_LIMIT_DEADLINE | 1u << VRS_LIMIT_RATE)) != 0;
}

/*
 * IoU with truth, as if over the base's mattes: what is gained over the first ones of both is added to the base's, so that cases with more and with
 * fewer are of one scale.
 */
static double value_of_mattes(const struct vrs_case_result *c, const struct vrs_case_result *base)
{
	const struct vrs_matte_pair pair = vrs_matte_pair(c, base);
	bool truth, base_truth;
	double whole = vrs_case_quality(base, &base_truth);
	(void)vrs_case_quality(c, &truth);
	if (!truth || !base_truth || pair.first < 0) /* agreement with the default's mattes is no quality of its own */
		return NAN;
	return pair.first > 0 ? whole + pair.quality - pair.reference : pair.quality;
}

double vrs_objective_value(const struct vrs_objective *objective, const struct vrs_case_result *c, const struct vrs_case_result *base)
{
	switch (objective->goal) {
	case VRS_GOAL_THROUGHPUT: return c->fps.n ? c->fps.median : NAN;
	case VRS_GOAL_LIVE: return c->latency_ms.n ? -c->latency_ms.median : NAN;
	case VRS_GOAL_SIZE: return -vrs_case_result_median(c, offsetof(struct vrs_run, output_bytes_per_frame));
	case VRS_GOAL_QUALITY: return value_of_mattes(c, base);
	}
	return NAN;
}

static double slowness(const struct vrs_objective *objective, double fps)
{
	return objective->min_fps > 0 && fps < objective->min_fps ? SLOWNESS_WEIGHT * log(objective->min_fps / fps) : 0;
}

/* Live: frames that miss their deadline beyond those that may. */
static double tardiness(const struct vrs_case_result *c)
{
	double missed = c->live_miss_percent.n ? c->live_miss_percent.median : 0;
	return SLOWNESS_WEIGHT * fmax(missed - VRS_LIVE_MAX_MISSED_PERCENT, 0) / 100;
}

double vrs_objective_gain(const struct vrs_objective *objective, const struct vrs_case_result *c, const struct vrs_case_result *base, double headline,
			  double base_headline)
{
	double value = vrs_objective_value(objective, c, base), base_value = vrs_objective_value(objective, base, base);
	if (objective->goal == VRS_GOAL_THROUGHPUT)
		return log(headline / base_headline);
	if (objective->goal == VRS_GOAL_LIVE)
		return log(base_headline / headline) + tardiness(base) - tardiness(c);
	double gain = objective->goal == VRS_GOAL_SIZE ? log(base_value / value) : IOU_SCALE * (value - base_value);
	return gain + slowness(objective, base_headline) - slowness(objective, headline);
}

bool vrs_objective_is_better(const struct vrs_objective *objective, double b, double a)
{
	double margin = objective->goal == VRS_GOAL_QUALITY ? vrs_quality_figure_info(VRS_FIGURE_IOU)->margin : MARGIN * fabs(a);
	return b > a + margin;
}
