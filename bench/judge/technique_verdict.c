/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/technique_verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "base/verdict_line.h"
#include "bench/judge/comparison.h"
#include "bench/judge/noise_gate.h"

const struct vrs_comparison *vrs_technique_metric(const struct vrs_technique_outcome *outcome, const char *name)
{
	for (int i = 0; i < outcome->metric_count; i++)
		if (strcmp(outcome->metrics[i].metric, name) == 0)
			return &outcome->metrics[i];
	return NULL;
}

void vrs_technique_change(const struct vrs_comparison *m, double *ret_change, double *ret_low, double *ret_high)
{
	bool rate = strcmp(m->metric, "fps") == 0; /* its cost is time: +25 % is 20 % fewer frames */
	*ret_change = rate ? 1 / (1 + m->change) - 1 : m->change;
	*ret_low = rate ? 1 / (1 + m->high) - 1 : m->low;
	*ret_high = rate ? 1 / (1 + m->low) - 1 : m->high;
}

static const char *goal_metric(enum vrs_technique_goal goal)
{
	static const char *const names[] = {[VRS_TECHNIQUE_SPEED] = "fps", [VRS_TECHNIQUE_LATENCY] = "latency_p50", [VRS_TECHNIQUE_CPU] = "cpu",
					    [VRS_TECHNIQUE_MEMORY] = "peak_memory", [VRS_TECHNIQUE_QUALITY] = "",
					    [VRS_TECHNIQUE_START] = "start"};
	return names[goal];
}

static void find_quality(struct vrs_technique_outcome *o)
{
	o->mattes_off = vrs_case_result_mattes(o->off);
	o->mattes_on = vrs_case_result_mattes(o->on);
	double off = vrs_case_result_median(o->off, offsetof(struct vrs_run, iou)), on = vrs_case_result_median(o->on, offsetof(struct vrs_run, iou));
	o->has_truth = isfinite(off) && isfinite(on);
	o->iou_off = o->has_truth ? off : vrs_case_result_median(o->off, offsetof(struct vrs_run, agreement));
	o->iou_on = o->has_truth ? on : vrs_case_result_median(o->on, offsetof(struct vrs_run, agreement));
	if (o->mattes_off != o->mattes_on)
		o->iou_off = o->iou_on = NAN;
}

/* Why a side has no figures at all; false: it has some. */
static bool is_broken(const struct vrs_case_result *c, const char *side, char *buf, size_t size)
{
	if (!vrs_case_result_is_skipped(c) && vrs_case_result_ok_runs(c) > 0)
		return false;
	const char *why = vrs_case_result_is_skipped(c) ? c->skipped : c->run_count ? c->runs[c->run_count - 1].reason : "no run yet";
	snprintf(buf, size, "%s: %.230s", side, why);
	return true;
}

/*
 * The metric that decides is one of the family of all techniques, and keeps its own verdict until that is judged; the others of a pair, but its
 * headline, are a family of their own.
 */
static enum vrs_status judge_pair(struct vrs_technique_outcome *o)
{
	struct vrs_comparison *family[VRS_TECHNIQUE_METRICS], own = {.pairs = 0};
	int members = 0;
	if (o->goal >= 0)
		own = o->metrics[o->goal];
	for (int i = 1; i < o->metric_count; i++)
		family[members++] = &o->metrics[i];
	enum vrs_status status = vrs_verdict_family(family, members);
	if (o->goal >= 0)
		o->metrics[o->goal] = own;
	return status;
}

/* Compare one pair; scratch receives what vrs_compare writes into a result. */
static enum vrs_status compare(struct vrs_technique_outcome *o, double margin, struct vrs_result *scratch, struct vrs_compare_details *details)
{
	struct vrs_comparison headline;
	char why[256];
	bool invalid = vrs_noise_invalid(o->off, why, sizeof why) || vrs_noise_invalid(o->on, why, sizeof why);
	const struct vrs_compare_options options = {.margin = margin, .invalid = invalid ? VRS_CAUSE_DISTURBED : VRS_CAUSE_NONE, .why = why,
						    .alpha = VRS_VERDICT_ALPHA, .alone = true,
						    .start = o->technique->goal == VRS_TECHNIQUE_START};
	enum vrs_status status = vrs_compare(scratch, o->off, o->on, &options, &headline, details);
	for (int i = 0; i < scratch->comparison_count && status == VRS_OK && o->metric_count < VRS_TECHNIQUE_METRICS; i++) {
		struct vrs_comparison *m = &o->metrics[o->metric_count];
		*m = scratch->comparisons[i];
		if (strcmp(m->metric, goal_metric(o->technique->goal)) == 0)
			o->goal = o->metric_count;
		o->metric_count += m->pairs > 0;
	}
	if (o->goal >= o->metric_count)
		o->goal = -1;
	if (status == VRS_OK)
		status = judge_pair(o);
	for (int i = 0; i < o->metric_count && invalid; i++)
		o->metrics[i].verdict = VRS_VERDICT_INVALID;
	return status;
}

