/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/checklist.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/dataset.h"
#include "analyzer/figures/figures.h"
#include "analyzer/targets.h"
#include "base/str_parse.h"
#include "bench/judge/soak.h"
#include "bench/judge/verdict.h"

static const struct {
	const char *name, *asks, *command; /* each %s is the folder, but the first of a soak, which is how long */
} rows[VRS_CHECK_COUNT] = {
	[VRS_CHECK_SWEEP] = {"sweep", "resolution, batch and precision measured to the end", "vrbench --all --output-dir %s/sweep VIDEO"},
	[VRS_CHECK_SPEED] = {"speed", "targets of speed and frame times met", "vrbench --output-dir %s/speed VIDEO"},
	[VRS_CHECK_UTILIZATION] = {"utilization", "target of utilization met", "vrbench --output-dir %s/utilization VIDEO"},
	[VRS_CHECK_LATENCY] = {"latency", "target of live latency met", "vrbench --mode live@90 --output-dir %s/live VIDEO"},
	[VRS_CHECK_REAL_VIDEO] = {"real video", "measured on stereo video of a camera", "vrbench --output-dir %s/real VR_VIDEO"},
	[VRS_CHECK_SOAK] = {"soak", "a long run without growth of memory or drift", "vrbench --soak %s --output-dir %s/soak VIDEO"},
	[VRS_CHECK_THERMAL] = {"thermal", "no throttling, target of temperature met", "vrbench --soak 1h --output-dir %s/warm VIDEO"},
	[VRS_CHECK_CONFIGURATION] = {"configuration", "the settings are no slower than what they replace",
				     "vrbench --versus default -c my.yaml --output-dir %s/verified VIDEO"},
};

static const char *const state_names[] = {"missing", "done", "failed"}; /* of enum vrs_check_state */

void vrs_checklist_init(struct vrs_checklist *list, const char *targets, double soak_seconds)
{
	memset(list, 0, sizeof *list);
	list->targets = targets;
	list->soak_seconds = soak_seconds;
}

/* Keep what a result says of a point: a judgement beats none, and a newer one an older one. */
static void keep(struct vrs_checklist *list, enum vrs_check check, const struct vrs_check_point *point)
{
	struct vrs_check_point *kept = &list->points[check];
	bool judged = point->state != VRS_CHECK_MISSING, was_judged = kept->state != VRS_CHECK_MISSING;
	if (!point->evidence[0] || (was_judged && !judged))
		return;
	if (judged != was_judged || !kept->source[0] || strcmp(point->date, kept->date) >= 0)
		*kept = *point;
}

static struct vrs_check_point point_of(const struct vrs_result *result, const char *source)
{
	struct vrs_check_point p = {.state = VRS_CHECK_MISSING, .fingerprint = result->fingerprint};
	(void)vrs_strcpy(p.source, sizeof p.source, source);
	(void)vrs_strcpy(p.date, sizeof p.date, result->finished_utc[0] ? result->finished_utc : result->started_utc);
	return p;
}

static void sweep_point(const struct vrs_result *result, struct vrs_check_point *p)
{
	static const enum vrs_axis axes[] = {VRS_AXIS_RESOLUTION, VRS_AXIS_BATCH, VRS_AXIS_PRECISION};
	const struct vrs_case_result *two[2];
	int failed = 0, varied = 0;
	for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
		varied += vrs_axis_cases(result, axes[i], two, 2) >= 2;
	for (int i = 0; i < result->case_count; i++)
		failed += !vrs_case_result_is_skipped(&result->cases[i]) && vrs_case_result_ok_runs(&result->cases[i]) == 0;
	if (varied == 0 || result->versus[0])
		return;
	if (varied < 3)
		snprintf(p->evidence, sizeof p->evidence, "%d of resolution, batch and precision were varied", varied);
	else if (result->quick)
		snprintf(p->evidence, sizeof p->evidence, "a quick sweep gives a first answer only");
	else if (!result->complete)
		snprintf(p->evidence, sizeof p->evidence, "it was interrupted: vrbench --resume %.150s", p->source);
	else
		p->state = failed ? VRS_CHECK_FAILED : VRS_CHECK_DONE,
		snprintf(p->evidence, sizeof p->evidence, "%d cases, %d without a good run", result->case_count, failed);
}

