/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/technique_tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/summary_parts.h"
#include "base/str_parse.h"
#include "bench/judge/verdict.h"

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

static void set_short(struct vrs_table *t, int column, double value)
{
	char text[32];
	vrs_table_set(t, column, "%s", vrs_short_number(value, text, sizeof text));
}

/* The metric that decides: its values, its own change (not its cost), and what is proven. */
static void set_metric(struct vrs_table *t, const struct vrs_comparison *m)
{
	double change, low, high;
	vrs_technique_change(m, &change, &low, &high);
	vrs_table_set(t, 1, "%s (%s)", m->metric, m->unit);
	set_short(t, 2, m->a);
	set_short(t, 3, m->b);
	vrs_table_set_number(t, 4, "%+.1f %%", 100 * change);
	if (isfinite(low))
		vrs_table_set(t, 5, "%+.1f .. %+.1f", 100 * low, 100 * high);
	vrs_table_set_number(t, 6, "%.4f", m->holm_p);
	vrs_table_set_number(t, 7, "%.1f", 100 * m->mde);
	vrs_table_set(t, 8, "%d", m->pairs);
}

static void set_quality(struct vrs_table *t, const struct vrs_technique_outcome *o)
{
	vrs_table_set(t, 1, o->has_truth ? "IoU with truth" : "IoU with reference");
	if (!isfinite(o->iou_off) || !isfinite(o->iou_on))
		return;
	vrs_table_set(t, 2, "%.4f", o->iou_off);
	vrs_table_set(t, 3, "%.4f", o->iou_on);
	vrs_table_set(t, 4, "%+.4f", o->iou_on - o->iou_off);
}

static void verdict_table(const struct vrs_technique_outcomes *all, struct vrs_findings *findings)
{
	static const char *const heads[] = {"technique", "judged by", "off", "on", "change", "interval (%)", "Holm p", "MDE (%)", "pairs", "verdict",
					    "on this machine"};
	struct vrs_table *t = vrs_findings_start_table(findings, "techniques", "Which techniques pay", heads, 11, 1u | 2u | 1u << 9 | 1u << 10);
	for (int i = 0; i < all->count; i++) {
		const struct vrs_technique_outcome *o = &all->items[i];
		if (o->technique->kind != VRS_TECHNIQUE_PAIR)
			continue;
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s", o->technique->name);
		if (o->off && o->technique->goal == VRS_TECHNIQUE_QUALITY)
			set_quality(t, o);
		else if (o->goal >= 0)
			set_metric(t, &o->metrics[o->goal]);
		else
			vrs_table_set(t, 1, "%s", vrs_technique_goal_name(o->technique->goal));
		vrs_table_set(t, 9, "%s", o->word);
		vrs_table_set(t, 10, "%s", o->text);
	}
	snprintf(t->caption, sizeof t->caption,
		 "off and on ran in the same rounds. The change is that of the metric from pair to pair (Hodges-Lehmann, 95 %%), which may differ from that "
		 "of the medians when the machine is busy. FASTER and SLOWER, or BETTER and WORSE where it is not speed, are proven over %d techniques "
		 "(Holm). MDE: the smallest change that so many pairs find with 80 %% power; a smaller one may exist. IoU is the same in every run; "
		 "%.3f matters.",
		 all->family, VRS_TECHNIQUE_IOU_MARGIN);
}

static void set_sides(struct vrs_table *t, int column, const struct vrs_technique_outcome *o, size_t offset)
{
	set_short(t, column, vrs_case_result_median(o->off, offset));
	set_short(t, column + 1, vrs_case_result_median(o->on, offset));
}

static void set_estimates(struct vrs_table *t, int column, const struct vrs_estimate *off, const struct vrs_estimate *on, double factor)
{
	set_short(t, column, off->n ? factor * off->median : NAN);
	set_short(t, column + 1, on->n ? factor * on->median : NAN);
}

static void before_after_row(struct vrs_table *t, const struct vrs_technique_outcome *o)
{
	char pace[32];
	const struct vrs_case_result *off = o->off, *on = o->on;
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s%s", o->technique->name, pace_text(o->technique, pace, sizeof pace));
	set_estimates(t, 1, &off->fps, &on->fps, 1);
	set_sides(t, 3, o, offsetof(struct vrs_run, latency_median_ms));
	set_sides(t, 5, o, offsetof(struct vrs_run, latency_p99_ms));
	set_estimates(t, 7, &off->cpu_ms_per_frame, &on->cpu_ms_per_frame, 1);
	set_estimates(t, 9, &off->peak_rss, &on->peak_rss, 1.0 / 1048576);
	vrs_table_set_number(t, 11, "%.4f", o->iou_off);
	vrs_table_set_number(t, 12, "%.4f", o->iou_on);
}

