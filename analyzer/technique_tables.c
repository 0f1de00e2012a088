/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/technique_tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/summary_parts.h"
#include "base/str_parse.h"

/* ", live@72" of a technique that is measured live; "". */
static const char *pace_text(const struct vrs_technique *technique, char *buf, size_t size)
{
	char mode[24];
	if (technique->live_hz > 0)
		snprintf(buf, size, ", %s", vrs_mode_text(technique->live_hz, mode, sizeof mode));
	else
		buf[0] = 0;
	return buf;
}

static enum vrs_status set_number(struct vrs_table *t, int column, double value)
{
	char text[32];
	return isfinite(value) ? vrs_table_set(t, column, "%s", vrs_short_number(value, text, sizeof text)) : VRS_OK;
}

static enum vrs_status set_percent(struct vrs_table *t, int column, double share)
{
	return isfinite(share) ? vrs_table_set(t, column, "%.1f", 100 * share) : VRS_OK;
}

/* The metric that decides: its values, its own change (not its cost), and what is proven. */
static enum vrs_status set_metric(struct vrs_table *t, const struct vrs_comparison *m)
{
	double change, low, high;
	vrs_technique_change(m, &change, &low, &high);
	enum vrs_status status = vrs_table_set(t, 1, "%s (%s)", m->metric, m->unit);
	if (status == VRS_OK)
		status = set_number(t, 2, m->a);
	if (status == VRS_OK)
		status = set_number(t, 3, m->b);
	if (status == VRS_OK && isfinite(change))
		status = vrs_table_set(t, 4, "%+.1f %%", 100 * change);
	if (status == VRS_OK && isfinite(low))
		status = vrs_table_set(t, 5, "%+.1f .. %+.1f", 100 * low, 100 * high);
	if (status == VRS_OK && isfinite(m->holm_p))
		status = vrs_table_set(t, 6, "%.4f", m->holm_p);
	if (status == VRS_OK)
		status = set_percent(t, 7, m->mde);
	return status != VRS_OK ? status : vrs_table_set(t, 8, "%d", m->pairs);
}

static enum vrs_status set_quality(struct vrs_table *t, const struct vrs_technique_outcome *o)
{
	enum vrs_status status = vrs_table_set(t, 1, o->has_truth ? "IoU with truth" : "IoU with reference");
	if (status != VRS_OK || !isfinite(o->iou_off) || !isfinite(o->iou_on))
		return status;
	status = vrs_table_set(t, 2, "%.4f", o->iou_off);
	if (status == VRS_OK)
		status = vrs_table_set(t, 3, "%.4f", o->iou_on);
	return status != VRS_OK ? status : vrs_table_set(t, 4, "%+.4f", o->iou_on - o->iou_off);
}

static enum vrs_status verdict_table(const struct vrs_technique_outcomes *all, struct vrs_findings *findings)
{
	static const char *const heads[] = {"technique", "judged by", "off", "on", "change", "interval (%)", "Holm p", "MDE (%)", "pairs", "verdict",
					    "on this machine"};
	struct vrs_table *t = vrs_findings_start_table(findings, "techniques", "Which techniques pay", heads, 11, 1u | 2u | 1u << 9 | 1u << 10);
	enum vrs_status status = t ? VRS_OK : VRS_ENOMEM;
	for (int i = 0; status == VRS_OK && i < all->count; i++) {
		const struct vrs_technique_outcome *o = &all->items[i];
		if (o->technique->kind != VRS_TECHNIQUE_PAIR)
			continue;
		status = vrs_table_add_row(t);
		if (status == VRS_OK)
			status = vrs_table_set(t, 0, "%s", o->technique->name);
		if (status == VRS_OK && o->off && o->technique->goal == VRS_TECHNIQUE_QUALITY)
			status = set_quality(t, o);
		else if (status == VRS_OK && o->goal >= 0)
			status = set_metric(t, &o->metrics[o->goal]);
		else if (status == VRS_OK)
			status = vrs_table_set(t, 1, "%s", vrs_technique_goal_name(o->technique->goal));
		if (status == VRS_OK)
			status = vrs_table_set(t, 9, "%s", o->word);
		if (status == VRS_OK)
			status = vrs_table_set(t, 10, "%s", o->text);
	}
	if (status == VRS_OK)
		snprintf(t->caption, sizeof t->caption,
			 "off and on ran in the same rounds. The change is that of the metric from pair to pair (Hodges-Lehmann, 95 %%), which may differ from that "
			 "of the medians when the machine is busy. FASTER and SLOWER, or BETTER and WORSE where it is not speed, are proven over %d techniques "
			 "(Holm). MDE: the smallest change that so many pairs find with 80 %% power; a smaller one may exist. IoU is the same in every run; "
			 "%.3f matters.",
			 all->family, VRS_TECHNIQUE_IOU_MARGIN);
	return status;
}