/* Only what Holm's p over all techniques proves keeps its word. */
static enum vrs_status judge_family(struct vrs_technique_outcomes *all)
{
	struct vrs_comparison *family[VRS_TECHNIQUES_MAX];
	all->family = 0;
	for (int i = 0; i < all->count; i++) {
		struct vrs_technique_outcome *o = &all->items[i];
		if (o->goal >= 0 && isfinite(o->metrics[o->goal].p))
			family[all->family++] = &o->metrics[o->goal];
	}
	return vrs_verdict_family(family, all->family);
}

static const char *metric_words(const struct vrs_comparison *m)
{
	return strcmp(m->metric, "fps") == 0		? "speed"
	       : strcmp(m->metric, "latency_p50") == 0	? "latency"
	       : strcmp(m->metric, "cpu") == 0		? "CPU time"
	       : strcmp(m->metric, "peak_memory") == 0	? "memory"
	       : strcmp(m->metric, "start") == 0	? "time to the first frame"
							: m->metric;
}

/* What is paid for it: speed, where that is not what the technique is there for, and mattes. */
static void add_price(struct vrs_technique_outcome *o)
{
	const struct vrs_comparison *fps = vrs_technique_metric(o, "fps");
	double loss = o->iou_off - o->iou_on, change, low, high;
	size_t used = strlen(o->text);
	if (o->technique->goal != VRS_TECHNIQUE_SPEED && fps && fps->verdict == VRS_VERDICT_SLOWER) {
		vrs_technique_change(fps, &change, &low, &high);
		(void)snprintf(o->text + used, sizeof o->text - used, "; costs %.1f %% of the speed", -100 * change);
		used = strlen(o->text);
	}
	if (o->technique->goal != VRS_TECHNIQUE_QUALITY && loss >= VRS_TECHNIQUE_IOU_MARGIN)
		(void)snprintf(o->text + used, sizeof o->text - used, "; costs %.4f of IoU%s", loss, o->has_truth ? "" : " with the reference");
}

static void answer_metric(struct vrs_technique_outcome *o)
{
	const struct vrs_comparison *m = &o->metrics[o->goal];
	double change, low, high;
	vrs_technique_change(m, &change, &low, &high);
	bool speed = o->technique->goal == VRS_TECHNIQUE_SPEED, better = m->verdict == VRS_VERDICT_FASTER,
	     worse = m->verdict == VRS_VERDICT_SLOWER;
	vrs_strcpy(o->word, sizeof o->word, speed || !(better || worse) ? vrs_name_of(&vrs_verdict_names, m->verdict) : better ? "BETTER" : "WORSE");
	bool small = m->cause == VRS_CAUSE_BELOW_MARGIN || fabs(m->change) < m->margin;
	if (better) {
		o->answer = VRS_TECHNIQUE_PAYS;
		snprintf(o->text, sizeof o->text, "pays%s: %+.1f %% %s", small ? " a little" : "", 100 * change, metric_words(m));
	} else if (worse) {
		o->answer = VRS_TECHNIQUE_PAYS_NOT;
		snprintf(o->text, sizeof o->text, "does not pay here: %+.1f %% %s", 100 * change, metric_words(m));
	} else if (m->verdict == VRS_VERDICT_EQUIVALENT) {
		o->answer = VRS_TECHNIQUE_PAYS_NOT;
		snprintf(o->text, sizeof o->text, "does not pay here: no change of %s beyond %.1f %%", metric_words(m), 100 * m->margin);
	} else {
		o->answer = VRS_TECHNIQUE_UNDECIDED;
		if (m->cause == VRS_CAUSE_PRECISION && isfinite(m->mde))
			snprintf(o->text, sizeof o->text, "undecided: %d rounds on this machine would not find a change below %.1f %%", m->pairs, 100 * m->mde);
		else
			snprintf(o->text, sizeof o->text, "undecided: %s", m->reason);
		return;
	}
	add_price(o);
}

