/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/night_tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/summary_parts.h"
#include "bench/judge/night_figures.h"

const char *vrs_night_build(const char *commit, const char *version, const char *sha256, char *buf, size_t size)
{
	if (commit[0] && strcmp(commit, "unknown") != 0)
		(void)snprintf(buf, size, "%s", commit);
	else if (version[0])
		(void)snprintf(buf, size, "%s (%.8s)", version, sha256);
	else
		(void)snprintf(buf, size, "%.12s", sha256);
	return buf;
}

static const char *build_of(const struct vrs_night_record *night, char *buf, size_t size)
{
	return vrs_night_build(night->commit, night->version, night->sha256, buf, size);
}

const char *vrs_night_word(const struct vrs_comparison *m)
{
	bool amount = vrs_night_metric_is_quality(m->metric) || strcmp(m->metric, "peak_memory") == 0;
	if (!(m->pairs > 0) && m->verdict == VRS_VERDICT_INCONCLUSIVE && !isfinite(m->a))
		return "recorded";
	if (amount && m->verdict == VRS_VERDICT_SLOWER)
		return "WORSE";
	return amount && m->verdict == VRS_VERDICT_FASTER ? "BETTER" : vrs_name_of(&vrs_verdict_names, m->verdict);
}

static void metric_row(struct vrs_table *t, const struct vrs_night_figures *c, const struct vrs_comparison *m, bool several)
{
	char a[32], b[32];
	bool quality = vrs_night_metric_is_quality(m->metric);
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", c->id);
	vrs_table_set(t, 1, "%s", several ? c->input : "");
	vrs_table_set(t, 2, "%s%s%s%s", m->metric, m->unit[0] ? " (" : "", m->unit, m->unit[0] ? ")" : "");
	if (quality) {
		vrs_table_set_number(t, 3, "%.4f", m->a);
		vrs_table_set_number(t, 4, "%.4f", m->b);
	} else {
		vrs_table_set(t, 3, "%s", vrs_short_number(m->a, a, sizeof a));
		vrs_table_set(t, 4, "%s", vrs_short_number(m->b, b, sizeof b));
	}
	vrs_table_set_number(t, 5, "%+.1f", 100 * m->change);
	if (isfinite(m->low) && isfinite(m->high))
		vrs_table_set(t, 6, "[%+.1f, %+.1f]", 100 * m->low, 100 * m->high);
	vrs_table_set_number(t, 7, "%.4f", isfinite(m->holm_p) ? m->holm_p : m->p);
	if (m->pairs > 0)
		vrs_table_set(t, 8, "%d", m->pairs);
	vrs_table_set(t, 9, "%s", vrs_night_word(m));
}

static void night_table(const struct vrs_night_record *night, struct vrs_findings *findings)
{
	static const char *const heads[] = {"case", "video", "metric", "baseline", "build", "cost (%)", "interval (%)", "p", "pairs", "verdict"};
	struct vrs_table *t = vrs_findings_start_table(findings, "night", "The night, case by case", heads, sizeof heads / sizeof *heads,
						       1u << 0 | 1u << 1 | 1u << 2 | 1u << 9);
	bool several = false;
	for (int i = 1; i < night->case_count; i++)
		several |= strcmp(night->cases[i].input, night->cases[0].input) != 0;
	for (int i = 0; i < night->case_count; i++)
		for (int k = 0; k < night->cases[i].metric_count; k++)
			metric_row(t, &night->cases[i], &night->cases[i].metrics[k], several);
	snprintf(t->caption, sizeof t->caption, "Cost: above 0, the build is slower, needs more or has a worse matte. All cases and metrics are one "
		 "family: p is adjusted over it where it says so much. Figures of the matte are the same in every run, so they have no p.");
	for (int i = 0; i < night->case_count; i++)
		if (night->cases[i].note[0])
			vrs_findings_add_note(findings, VRS_NOTE_WARNING, "case", "%.100s, %.200s: %.180s.", night->cases[i].input, night->cases[i].id,
					      night->cases[i].note);
}

