/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/tune_findings.h"

#include <math.h>
#include <stdio.h>

#include "base/verdict_line.h"
#include "bench/judge/verdict.h"
#include "tuner/limit_bounds.h"

static void tried_row(struct vrs_table *t, const struct vrs_tried *tried, enum vrs_goal goal)
{
	bool first = t->rows == 0; /* every phase measures the default first */
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s%s", tried->id, first ? " (default)" : "");
	if (goal == VRS_GOAL_LIVE)
		vrs_table_set_number(t, 1, "%.1f", tried->figures.latency_ms);
	else
		vrs_table_set_number(t, 1, "%.2f", tried->figures.fps.n ? tried->figures.fps.median : NAN);
	vrs_table_set_number(t, 2, "%.3fx", tried->ratio);
	vrs_table_set_number(t, 3, "%.4f", tried->figures.quality);
	vrs_table_set_number(t, 4, "%.0f", tried->figures.kbps);
	if (goal == VRS_GOAL_LIVE)
		vrs_table_set_number(t, 5, "%.2f %%", tried->figures.missed_percent);
	else
		vrs_table_set_number(t, 5, "%.4f", tried->figures.ssim);
	if (!tried->accepted)
		vrs_table_set(t, 6, "%s", tried->limits.why);
}

void vrs_tune_rejected(const struct vrs_space *space, struct vrs_findings *findings)
{
	static const char *const heads[] = {"not tried", "because"};
	struct vrs_table *t = space->rejected_count ? vrs_findings_start_table(findings, "rejected", "Not tried", heads, 2, ~0u) : NULL;
	for (int i = 0; i < space->rejected_count; i++) {
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s", space->rejected[i].what);
		vrs_table_set(t, 1, "%s", space->rejected[i].why);
	}
}

/* How many mattes the shortest comparison was over, where runs have ended before others. */
static void note_first_mattes(const struct vrs_search_result *result, struct vrs_findings *findings)
{
	int least = 0;
	for (int i = 0; i < result->tried_count; i++) {
		int first = result->tried[i].figures.first_mattes;
		least = first > 0 && (least == 0 || first < least) ? first : least;
	}
	if (least > 0)
		vrs_findings_add_note(findings, VRS_NOTE_INFO, "first-mattes", "Where not as many mattes of settings as of the default were compared, "
				      "IoU is over the first ones, which both have: %d or more. Longer runs compare more.", least);
}

void vrs_tune_findings(const struct vrs_search_result *result, const struct vrs_space *space, struct vrs_findings *findings)
{
	static const char *const heads[] = {"settings", "FPS", "speed", "IoU", "kbit/s", "SSIM", "refused"};
	static const char *const live_heads[] = {"settings", "ms", "latency", "IoU", "kbit/s", "late", "refused"};
	struct vrs_table *t = NULL;
	snprintf(findings->title, sizeof findings->title, "Search for the best settings");
	if (result->feasible)
		snprintf(findings->subtitle, sizeof findings->subtitle, "Chosen: %s%s", result->best_id, result->keeps_default ? " (the default)" : "");
	else
		snprintf(findings->subtitle, sizeof findings->subtitle, "Nothing was chosen");
	snprintf(findings->verdict, sizeof findings->verdict, "%s", result->sentence);
	for (int i = 0; i < result->tried_count; i++) {
		const struct vrs_tried *tried = &result->tried[i];
		const char *phase = vrs_phase_name(tried->phase);
		if (i == 0 || tried->phase != result->tried[i - 1].phase)
			t = vrs_findings_start_table(findings, phase, phase, result->goal == VRS_GOAL_LIVE ? live_heads : heads, 7, 1u << 0 | 1u << 6);
		tried_row(t, tried, result->goal);
	}
	if (space->start[0])
		vrs_findings_add_note(findings, VRS_NOTE_INFO, "start", "%s", space->start);
	if (space->fixed[0])
		vrs_findings_add_note(findings, VRS_NOTE_INFO, "fixed", "Left alone, since you set them: %s.", space->fixed);
	vrs_tune_rejected(space, findings);
	if (result->untried[0])
		vrs_findings_add_note(findings, VRS_NOTE_INFO, "untried", "Not tried within --budget: %s.", result->untried);
	if (result->tie[0])
		vrs_findings_add_note(findings, VRS_NOTE_INFO, "tie", "Cannot be told from the chosen settings: %s.", result->tie);
	note_first_mattes(result, findings);
}

static void left_out_row(struct vrs_table *t, const struct vrs_tried *tried, bool is_default)
{
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s%s", tried->id, is_default ? " (default)" : "");
	vrs_table_set_number(t, 1, "%.2f", tried->figures.fps.n ? tried->figures.fps.median : NAN);
	vrs_table_set_number(t, 2, "%.4f", tried->figures.quality);
	vrs_table_set_number(t, 3, "%.0f", tried->figures.kbps);
	vrs_table_set_number(t, 4, "%.0f", tried->figures.peak_bytes / (1 << 20));
	vrs_table_set(t, 5, "%s", tried->limits.why);
}