/* Does the row of a target belong to the point? */
static bool is_target_of(const char *target, enum vrs_check check)
{
	switch (check) {
	case VRS_CHECK_SPEED: return strncmp(target, "fps.", 4) == 0 || strncmp(target, "frame_time.", 11) == 0 || strcmp(target, "target.fps") == 0;
	case VRS_CHECK_UTILIZATION: return strcmp(target, "device.min_utilization_percent") == 0;
	case VRS_CHECK_LATENCY: return strcmp(target, "latency.max_ms") == 0 || strcmp(target, "target.max_latency_ms") == 0;
	case VRS_CHECK_THERMAL: return strcmp(target, "device.max_temperature_c") == 0;
	default: return false;
	}
}

/* The targets of one point: failed where one is missed, done where one is met and none missed. The first missed, else the first met, is evidence. */
static void target_point(const struct vrs_table *t, enum vrs_check check, struct vrs_check_point *p)
{
	int met = 0, missed = 0;
	for (int r = 0; t && r < t->rows; r++) {
		char *const *cell = &t->cells[r * t->columns]; /* target, goal, value, status, note */
		bool pass = strcmp(cell[3], "pass") == 0, fail = strcmp(cell[3], "fail") == 0;
		if (!is_target_of(cell[0], check))
			continue;
		if (!p->evidence[0] || (fail && !missed) || (pass && !met && !missed))
			snprintf(p->evidence, sizeof p->evidence, "%.48s: %.24s%s, %.24s wanted%s%.96s", cell[0], cell[2][0] ? cell[2] : cell[3],
				 cell[2][0] && strcmp(cell[3], "invalid") == 0 ? " on a disturbed machine, which counts for nothing" : "", cell[1],
				 cell[4][0] ? "; " : "", cell[4]);
		met += pass;
		missed += fail;
	}
	if (met + missed > 0)
		p->state = missed ? VRS_CHECK_FAILED : VRS_CHECK_DONE;
	size_t used = strlen(p->evidence);
	if (met + missed > 1)
		snprintf(p->evidence + used, sizeof p->evidence - used, " (%d of %d targets met)", met, met + missed);
}

static void thermal_point(const struct vrs_result *result, const struct vrs_table *targets, struct vrs_check_point *p)
{
	double events = 0;
	bool seen = false;
	for (int i = 0; i < result->case_count; i++)
		for (int k = 0; k < result->cases[i].run_count; k++) {
			double now = vrs_figure_throttle_events(&result->cases[i].runs[k]);
			seen = seen || isfinite(now);
			events += isfinite(now) ? now : 0;
		}
	target_point(targets, VRS_CHECK_THERMAL, p);
	if (!seen)
		return;
	if (events > 0)
		p->state = VRS_CHECK_FAILED;
	else if (p->state == VRS_CHECK_MISSING)
		p->state = VRS_CHECK_DONE;
	size_t used = strlen(p->evidence);
	snprintf(p->evidence + used, sizeof p->evidence - used, "%sthe CPU throttled %.0f times", used ? "; " : "", events);
}

static void real_video_point(const struct vrs_result *result, struct vrs_check_point *p)
{
	for (int i = 0; i < result->case_count && !p->evidence[0]; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		if (vrs_case_result_ok_runs(c) == 0 || c->scope != VRS_SCOPE_END_TO_END || (c->layout != VRS_STEREO_SBS && c->layout != VRS_STEREO_TB))
			continue;
		if (c->input_kind == VRS_INPUT_SYNTHETIC || strncmp(result->input, "synth:", 6) == 0 || !result->input[0])
			continue;
		p->state = VRS_CHECK_DONE;
		snprintf(p->evidence, sizeof p->evidence, "%.160s, %dx%d", result->input, c->width, c->height);
	}
}