static const char *series_text(const struct vrs_night_watch *watch, const struct vrs_night_alert *alert, char *buf, size_t size)
{
	if (alert->series < 0) {
		(void)snprintf(buf, size, "nights fail against the baseline");
		return buf;
	}
	const struct vrs_night_series *s = &watch->series[alert->series];
	const struct vrs_history_alert *a = &s->alerts[alert->alert];
	char name[VRS_NIGHT_CASE_MAX];
	(void)snprintf(buf, size, "%s of %.240s, %.80s: %+.1f %% [%+.1f, %+.1f]", s->metric, vrs_night_series_case(s, name, sizeof name), s->input,
		       100 * a->change, 100 * a->low, 100 * a->high);
	return buf;
}

/* "abc123..def456": the build before and the first one after. */
static const char *range_text(const struct vrs_night_watch *watch, const struct vrs_night_alert *alert, char *buf, size_t size)
{
	char good[96] = "baseline", bad[96];
	if (alert->good >= 0)
		build_of(watch->records[alert->good], good, sizeof good);
	build_of(watch->records[alert->bad], bad, sizeof bad);
	(void)snprintf(buf, size, "%s..%s", good, bad);
	return buf;
}

const char *vrs_night_alert_text(const struct vrs_night_watch *watch, const struct vrs_night_alert *alert, char *buf, size_t size)
{
	char range[200], series[400], name[VRS_NIGHT_NAME_MAX];
	(void)snprintf(buf, size, "%s in %s (%s): %d series worse, %d better; most %s", vrs_name_of(&vrs_night_alert_kind_names, (int)alert->kind),
		       range_text(watch, alert, range, sizeof range), vrs_night_name(watch->records[alert->bad], name), alert->worse, alert->better,
		       series_text(watch, alert, series, sizeof series));
	return buf;
}

static const char *state_of(const struct vrs_night_alert *alert)
{
	return alert->note ? "known" : alert->alarms ? "ALARM" : alert->open ? "open" : "settled";
}

/* What of the history as a whole limits what it says. */
static void watch_notes(const struct vrs_night_watch *watch, struct vrs_findings *findings)
{
	const struct vrs_night_record *stray = watch->stray_clocks > 0 ? watch->records[watch->last_stray] : NULL;
	char others[48] = "";
	if (watch->suspicions > 0)
		vrs_findings_add_note(findings, VRS_NOTE_INFO, "suspicions", "%d changes of series are suspected and not yet proven: further nights will tell.",
				      watch->suspicions);
	if (watch->sparse_series > 0)
		vrs_findings_add_note(findings, VRS_NOTE_INFO, "sparse", "The nights of %d series are too far apart to judge slow drift "
				      "(docs/nightly.md says how near they must be); steps are judged.", watch->sparse_series);
	if (watch->stray_clocks > 1)
		(void)snprintf(others, sizeof others, ", as of %d before it,", watch->stray_clocks - 1);
	if (stray)
		vrs_findings_add_note(findings, VRS_NOTE_WARNING, "clock", "The clock of night %lld (%s)%s was out of step: such a night counts as of a day "
				      "between its neighbours.", (long long)stray->number, stray->date_utc, others);
}

static void alert_table(const struct vrs_night_watch *watch, struct vrs_findings *findings)
{
	static const char *const heads[] = {"night", "builds", "kind", "worse", "better", "changed most", "state", "note"};
	struct vrs_table *t = vrs_findings_start_table(findings, "alerts", "Changes in the history, one for each range of builds", heads,
						       sizeof heads / sizeof *heads, 1u << 1 | 1u << 2 | 1u << 5 | 1u << 6 | 1u << 7);
	for (int i = 0; i < watch->alert_count; i++) {
		const struct vrs_night_alert *a = &watch->alerts[i];
		char text[400];
		vrs_table_add_row(t);
		if (watch->records[a->bad]->number > 0)
			vrs_table_set(t, 0, "%lld", (long long)watch->records[a->bad]->number);
		vrs_table_set(t, 1, "%s", range_text(watch, a, text, sizeof text));
		vrs_table_set(t, 2, "%s", vrs_name_of(&vrs_night_alert_kind_names, (int)a->kind));
		vrs_table_set(t, 3, "%d", a->worse);
		vrs_table_set(t, 4, "%d", a->better);
		vrs_table_set(t, 5, "%s", series_text(watch, a, text, sizeof text));
		vrs_table_set(t, 6, "%s", state_of(a));
		vrs_table_set(t, 7, "%s", a->note ? a->note->reason : "");
	}
	snprintf(t->caption, sizeof t->caption, "Builds: the last one before the change and the first one after; vranalyze bisect says how to find the "
		 "commit between them. A change of a ratio to the baseline: above 0 is more, for better or worse.");
	watch_notes(watch, findings);
}