static enum vrs_status set_sides(struct vrs_table *t, int column, const struct vrs_technique_outcome *o, size_t offset)
{
	enum vrs_status status = set_number(t, column, vrs_case_result_median(o->off, offset));
	return status != VRS_OK ? status : set_number(t, column + 1, vrs_case_result_median(o->on, offset));
}

static enum vrs_status set_estimates(struct vrs_table *t, int column, const struct vrs_estimate *off, const struct vrs_estimate *on, double factor)
{
	enum vrs_status status = off->n ? set_number(t, column, factor * off->median) : VRS_OK;
	return status == VRS_OK && on->n ? set_number(t, column + 1, factor * on->median) : status;
}

static enum vrs_status before_after_row(struct vrs_table *t, const struct vrs_technique_outcome *o)
{
	char pace[32];
	const struct vrs_case_result *off = o->off, *on = o->on;
	enum vrs_status status = vrs_table_add_row(t);
	if (status == VRS_OK)
		status = vrs_table_set(t, 0, "%s%s", o->technique->name, pace_text(o->technique, pace, sizeof pace));
	if (status == VRS_OK)
		status = set_estimates(t, 1, &off->fps, &on->fps, 1);
	if (status == VRS_OK)
		status = set_sides(t, 3, o, offsetof(struct vrs_run, latency_median_ms));
	if (status == VRS_OK)
		status = set_sides(t, 5, o, offsetof(struct vrs_run, latency_p99_ms));
	if (status == VRS_OK)
		status = set_estimates(t, 7, &off->cpu_ms_per_frame, &on->cpu_ms_per_frame, 1);
	if (status == VRS_OK)
		status = set_estimates(t, 9, &off->peak_rss, &on->peak_rss, 1.0 / 1048576);
	if (status == VRS_OK && isfinite(o->iou_off))
		status = vrs_table_set(t, 11, "%.4f", o->iou_off);
	return status == VRS_OK && isfinite(o->iou_on) ? vrs_table_set(t, 12, "%.4f", o->iou_on) : status;
}

static enum vrs_status before_after_table(const struct vrs_technique_outcomes *all, struct vrs_findings *findings)
{
	static const char *const heads[] = {"technique", "FPS off", "FPS on", "P50 off (ms)", "P50 on (ms)", "P99 off (ms)", "P99 on (ms)",
					    "CPU off (ms)", "CPU on (ms)", "MiB off", "MiB on", "IoU off", "IoU on"};
	struct vrs_table *t = NULL;
	enum vrs_status status = VRS_OK;
	bool truth = false;
	for (int i = 0; status == VRS_OK && i < all->count; i++) {
		if (!all->items[i].off)
			continue;
		t = t ? t : vrs_findings_start_table(findings, "before-after", "Before and after", heads, 13, 1u);
		status = t ? before_after_row(t, &all->items[i]) : VRS_ENOMEM;
		truth |= all->items[i].has_truth;
	}
	if (status == VRS_OK && t)
		snprintf(t->caption, sizeof t->caption,
			 "Medians over runs. P50 and P99: latency of a frame from the start of decoding (live: from its intended start) to the end of "
			 "encoding, of each run, where the run has enough frames. CPU: of the whole process for one frame. MiB: peak resident memory. "
			 "IoU: with %s. A figure that was not observed is left out.",
			 truth ? "the truth of the clip" : "the mattes of the command's configuration in fp32 (this clip has no truth)");
	return status;
}

static enum vrs_status set_side(struct vrs_table *t, int column, const struct vrs_technique_side *side)
{
	char text[240] = "";
	for (int i = 0; i < side->count; i++) {
		size_t used = strlen(text);
		(void)snprintf(text + used, sizeof text - used, "%s%s=%.60s", used ? ", " : "", side->values[i].key, side->values[i].value);
	}
	return vrs_table_set(t, column, "%s", text);
}

static enum vrs_status switch_table(const struct vrs_technique_outcomes *all, struct vrs_findings *findings)
{
	static const char *const heads[] = {"technique", "improves", "off", "on", "where it matters"};
	struct vrs_table *t = vrs_findings_start_table(findings, "switches", "What was switched", heads, 5, 31u);
	enum vrs_status status = t ? VRS_OK : VRS_ENOMEM;
	for (int i = 0; status == VRS_OK && i < all->count; i++) {
		char pace[32];
		const struct vrs_technique *q = all->items[i].technique;
		if (q->kind != VRS_TECHNIQUE_PAIR)
			continue;
		status = vrs_table_add_row(t);
		if (status == VRS_OK)
			status = vrs_table_set(t, 0, "%s%s", q->name, pace_text(q, pace, sizeof pace));
		if (status == VRS_OK)
			status = vrs_table_set(t, 1, "%s", vrs_technique_goal_name(q->goal));
		if (status == VRS_OK)
			status = set_side(t, 2, &q->off);
		if (status == VRS_OK)
			status = set_side(t, 3, &q->on);
		if (status == VRS_OK)
			status = vrs_table_set(t, 4, "%s", q->where);
	}
	return status;
}