/* What would come before the picked settings, and the default where it cannot be picked; nothing where there is none. */
static void list_left_out(const struct vrs_search_result *result, struct vrs_findings *findings)
{
	static const char *const heads[] = {"settings", "FPS", "IoU", "kbit/s", "MiB", "because"};
	struct vrs_table *t = NULL;
	for (int i = 0; i < result->tried_count; i++) {
		const struct vrs_tried *tried = &result->tried[i];
		if (tried->accepted && !tried->limits.missed)
			continue;
		if (!t)
			t = vrs_findings_start_table(findings, "left_out", "Left out", heads, 6, 1u << 0 | 1u << 5);
		left_out_row(t, tried, i == 0);
	}
	if (t)
		snprintf(t->caption, sizeof t->caption, "%s", result->feasible ?
			 "What comes before the picked settings and cannot be picked, and the default where it misses a limit." :
			 "Nothing that was measured can be picked.");
}

void vrs_tune_pick_findings(const struct vrs_search_result *result, struct vrs_findings *findings)
{
	static const char *const heads[] = {"settings", "FPS", "speed", "IoU", "kbit/s", "SSIM", "MiB"};
	struct vrs_table *t = vrs_findings_start_table(findings, "candidates", "Candidates", heads, 7, 1u << 0);
	snprintf(findings->title, sizeof findings->title, "Settings that were measured before");
	if (result->feasible)
		snprintf(findings->subtitle, sizeof findings->subtitle, "Picked: %s%s", result->best_id, result->keeps_default ? " (the default)" : "");
	else
		snprintf(findings->subtitle, sizeof findings->subtitle, "Nothing was picked");
	snprintf(findings->verdict, sizeof findings->verdict, "%s", result->sentence);
	note_first_mattes(result, findings);
	for (int i = 0; i < result->tried_count; i++) {
		if (!result->tried[i].accepted)
			continue;
		tried_row(t, &result->tried[i], VRS_GOAL_THROUGHPUT);
		vrs_table_set_number(t, 6, "%.0f", result->tried[i].figures.peak_bytes / (1 << 20));
	}
	snprintf(t->caption, sizeof t->caption, "The default, and the settings that keep the limits and that no others surpass in every figure.");
	list_left_out(result, findings);
}

static struct vrs_table *limit_row(struct vrs_table *t, const char *name, bool missed)
{
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", name);
	vrs_table_set(t, 3, "%s", missed ? "fail" : "pass");
	return t;
}

static bool misses(const struct vrs_limits *limits, enum vrs_limit limit)
{
	return (limits->missed >> limit & 1) != 0;
}

/* What was measured of a limit; a figure that is not known stays away. */
static void put_value(struct vrs_table *t, const char *fmt, double value)
{
	vrs_table_set_number(t, 2, fmt, value);
}

void vrs_tune_limits(const struct vrs_search_result *result, const struct vrs_objective *objective, struct vrs_findings *findings)
{
	static const char *const heads[] = {"limit", "asked for", "measured", "status"};
	const struct vrs_tuned_figures *figures = &result->best_figures;
	const struct vrs_limits *limits = &result->best_limits;
	bool any = objective->min_fps > 0 || objective->min_iou > 0 || objective->max_kbps > 0 || objective->memory_limit_bytes > 0 ||
		   objective->goal == VRS_GOAL_LIVE;
	if (!any)
		return;
	struct vrs_table *t = vrs_findings_start_table(findings, "limits", "Limits", heads, 4, ~(1u << 1 | 1u << 2));
	if (objective->min_fps > 0) {
		vrs_table_set(limit_row(t, "speed", misses(limits, VRS_LIMIT_SPEED)), 1, "at least %g FPS", objective->min_fps);
		put_value(t, "%.2f FPS", figures->low_fps);
	}
	if (objective->goal == VRS_GOAL_LIVE) {
		vrs_table_set(limit_row(t, "late frames", misses(limits, VRS_LIMIT_DEADLINE)), 1, "at most %g %%", VRS_LIVE_MAX_MISSED_PERCENT);
		put_value(t, "%.2f %%", figures->high_missed_percent);
	}
	if (objective->min_iou > 0) {
		vrs_table_set(limit_row(t, "IoU", misses(limits, VRS_LIMIT_IOU)), 1, "at least %g", objective->min_iou);
		put_value(t, "%.4f", figures->quality);
	}
	if (objective->max_kbps > 0) {
		vrs_table_set(limit_row(t, "bit rate", misses(limits, VRS_LIMIT_RATE)), 1, "at most %.0f kbit/s", objective->max_kbps);
		put_value(t, "%.0f kbit/s", figures->kbps);
	}
	if (objective->memory_limit_bytes > 0) {
		vrs_table_set(limit_row(t, "memory", misses(limits, VRS_LIMIT_MEMORY)), 1, "at most %.0f MiB",
			      (double)objective->memory_limit_bytes / (1 << 20));
		put_value(t, "%.0f MiB", figures->peak_bytes / (1 << 20));
	}
	snprintf(t->caption, sizeof t->caption, "Of the chosen settings, by what they keep for certain: the low end of FPS, the high end of late frames, "
		 "and memory by its largest run, which must leave %.0f %% of the limit.", 100 * VRS_MEMORY_HEADROOM);
}