/* What limits the night's meaning. */
static void add_notes(const struct vrs_night_record *night, struct vrs_findings *findings)
{
	if (night->injected_slowdown > 0)
		vrs_findings_add_note(findings, VRS_NOTE_WARNING, "injected-slowdown", "The build was slowed by %.0f %% on purpose (--inject-slowdown): this night "
				      "proves the gate, says nothing about the build, and is no part of any series.", 100 * night->injected_slowdown);
	if (!night->complete)
		vrs_findings_add_note(findings, VRS_NOTE_WARNING, "budget", "The budget ended before the last round: give more time, or fewer cases (--sweep).");
	if (!night->baseline_sha256[0])
		vrs_findings_add_note(findings, VRS_NOTE_INFO, "no-baseline", "No baseline was measured, so speeds have no verdict: give the accepted vrbench with "
				      "--baseline.");
	if (night->confirmed)
		vrs_findings_add_note(findings, VRS_NOTE_INFO, "confirmed", "A second invocation has measured what the first one called slower.");
}

void vrs_night_findings(const struct vrs_night_record *night, const struct vrs_night_watch *watch, const char *name, struct vrs_findings *findings)
{
	char build[96], baseline[16] = "none";
	if (night->baseline_sha256[0])
		(void)snprintf(baseline, sizeof baseline, "%.12s", night->baseline_sha256);
	if (night->number > 0)
		(void)snprintf(findings->title, sizeof findings->title, "Night %lld of %.90s", (long long)night->number, name);
	else
		(void)snprintf(findings->title, sizeof findings->title, "A result against %.90s", name);
	(void)snprintf(findings->verdict, sizeof findings->verdict, "%s", night->reason);
	(void)snprintf(findings->subtitle, sizeof findings->subtitle, "%s, build %s, baseline %s", night->date_utc, build_of(night, build, sizeof build),
		       baseline);
	(void)snprintf(findings->reproduce, sizeof findings->reproduce, "%s", night->command);
	add_notes(night, findings);
	night_table(night, findings);
	alert_table(watch, findings);
}

/* Each change of a series with its figures before and after: what an optimization gave, and what it cost. */
static void change_table(const struct vrs_night_watch *watch, struct vrs_findings *findings)
{
	static const char *const heads[] = {"night", "date", "builds", "video", "case", "metric", "before", "after", "change (%)", "for", "what"};
	struct vrs_table *t = vrs_findings_start_table(findings, "changes", "What each change did to every metric", heads, sizeof heads / sizeof *heads,
						       1u << 1 | 1u << 2 | 1u << 3 | 1u << 4 | 1u << 5 | 1u << 9 | 1u << 10);
	for (int i = 0; i < watch->alert_count; i++) {
		const struct vrs_night_alert *alert = &watch->alerts[i];
		for (int s = 0; s < watch->series_count; s++)
			for (int k = 0; k < watch->series[s].alert_count; k++) {
				const struct vrs_night_series *series = &watch->series[s];
				const struct vrs_history_alert *a = &series->alerts[k];
				int good = a->first > 0 ? series->places[a->first - 1] : -1, bad = series->places[a->last];
				bool drift = a->kind != VRS_HISTORY_STEP;
				char range[200], name[VRS_NIGHT_CASE_MAX];
				if (!a->confirmed || drift != (alert->kind == VRS_NIGHT_ALERT_DRIFT) || good > alert->good || bad < alert->bad)
					continue;
				vrs_table_add_row(t);
				vrs_table_set(t, 0, "%lld", (long long)watch->records[alert->bad]->number);
				vrs_table_set(t, 1, "%.10s", watch->records[alert->bad]->date_utc);
				vrs_table_set(t, 2, "%s", range_text(watch, alert, range, sizeof range));
				vrs_table_set(t, 3, "%s", series->input);
				vrs_table_set(t, 4, "%s", vrs_night_series_case(series, name, sizeof name));
				vrs_table_set(t, 5, "%s", series->metric);
				vrs_table_set_number(t, 6, "%.4f", a->before);
				vrs_table_set_number(t, 7, "%.4f", a->after);
				vrs_table_set_number(t, 8, "%+.1f", 100 * a->change);
				vrs_table_set(t, 9, a->worse ? "worse" : "better");
				vrs_table_set(t, 10, "%s", alert->note ? alert->note->reason : drift ? "drift" : "");
			}
	}
	snprintf(t->caption, sizeof t->caption, "Before and after are ratios to the accepted baseline of the same nights. Rows of one night are one "
		 "change: what is better in some and worse in others is its trade-off. vranalyze annotate notes what it was.");
}