static void soak_point(const struct vrs_result *result, double wanted_seconds, struct vrs_check_point *p)
{
	char span[24], wanted[24];
	for (int i = 0; i < result->case_count && !p->evidence[0]; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		if (c->soak_verdict == VRS_OUTCOME_NONE)
			continue;
		vrs_soak_span_text(c->soak_seconds, span, sizeof span);
		if (c->soak_verdict == VRS_OUTCOME_FAIL)
			p->state = VRS_CHECK_FAILED;
		else if (c->soak_verdict == VRS_OUTCOME_PASS && c->soak_seconds >= wanted_seconds)
			p->state = VRS_CHECK_DONE;
		snprintf(p->evidence, sizeof p->evidence, "%s over %s%s%.150s", vrs_name_of(&vrs_outcome_names, c->soak_verdict), span,
			 c->soak_note[0] ? ": " : "", c->soak_note);
		if (c->soak_verdict == VRS_OUTCOME_PASS && p->state == VRS_CHECK_MISSING)
			snprintf(p->evidence, sizeof p->evidence, "passed, but over %s only; %s are asked for", span,
				 vrs_soak_span_text(wanted_seconds, wanted, sizeof wanted));
	}
}

/* By speed, whatever was decided by; NULL: it was not compared. */
static const struct vrs_comparison *speed_of(const struct vrs_result *result)
{
	bool live = result->case_count > 0 && result->cases[0].live_hz > 0;
	const char *name = vrs_headline_name(live ? VRS_HEADLINE_LATENCY : VRS_HEADLINE_FPS);
	for (int i = 0; i < result->comparison_count; i++)
		if (strcmp(result->comparisons[i].metric, name) == 0)
			return &result->comparisons[i];
	return NULL;
}

static void configuration_point(const struct vrs_result *result, struct vrs_check_point *p)
{
	const struct vrs_comparison *c = speed_of(result);
	if (!result->versus[0] || !c || result->injected_slowdown > 0)
		return;
	if (c->verdict == VRS_VERDICT_SLOWER)
		p->state = VRS_CHECK_FAILED;
	else if (c->verdict == VRS_VERDICT_FASTER || c->verdict == VRS_VERDICT_EQUIVALENT)
		p->state = VRS_CHECK_DONE;
	char change[24] = "", interval[40] = "";
	if (isfinite(c->change))
		snprintf(change, sizeof change, ", %+.1f %%", 100 * c->change);
	if (isfinite(c->low) && isfinite(c->high))
		snprintf(interval, sizeof interval, " [%+.1f, %+.1f]", 100 * c->low, 100 * c->high);
	snprintf(p->evidence, sizeof p->evidence, "%s in %s against %.120s%s%s", vrs_verdict_word(c), c->metric, result->versus,
		 change, interval);
}

enum vrs_status vrs_checklist_add(struct vrs_checklist *list, const struct vrs_result *result, const char *source, struct vrs_error *err)
{
	struct vrs_findings *judged = vrs_findings_create();
	int missed, invalid;
	enum vrs_status status = judged ? vrs_target_table(result, list->targets, judged, &missed, &invalid, err) : vrs_fail_nomem(err);
	const struct vrs_table *targets = status == VRS_OK && judged->table_count > 0 ? &judged->tables[0] : NULL;
	for (int i = 0; status == VRS_OK && i < VRS_CHECK_COUNT; i++) {
		struct vrs_check_point p = point_of(result, source);
		switch ((enum vrs_check)i) {
		case VRS_CHECK_SWEEP: sweep_point(result, &p); break;
		case VRS_CHECK_REAL_VIDEO: real_video_point(result, &p); break;
		case VRS_CHECK_SOAK: soak_point(result, list->soak_seconds, &p); break;
		case VRS_CHECK_THERMAL: thermal_point(result, targets, &p); break;
		case VRS_CHECK_CONFIGURATION: configuration_point(result, &p); break;
		default: target_point(targets, (enum vrs_check)i, &p); break;
		}
		keep(list, (enum vrs_check)i, &p);
	}
	vrs_findings_destroy(judged);
	return status;
}

int vrs_checklist_count(const struct vrs_checklist *list, enum vrs_check_state state)
{
	int n = 0;
	for (int i = 0; i < VRS_CHECK_COUNT; i++)
		n += list->points[i].state == state;
	return n;
}