/* The candidate that misses this limit alone, and misses it least; NULL: none. */
static const struct vrs_tried *nearest_but(const struct vrs_search_result *result, enum vrs_limit limit)
{
	const struct vrs_tried *nearest = NULL;
	for (int i = 0; i < result->tried_count; i++) {
		const struct vrs_tried *tried = &result->tried[i];
		if (tried->limits.missed == 1u << limit && (!nearest || tried->limits.excess[limit] < nearest->limits.excess[limit]))
			nearest = tried;
	}
	return nearest;
}

enum vrs_limit vrs_tune_nearest(const struct vrs_search_result *result)
{
	enum vrs_limit least = VRS_LIMIT_COUNT;
	double excess = INFINITY;
	for (enum vrs_limit l = VRS_LIMIT_MATTE; l < VRS_LIMIT_COUNT; l++) {
		const struct vrs_tried *tried = nearest_but(result, l);
		if (tried && tried->limits.excess[l] < excess) {
			excess = tried->limits.excess[l];
			least = l;
		}
	}
	return least;
}

void vrs_tune_infeasible(const struct vrs_search_result *result, struct vrs_findings *findings)
{
	static const char *const heads[] = {"give up", "settings", "FPS", "IoU", "kbit/s", "because"};
	enum vrs_limit least = vrs_tune_nearest(result);
	struct vrs_table *t = vrs_findings_start_table(findings, "infeasible", "Nearest settings", heads, 6, 1u << 0 | 1u << 1 | 1u << 5);
	for (enum vrs_limit l = VRS_LIMIT_MATTE; l < VRS_LIMIT_COUNT; l++) {
		const struct vrs_tried *tried = nearest_but(result, l);
		if (!tried)
			continue;
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s%s", vrs_limit_name(l), l == least ? " (least)" : "");
		vrs_table_set(t, 1, "%s", tried->id);
		vrs_table_set_number(t, 2, "%.2f", tried->figures.low_fps);
		vrs_table_set_number(t, 3, "%.4f", tried->figures.quality);
		vrs_table_set_number(t, 4, "%.0f", tried->figures.kbps);
		vrs_table_set(t, 5, "%s", tried->limits.why);
	}
	snprintf(t->caption, sizeof t->caption, "Each row keeps every limit but its own, and misses that one by least. FPS: what it keeps.%s",
		 least == VRS_LIMIT_COUNT ? " All measured settings miss several limits." : "");
}

static const char *verdict_word(const struct vrs_search_result *result)
{
	if (!result->verified)
		return "inconclusive";
	if (result->keeps_default)
		return "equivalent";
	switch (result->goal) {
	case VRS_GOAL_SIZE: return "smaller";
	case VRS_GOAL_QUALITY: return "better";
	case VRS_GOAL_LIVE:
	case VRS_GOAL_THROUGHPUT: break;
	}
	return result->by_value ? "equivalent" : "faster";
}

void vrs_tune_line(const struct vrs_search_result *result, char *buf, size_t size)
{
	static const char *const metrics[] = {
		[VRS_GOAL_THROUGHPUT] = "fps", [VRS_GOAL_LIVE] = "latency_p50", [VRS_GOAL_QUALITY] = "iou", [VRS_GOAL_SIZE] = "size"};
	vrs_verdict_line_begin(buf, size, verdict_word(result));
	if (result->keeps_default || result->by_value)
		vrs_verdict_line_put(buf, size, "metric", "%s", metrics[result->goal]);
	else
		vrs_verdict_line_keys(&result->gain, buf, size);
	vrs_verdict_line_put(buf, size, "case", "%s", result->best_id);
}

/* A figure that is not known stays away. */
static void put_fps(char *buf, size_t size, const char *key, double value)
{
	if (isfinite(value))
		vrs_verdict_line_put(buf, size, key, "%.2f", value);
}

void vrs_tune_target_line(const struct vrs_search_result *result, double fps, char *buf, size_t size)
{
	enum vrs_limit nearest = vrs_tune_nearest(result);
	vrs_verdict_line_begin(buf, size, result->feasible ? "feasible" : "infeasible");
	if (fps > 0)
		vrs_verdict_line_put(buf, size, "target_fps", "%g", fps);
	put_fps(buf, size, "fps", result->best_figures.fps.median);
	put_fps(buf, size, "low", result->best_figures.low_fps);
	if (!result->feasible && nearest < VRS_LIMIT_COUNT)
		vrs_verdict_line_put(buf, size, "limit", "%s", vrs_limit_name(nearest));
}