static void nights_table(const struct vrs_night_history *history, struct vrs_findings *findings)
{
	static const char *const heads[] = {"night", "date", "build", "baseline", "verdict", "confirmed", "what it says"};
	struct vrs_table *t = vrs_findings_start_table(findings, "nights", "Nights", heads, sizeof heads / sizeof *heads, 0x7e);
	for (int i = 0; i < history->night_count; i++) {
		const struct vrs_night_record *n = &history->nights[i];
		char build[96];
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%lld", (long long)n->number);
		vrs_table_set(t, 1, "%s", n->date_utc);
		vrs_table_set(t, 2, "%s", build_of(n, build, sizeof build));
		vrs_table_set(t, 3, "%.12s", n->baseline_sha256);
		vrs_table_set(t, 4, "%s%s", vrs_name_of(&vrs_night_outcome_names, n->outcome), n->injected_slowdown > 0 ? " (slowed on purpose)" : "");
		vrs_table_set(t, 5, n->confirmed ? "yes" : "");
		vrs_table_set(t, 6, "%s", n->reason);
	}
}

static void decision_table(const struct vrs_night_history *history, struct vrs_findings *findings)
{
	static const char *const heads[] = {"date", "night", "decision", "build", "reason"};
	struct vrs_table *t = vrs_findings_start_table(findings, "decisions", "Accepted baselines and notes", heads, sizeof heads / sizeof *heads,
						       1u << 0 | 1u << 2 | 1u << 3 | 1u << 4);
	for (int i = 0; i < history->decision_count; i++) {
		const struct vrs_decision *d = &history->decisions[i];
		char build[96];
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s", d->date_utc);
		vrs_table_set(t, 1, "%lld", (long long)d->night);
		vrs_table_set(t, 2, "%s", vrs_name_of(&vrs_decision_kind_names, d->kind));
		vrs_table_set(t, 3, "%s", vrs_night_build(d->commit, d->version, d->sha256, build, sizeof build));
		vrs_table_set(t, 4, "%s", d->reason);
	}
}

/* The level of a series between its steps. */
static double level_at(const struct vrs_night_series *series, int index)
{
	double level = NAN;
	for (int k = 0; k < series->alert_count; k++) {
		const struct vrs_history_alert *a = &series->alerts[k];
		if (!a->confirmed || a->kind != VRS_HISTORY_STEP)
			continue;
		if (index >= a->index)
			level = a->after;
		else if (isnan(level))
			level = a->before;
	}
	return level;
}