static void answer_quality(struct vrs_technique_outcome *o)
{
	double gain = o->iou_on - o->iou_off;
	if (!o->has_truth) {
		vrs_strcpy(o->word, sizeof o->word, "-");
		o->answer = VRS_TECHNIQUE_NOT_MEASURED;
		snprintf(o->text, sizeof o->text, "not measured: quality needs a clip with truth (NAME_alpha.mkv beside NAME.mp4, or synth:WxH)");
		return;
	}
	if (isnan(gain)) {
		vrs_strcpy(o->word, sizeof o->word, vrs_name_of(&vrs_verdict_names, VRS_VERDICT_INCONCLUSIVE));
		o->answer = VRS_TECHNIQUE_UNDECIDED;
		snprintf(o->text, sizeof o->text, "undecided: %d mattes without it and %d with it were compared; longer runs make them equal (--min-frames)",
			 o->mattes_off, o->mattes_on);
		return;
	}
	bool better = gain >= VRS_TECHNIQUE_IOU_MARGIN, worse = gain <= -VRS_TECHNIQUE_IOU_MARGIN;
	vrs_strcpy(o->word, sizeof o->word, better ? "BETTER" : worse ? "WORSE" : "EQUIVALENT");
	o->answer = better ? VRS_TECHNIQUE_PAYS : VRS_TECHNIQUE_PAYS_NOT;
	if (better || worse)
		snprintf(o->text, sizeof o->text, "%s: %+.4f IoU with the truth", better ? "pays" : "does not pay on this clip", gain);
	else
		snprintf(o->text, sizeof o->text, "does not pay on this clip: no change of IoU beyond %.3f", VRS_TECHNIQUE_IOU_MARGIN);
	add_price(o);
}

static void answer(struct vrs_technique_outcome *o)
{
	if (o->technique->goal == VRS_TECHNIQUE_QUALITY) {
		answer_quality(o);
	} else if (o->goal >= 0) {
		answer_metric(o);
	} else {
		o->answer = VRS_TECHNIQUE_UNDECIDED;
		vrs_strcpy(o->word, sizeof o->word, "INCONCLUSIVE");
		snprintf(o->text, sizeof o->text, "undecided: no round has %s of both sides", vrs_technique_goal_name(o->technique->goal));
	}
}

static enum vrs_status judge_one(struct vrs_technique_outcome *o, const struct vrs_technique_cases *cases, const struct vrs_result *result,
				 double margin, struct vrs_result *scratch, struct vrs_compare_details *details)
{
	const struct vrs_technique *t = o->technique;
	o->goal = -1;
	o->iou_off = o->iou_on = NAN;
	o->answer = VRS_TECHNIQUE_NOT_MEASURED;
	vrs_strcpy(o->word, sizeof o->word, "-");
	if (t->kind != VRS_TECHNIQUE_PAIR || cases->unfit[0]) {
		snprintf(o->text, sizeof o->text, "%s", cases->unfit[0] ? cases->unfit : t->reason);
		return VRS_OK;
	}
	const struct vrs_case_result *off = &result->cases[cases->off], *on = &result->cases[cases->on];
	bool broken = is_broken(on, "with it", o->text, sizeof o->text) || is_broken(off, "without it", o->text, sizeof o->text);
	if (broken) {
		vrs_strcpy(o->word, sizeof o->word, "FAILED");
		return VRS_OK;
	}
	o->off = off;
	o->on = on;
	find_quality(o);
	return compare(o, margin, scratch, details);
}

enum vrs_status vrs_technique_judge(const struct vrs_technique_list *list, const struct vrs_technique_cases *cases, const struct vrs_result *result,
				    double margin, struct vrs_technique_outcomes **ret_outcomes)
{
	struct vrs_technique_outcomes *all = vrs_calloc(1, sizeof *all);
	struct vrs_compare_details *details = vrs_calloc(1, sizeof *details);
	struct vrs_result *scratch = NULL;
	enum vrs_status status = all && details ? vrs_result_create(&scratch) : VRS_ENOMEM;
	for (int i = 0; i < list->count && status == VRS_OK; i++) {
		all->items[i].technique = &list->items[i];
		all->count++;
		status = judge_one(&all->items[i], &cases[i], result, margin, scratch, details);
	}
	if (status == VRS_OK)
		status = judge_family(all);
	if (status == VRS_OK) {
		all->margin = margin;
		for (int i = 0; i < all->count; i++)
			if (all->items[i].off)
				answer(&all->items[i]);
		*ret_outcomes = all;
	} else {
		vrs_free(all);
	}
	vrs_result_destroy(scratch);
	vrs_free(details);
	return status;
}

void vrs_technique_line(const struct vrs_technique_outcome *o, char *buf, size_t size)
{
	static const char *const words[] = {
		[VRS_TECHNIQUE_PAYS] = "pays", [VRS_TECHNIQUE_PAYS_NOT] = "does_not_pay", [VRS_TECHNIQUE_UNDECIDED] = "undecided",
		[VRS_TECHNIQUE_NOT_MEASURED] = "not_measured",
	};
	bool quality = o->technique->goal == VRS_TECHNIQUE_QUALITY && isfinite(o->iou_on - o->iou_off);
	vrs_verdict_line_begin(buf, size, words[o->answer]);
	vrs_verdict_line_put(buf, size, "technique", "%s", o->technique->name);
	if (o->goal >= 0)
		vrs_verdict_line_keys(&o->metrics[o->goal], buf, size);
	if (o->goal >= 0 || !quality)
		return;
	vrs_verdict_line_put(buf, size, "metric", "iou");
	vrs_verdict_line_put(buf, size, "delta", "%+.4f", o->iou_on - o->iou_off);
}