static void command_text(const struct vrs_checklist *list, enum vrs_check check, const char *folder, char *buf, size_t size)
{
	const char *command = rows[check].command, *hole = strstr(command, "%s");
	char hours[24] = "";
	size_t used = 0;
	if (check == VRS_CHECK_SOAK)
		snprintf(hours, sizeof hours, "%gh", list->soak_seconds / 3600);
	for (bool first = true; hole; hole = strstr(command, "%s"), first = false) {
		used += (size_t)snprintf(buf + used, size - used, "%.*s%.120s", (int)(hole - command), command, first && hours[0] ? hours : folder);
		command = hole + 2;
	}
	(void)snprintf(buf + used, size - used, "%s", command);
}

/* The judged point with the newest result; NULL: none is judged by a machine that is known. */
static const struct vrs_check_point *newest_point(const struct vrs_checklist *list)
{
	const struct vrs_check_point *newest = NULL;
	for (int i = 0; i < VRS_CHECK_COUNT; i++) {
		const struct vrs_check_point *p = &list->points[i];
		if (p->state != VRS_CHECK_MISSING && p->fingerprint && (!newest || strcmp(p->date, newest->date) > 0))
			newest = p;
	}
	return newest;
}

/* Production runs on one machine: what another has shown may not hold there. */
static void tell_machines(const struct vrs_checklist *list, struct vrs_findings *findings)
{
	const struct vrs_check_point *newest = newest_point(list), *other = NULL;
	char names[160] = "";
	size_t used = 0;
	for (int i = 0; newest && i < VRS_CHECK_COUNT; i++) {
		const struct vrs_check_point *p = &list->points[i];
		if (p->state == VRS_CHECK_MISSING || !p->fingerprint || p->fingerprint == newest->fingerprint)
			continue;
		used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", other ? ", " : "", rows[i].name);
		other = other ? other : p;
	}
	if (!other)
		return;
	struct vrs_note *n = vrs_findings_add_note(findings, VRS_NOTE_WARNING, "machines", "Another machine than that of %.150s was measured for: %s.",
						   newest->source, names);
	snprintf(n->evidence, sizeof n->evidence, "their fingerprints differ; vranalyze compare %.200s %.200s shows in what", newest->source, other->source);
}

void vrs_checklist_findings(const struct vrs_checklist *list, const char *folder, struct vrs_findings *findings)
{
	static const char *const heads[] = {"point", "status", "result", "measured"};
	char command[400];
	snprintf(findings->title, sizeof findings->title, "Before production");
	snprintf(findings->verdict, sizeof findings->verdict, "%d of %d points are done, %d failed, %d missing.",
		 vrs_checklist_count(list, VRS_CHECK_DONE), VRS_CHECK_COUNT, vrs_checklist_count(list, VRS_CHECK_FAILED),
		 vrs_checklist_count(list, VRS_CHECK_MISSING));
	struct vrs_table *t = vrs_findings_start_table(findings, "checklist", "Points", heads, 4, ~0u);
	for (int i = 0; i < VRS_CHECK_COUNT; i++) {
		const struct vrs_check_point *p = &list->points[i];
		bool done = p->state == VRS_CHECK_DONE;
		command_text(list, (enum vrs_check)i, folder, command, sizeof command);
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s", rows[i].name);
		vrs_table_set(t, 1, "%s", state_names[p->state]);
		vrs_table_set(t, 2, "%s", p->source);
		vrs_table_set(t, 3, "%.16s", p->date);
		struct vrs_note *note = vrs_findings_add_note(findings, done ? VRS_NOTE_INFO : VRS_NOTE_RECOMMENDATION, rows[i].name, "%s (%s): %s%s%s",
							      rows[i].name, state_names[p->state], rows[i].asks, done ? "." : ". To measure it: ",
							      done ? "" : command);
		snprintf(note->evidence, sizeof note->evidence, "%s", p->evidence[0] ? p->evidence : "no result says anything about it");
	}
	tell_machines(list, findings);
	snprintf(t->caption, sizeof t->caption, "Of several results that judge a point, the newest counts.");
}