static void add_lines(const struct vrs_night_watch *watch, const struct vrs_night_series *series, struct vrs_graph_data *g)
{
	char name[96], case_name[VRS_NIGHT_CASE_MAX];
	vrs_night_series_case(series, case_name, sizeof case_name);
	(void)snprintf(name, sizeof name, "%.40s %.50s", series->input, case_name);
	struct vrs_series *line = vrs_graph_add_series(g, name, series->count, false);
	bool steps = isfinite(level_at(series, 0));
	for (int i = 0; line && i < series->count; i++) {
		line->x[i] = (double)watch->records[series->places[i]]->number;
		line->y[i] = series->nights[i].ratio;
	}
	if (!line || !steps)
		return;
	(void)snprintf(name, sizeof name, "level %.40s %.44s", series->input, case_name);
	line = vrs_graph_add_series(g, name, series->count, false);
	for (int i = 0; line && i < series->count; i++) {
		line->x[i] = (double)watch->records[series->places[i]]->number;
		line->y[i] = level_at(series, i);
		line->style = VRS_SERIES_DASHES;
	}
}

/* Accepted baselines and notes as points at ratio 1. */
static void add_decisions(const struct vrs_night_history *history, struct vrs_graph_data *g)
{
	int count = 0;
	for (int i = 0; i < history->decision_count; i++)
		count += vrs_night_history_find(history, history->decisions[i].night) != NULL;
	struct vrs_series *points = count > 0 ? vrs_graph_add_series(g, "accepted or noted", count, false) : NULL;
	for (int i = 0, k = 0; points && i < history->decision_count && k < count; i++)
		if (vrs_night_history_find(history, history->decisions[i].night)) {
			points->style = VRS_SERIES_POINTS;
			points->x[k] = (double)history->decisions[i].night;
			points->y[k++] = 1;
		}
}

#define MOST_METRICS 64 /* that are drawn: a stranger's history may have thousands */

static bool was_drawn(const char *const *drawn, int count, const char *metric)
{
	for (int i = 0; i < count; i++)
		if (strcmp(drawn[i], metric) == 0)
			return true;
	return false;
}

static void add_graphs(const struct vrs_night_history *history, const struct vrs_night_watch *watch, struct vrs_findings *findings)
{
	const char *drawn[MOST_METRICS];
	for (int s = 0, number = 0; s < watch->series_count; s++) {
		char id[48], title[96];
		if (was_drawn(drawn, number, watch->series[s].metric))
			continue;
		if (number == MOST_METRICS) {
			vrs_findings_add_note(findings, VRS_NOTE_WARNING, "metrics", "Only the first %d metrics are drawn.", MOST_METRICS);
			break;
		}
		drawn[number] = watch->series[s].metric;
		(void)snprintf(id, sizeof id, "history-%d", number++); /* a metric of a stranger's history is no name of a file */
		(void)snprintf(title, sizeof title, "%s against the baseline, night by night", watch->series[s].metric);
		struct vrs_graph_data *g = vrs_findings_add_graph(findings, id, title, VRS_GRAPH_LINES);
		(void)snprintf(g->x_label, sizeof g->x_label, "night");
		(void)snprintf(g->y_label, sizeof g->y_label, "ratio to the baseline");
		g->y_pad = 0.02;
		for (int k = s; k < watch->series_count; k++)
			if (strcmp(watch->series[k].metric, watch->series[s].metric) == 0)
				add_lines(watch, &watch->series[k], g);
		add_decisions(history, g);
	}
}

void vrs_night_history_findings(const struct vrs_night_history *history, const struct vrs_night_watch *watch, struct vrs_findings *findings)
{
	const struct vrs_night_record *last = vrs_night_history_last(history);
	const struct vrs_night_alert *alarm = vrs_night_watch_open(watch);
	(void)snprintf(findings->title, sizeof findings->title, "History of %.100s", history->folder);
	if (alarm)
		vrs_night_alert_text(watch, alarm, findings->verdict, sizeof findings->verdict);
	else
		(void)snprintf(findings->verdict, sizeof findings->verdict, "No change for the worse is open after %d nights.", history->night_count);
	if (last)
		(void)snprintf(findings->subtitle, sizeof findings->subtitle, "nights %lld to %lld, the last of %s", (long long)history->nights[0].number,
			       (long long)last->number, last->date_utc);
	alert_table(watch, findings);
	change_table(watch, findings);
	decision_table(history, findings);
	nights_table(history, findings);
	add_graphs(history, watch, findings);
}