static enum vrs_status missing_table(const struct vrs_technique_outcomes *all, struct vrs_findings *findings)
{
	static const char *const heads[] = {"technique", "state", "why"};
	struct vrs_table *t = NULL;
	enum vrs_status status = VRS_OK;
	for (int i = 0; status == VRS_OK && i < all->count; i++) {
		const struct vrs_technique *q = all->items[i].technique;
		if (q->kind == VRS_TECHNIQUE_PAIR)
			continue;
		t = t ? t : vrs_findings_start_table(findings, "no-pair", "Techniques without a pair", heads, 3, 7u);
		status = t ? vrs_table_add_row(t) : VRS_ENOMEM;
		if (status == VRS_OK)
			status = vrs_table_set(t, 0, "%s", q->name);
		if (status == VRS_OK)
			status = vrs_table_set(t, 1, "%s", vrs_technique_kind_name(q->kind));
		if (status == VRS_OK)
			status = vrs_table_set(t, 2, "%s", q->reason);
	}
	if (status == VRS_OK && t)
		snprintf(t->caption, sizeof t->caption,
			 "missing: the engine has not got it. always: the engine always works so. elsewhere: a run of one job does not show it.");
	return status;
}

/* Rounds that are too few for any proof, and noise, are said where they are read. */
static enum vrs_status add_notes(const struct vrs_technique_outcomes *all, struct vrs_findings *findings)
{
	int need = vrs_technique_rounds_needed(all->family), most = 0, noisy = 0;
	const char *first = "";
	for (int i = 0; i < all->count; i++) {
		const struct vrs_technique_outcome *o = &all->items[i];
		if (o->goal >= 0 && o->metrics[o->goal].pairs > most)
			most = o->metrics[o->goal].pairs;
		if (!o->off || !(o->off->warning[0] || o->on->warning[0]))
			continue;
		first = noisy++ ? first : o->off->warning[0] ? o->off->warning : o->on->warning;
	}
	struct vrs_note *note = NULL;
	if (all->family > 0 && most < need) {
		note = vrs_findings_add_note(findings, VRS_NOTE_WARNING, "few-rounds");
		if (!note)
			return VRS_ENOMEM;
		snprintf(note->text, sizeof note->text,
			 "%d shared round%s can prove nothing about %d techniques together: at least %d are needed (--runs %d)", most, most == 1 ? "" : "s",
			 all->family, need, need + 2);
	}
	if (noisy > 0) {
		note = vrs_findings_add_note(findings, VRS_NOTE_WARNING, "noise");
		if (!note)
			return VRS_ENOMEM;
		snprintf(note->text, sizeof note->text, "The machine was disturbed while %d of the pairs ran; their margins were widened by half.", noisy);
		snprintf(note->evidence, sizeof note->evidence, "of noise, the first: %.220s", first);
	}
	return VRS_OK;
}

static void set_heads(const struct vrs_technique_outcomes *all, const struct vrs_result *result, struct vrs_findings *findings)
{
	int answers[4] = {0}, without = 0;
	for (int i = 0; i < all->count; i++) {
		without += all->items[i].technique->kind != VRS_TECHNIQUE_PAIR;
		answers[all->items[i].answer] += all->items[i].technique->kind == VRS_TECHNIQUE_PAIR;
	}
	const struct vrs_case_result *c = result->case_count ? &result->cases[0] : NULL;
	snprintf(findings->title, sizeof findings->title, "Techniques, off and on");
	snprintf(findings->verdict, sizeof findings->verdict,
		 "Techniques that pay on this machine and clip: %d. That do not: %d. Undecided: %d. Not measured: %d. Without a pair: %d.",
		 answers[VRS_TECHNIQUE_PAYS], answers[VRS_TECHNIQUE_PAYS_NOT], answers[VRS_TECHNIQUE_UNDECIDED], answers[VRS_TECHNIQUE_NOT_MEASURED],
		 without);
	if (c)
		snprintf(findings->subtitle, sizeof findings->subtitle, "%.200s (%s, %dx%d), scope=%s, %d rounds planned%s%s, vrbench %s, %s",
			 result->input, c->input_kind, c->width, c->height, vrs_name_of(&vrs_scope_names, c->scope), result->rounds, result->quick ? ", quick" : "",
			 result->complete ? "" : ", not complete", result->tool_version, result->finished_utc);
	vrs_strcpy(findings->reproduce, sizeof findings->reproduce, result->command);
}

enum vrs_status vrs_technique_findings(const struct vrs_technique_outcomes *outcomes, const struct vrs_result *result, struct vrs_findings *findings)
{
	set_heads(outcomes, result, findings);
	enum vrs_status status = verdict_table(outcomes, findings);
	if (status == VRS_OK)
		status = before_after_table(outcomes, findings);
	if (status == VRS_OK)
		status = switch_table(outcomes, findings);
	if (status == VRS_OK)
		status = missing_table(outcomes, findings);
	return status != VRS_OK ? status : add_notes(outcomes, findings);
}