static void before_after_table(const struct vrs_technique_outcomes *all, struct vrs_findings *findings)
{
	static const char *const heads[] = {"technique", "FPS off", "FPS on", "P50 off (ms)", "P50 on (ms)", "P99 off (ms)", "P99 on (ms)",
					    "CPU off (ms)", "CPU on (ms)", "MiB off", "MiB on", "IoU off", "IoU on"};
	struct vrs_table *t = vrs_findings_start_table(findings, "before-after", "Before and after", heads, 13, 1u);
	bool truth = false;
	for (int i = 0; i < all->count; i++) {
		if (!all->items[i].off)
			continue;
		before_after_row(t, &all->items[i]);
		truth |= all->items[i].has_truth;
	}
	snprintf(t->caption, sizeof t->caption,
		 "Medians over runs. P50 and P99: latency of a frame from the start of decoding (live: from its intended start) to the end of "
		 "encoding, of each run, where the run has enough frames. CPU: of the whole process for one frame. MiB: peak resident memory. "
		 "IoU: with %s. A figure that was not observed is left out.",
		 truth ? "the truth of the clip" : "the mattes of the command's configuration in fp32 (this clip has no truth)");
}

static void set_side(struct vrs_table *t, int column, const struct vrs_technique_side *side)
{
	char text[240] = "";
	for (int i = 0; i < side->count; i++) {
		size_t used = strlen(text);
		(void)snprintf(text + used, sizeof text - used, "%s%s=%.60s", used ? ", " : "", side->values[i].key, side->values[i].value);
	}
	vrs_table_set(t, column, "%s", text);
}

static void switch_table(const struct vrs_technique_outcomes *all, struct vrs_findings *findings)
{
	static const char *const heads[] = {"technique", "improves", "off", "on", "where it matters"};
	struct vrs_table *t = vrs_findings_start_table(findings, "switches", "What was switched", heads, 5, 31u);
	for (int i = 0; i < all->count; i++) {
		char pace[32];
		const struct vrs_technique *q = all->items[i].technique;
		if (q->kind != VRS_TECHNIQUE_PAIR)
			continue;
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s%s", q->name, pace_text(q, pace, sizeof pace));
		vrs_table_set(t, 1, "%s", vrs_technique_goal_name(q->goal));
		set_side(t, 2, &q->off);
		set_side(t, 3, &q->on);
		vrs_table_set(t, 4, "%s", q->where);
	}
}

static void missing_table(const struct vrs_technique_outcomes *all, struct vrs_findings *findings)
{
	static const char *const heads[] = {"technique", "state", "why"};
	struct vrs_table *t = vrs_findings_start_table(findings, "no-pair", "Techniques without a pair", heads, 3, 7u);
	for (int i = 0; i < all->count; i++) {
		const struct vrs_technique *q = all->items[i].technique;
		if (q->kind == VRS_TECHNIQUE_PAIR)
			continue;
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s", q->name);
		vrs_table_set(t, 1, "%s", vrs_technique_kind_name(q->kind));
		vrs_table_set(t, 2, "%s", q->reason);
	}
	snprintf(t->caption, sizeof t->caption,
		 "missing: the engine has not got it. always: the engine always works so. elsewhere: a run of one job does not show it.");
}

/* Rounds that are too few for any proof, and noise, are said where they are read. */
static void add_notes(const struct vrs_technique_outcomes *all, struct vrs_findings *findings)
{
	int need = vrs_verdict_family_rounds(all->family), most = 0, noisy = 0;
	const char *first = "";
	for (int i = 0; i < all->count; i++) {
		const struct vrs_technique_outcome *o = &all->items[i];
		if (o->goal >= 0 && o->metrics[o->goal].pairs > most)
			most = o->metrics[o->goal].pairs;
		if (!o->off || !(o->off->warning[0] || o->on->warning[0]))
			continue;
		first = noisy++ ? first : o->off->warning[0] ? o->off->warning : o->on->warning;
	}
	if (all->family > 0 && most < need)
		vrs_findings_add_note(findings, VRS_NOTE_WARNING, "few-rounds",
				      "%d shared round%s can prove nothing about %d techniques together: at least %d are needed (--runs %d)", most,
				      most == 1 ? "" : "s", all->family, need, need + 2);
	if (noisy > 0) {
		struct vrs_note *note = vrs_findings_add_note(findings, VRS_NOTE_WARNING, "noise", "The machine was disturbed while %d of the pairs ran; their "
							      "margins were widened by half.", noisy);
		snprintf(note->evidence, sizeof note->evidence, "of noise, the first: %.220s", first);
	}
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
			 result->input, vrs_name_of(&vrs_input_kind_names, c->input_kind), c->width, c->height, vrs_name_of(&vrs_scope_names, c->scope),
			 result->rounds, result->quick ? ", quick" : "",
			 result->complete ? "" : ", not complete", result->tool_version, result->finished_utc);
	vrs_strcpy(findings->reproduce, sizeof findings->reproduce, result->command);
}

enum vrs_status vrs_technique_findings(const struct vrs_technique_outcomes *outcomes, const struct vrs_result *result, struct vrs_findings *findings)
{
	set_heads(outcomes, result, findings);
	verdict_table(outcomes, findings);
	before_after_table(outcomes, findings);
	switch_table(outcomes, findings);
	missing_table(outcomes, findings);
	add_notes(outcomes, findings);
	return vrs_findings_finish(findings);
}
