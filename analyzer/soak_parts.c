/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Long runs: a table of what they say, and graphs of their windows. */
#include "analyzer/run_graphs.h"
#include "analyzer/summary_parts.h"

#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/mem.h"

static const double mib = 1048576;

/* Hours, minutes or seconds, whichever makes short numbers. */
struct time_unit {
	double seconds;
	const char *label;
};

static struct time_unit unit_for(double seconds)
{
	if (seconds > 7200)
		return (struct time_unit){3600, "hours since warm-up"};
	return seconds > 300 ? (struct time_unit){60, "minutes since warm-up"} : (struct time_unit){1, "seconds since warm-up"};
}

static double memory_of(const struct vrs_soak_window *w)
{
	return w->rss_bytes >= 0 ? (double)w->rss_bytes / mib : NAN;
}

static double median_of(const struct vrs_soak_window *w)
{
	return w->median_ms;
}

static double p95_of(const struct vrs_soak_window *w)
{
	return w->p95_ms;
}

static double clock_of(const struct vrs_soak_window *w)
{
	return w->frequency_mhz;
}

static double temperature_of(const struct vrs_soak_window *w)
{
	return w->temperature_c;
}

/* One value of all windows, at the middle of their time; nothing where none has it. */
static void add_windows(struct vrs_graph_data *g, const char *name, const struct vrs_soak_window *w, int count, struct time_unit unit,
				   double (*value)(const struct vrs_soak_window *), enum vrs_series_style style)
{
	int points = 0;
	for (int i = 0; i < count; i++)
		points += isfinite(value(&w[i]));
	struct vrs_series *s = points ? vrs_graph_add_series(g, name, points, false) : NULL;
	if (!s)
		return;
	s->style = style;
	for (int i = 0, at = 0; i < count; i++)
		if (isfinite(value(&w[i]))) {
			s->x[at] = (w[i].end_seconds + (i ? w[i - 1].end_seconds : 0)) / 2 / unit.seconds;
			s->y[at++] = value(&w[i]);
		}
}

/* The Theil-Sen line, over the windows that it is made of. */
static void add_trend(struct vrs_graph_data *g, const struct vrs_trend *trend, const struct vrs_soak_window *w, int count,
				 struct time_unit unit, double scale)
{
	struct vrs_series *s = trend->blocks ? vrs_graph_add_series(g, "trend", 2, false) : NULL;
	if (!s)
		return;
	double from = w[count / 10].end_seconds, to = w[count - 1].end_seconds, middle = (from + to) / 2;
	s->style = VRS_SERIES_DASHES;
	for (int i = 0; i < 2; i++) {
		double at = i ? to : from;
		s->x[i] = at / unit.seconds;
		s->y[i] = (trend->level + trend->slope * (at - middle) / 3600) / scale;
	}
}

static void memory_graph(const struct vrs_soak *soak, const struct vrs_soak_window *w, int count, struct vrs_findings *findings)
{
	struct time_unit unit = unit_for(soak->seconds);
	if (!soak->memory.blocks)
		return;
	struct vrs_graph_data *g = vrs_findings_add_graph(findings, "soak-memory", "Soak: memory over time", VRS_GRAPH_LINES);
	snprintf(g->x_label, sizeof g->x_label, "%s", unit.label);
	snprintf(g->y_label, sizeof g->y_label, "resident memory (MiB)");
	snprintf(g->caption, sizeof g->caption, "At the end of every window. Trend by Theil and Sen, the first tenth left out: %+.2f MiB an hour, 95 %% "
		 "interval %+.2f to %+.2f.", soak->memory.slope / mib, soak->memory.low / mib, soak->memory.high / mib);
	g->y_pad = 4; /* a page more or less is no mountain */
	add_windows(g, "memory", w, count, unit, memory_of, VRS_SERIES_LINE);
	add_trend(g, &soak->memory, w, count, unit, mib);
}

static void time_graph(const struct vrs_soak *soak, const struct vrs_soak_window *w, int count, struct vrs_findings *findings)
{
	struct time_unit unit = unit_for(soak->seconds);
	if (!soak->drift.blocks)
		return;
	bool clock = isfinite(soak->frequency_first_mhz);
	struct vrs_graph_data *g = vrs_findings_add_graph(findings, "soak-frame-time", clock ? "Soak: frame time over time, and the clock"
							 : "Soak: frame time over time (the clock is not observable here)", VRS_GRAPH_LINES);
	snprintf(g->x_label, sizeof g->x_label, "%s", unit.label);
	snprintf(g->y_label, sizeof g->y_label, "time between frames (ms)");
	snprintf(g->y2_label, sizeof g->y2_label, "clock (MHz)");
	snprintf(g->caption, sizeof g->caption, "Of every window. Trend of the medians by Theil and Sen, the first tenth left out: %+.2f %% over the run, "
		 "95 %% interval %+.2f to %+.2f.", soak->drift_percent, soak->drift_low, soak->drift_high);
	add_windows(g, "median", w, count, unit, median_of, VRS_SERIES_LINE);
	add_windows(g, "P95", w, count, unit, p95_of, VRS_SERIES_DOTS);
	add_trend(g, &soak->drift, w, count, unit, 1);
	add_windows(g, "clock", w, count, unit, clock_of, VRS_SERIES_RIGHT);
}

static void warmth_graph(const struct vrs_soak *soak, const struct vrs_soak_window *w, int count, struct vrs_findings *findings)
{
	struct time_unit unit = unit_for(soak->seconds);
	if (!isfinite(soak->temperature_first_c))
		return;
	struct vrs_graph_data *g = vrs_findings_add_graph(findings, "soak-temperature", "Soak: frame time over time, and the temperature",
							  VRS_GRAPH_LINES);
	snprintf(g->x_label, sizeof g->x_label, "%s", unit.label);
	snprintf(g->y_label, sizeof g->y_label, "time between frames (ms)");
	snprintf(g->y2_label, sizeof g->y2_label, "temperature (C)");
	snprintf(g->caption, sizeof g->caption, "Median of every window, and the first sensor of the machine.");
	add_windows(g, "median", w, count, unit, median_of, VRS_SERIES_LINE);
	add_windows(g, "temperature", w, count, unit, temperature_of, VRS_SERIES_RIGHT);
}

/* A row of first and last values; nothing observed: says so. The trend is set by the caller. */
static void value_row(struct vrs_table *t, const char *name, const char *format, double first, double last)
{
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", name);
	vrs_table_set_number(t, 1, format, first);
	vrs_table_set_number(t, 2, format, last);
	if (!isfinite(first))
		vrs_table_set(t, 3, "unavailable here");
}

static void value_table(const struct vrs_soak *s, struct vrs_findings *findings)
{
	static const char *const heads[] = {"value", "at first", "at last", "trend"};
	const struct vrs_trend *m = &s->memory, *d = &s->drift;
	char span[24], window[24], longest[40] = "";
	struct vrs_table *t = vrs_findings_start_table(findings, "soak-values", "Over a long time: first and last", heads, 4, 1u << 0 | 1u << 3);
	value_row(t, "memory (MiB)", "%.1f", m->blocks ? m->first / mib : NAN, m->last / mib);
	if (m->has_interval) /* slopes without an interval are those of a few windows, and say nothing */
		vrs_table_set(t, 3, "%+.2f MiB an hour, 95 %% interval %+.2f to %+.2f", m->slope / mib, m->low / mib, m->high / mib);
	value_row(t, "frame time (ms)", "%.2f", d->blocks ? d->first : NAN, d->last);
	if (d->has_interval && isfinite(s->slow_from_seconds))
		vrs_table_set(t, 3, "%+.2f %% over the run, 95 %% interval %+.2f to %+.2f; at least 5 %% slower from %s on", s->drift_percent, s->drift_low,
			      s->drift_high, vrs_soak_span_text(s->slow_from_seconds, span, sizeof span));
	else if (d->has_interval)
		vrs_table_set(t, 3, "%+.2f %% over the run, 95 %% interval %+.2f to %+.2f", s->drift_percent, s->drift_low, s->drift_high);
	value_row(t, "temperature (C)", "%.0f", s->temperature_first_c, s->temperature_last_c);
	if (s->still_warming)
		vrs_table_set(t, 3, "still rising: heat is not settled");
	value_row(t, "clock (MHz)", "%.0f", s->frequency_first_mhz, s->frequency_last_mhz);
	value_row(t, "throttling (events)", "%.0f", s->throttle_events >= 0 ? 0 : NAN, s->throttle_events >= 0 ? (double)s->throttle_events : NAN);
	if (isfinite(s->worst_ms))
		snprintf(longest, sizeof longest, "; the longest took %.1f ms", s->worst_ms);
	snprintf(t->caption, sizeof t->caption, "%lld frames in %s: %d windows of %s. Frame times are medians%s.", (long long)s->frames,
		 vrs_soak_span_text(s->seconds, span, sizeof span), s->windows, vrs_soak_span_text(s->window_seconds, window, sizeof window), longest);
}

/* The windows of a soak, judged. False: there are none, or memory is short, which findings remember. */
static bool load_soak(const struct vrs_result *result, const char *folder, struct vrs_soak_window **ret_windows, int *ret_count, struct vrs_soak *ret,
		      struct vrs_findings *findings)
{
	if (!vrs_soak_windows_of(result, folder, ret_windows, ret_count))
		return false;
	enum vrs_status status = vrs_soak_judge(*ret_windows, *ret_count, ret);
	if (status == VRS_OK)
		return true;
	vrs_findings_fail(findings, status);
	vrs_free(*ret_windows);
	return false;
}

bool vrs_soak_values(const struct vrs_result *result, const char *folder, struct vrs_soak *ret_soak, struct vrs_findings *findings)
{
	struct vrs_soak_window *windows;
	int count;
	if (!load_soak(result, folder, &windows, &count, ret_soak, findings))
		return false;
	vrs_free(windows);
	value_table(ret_soak, findings);
	return true;
}

void vrs_soak_graphs(const struct vrs_result *result, const char *folder, struct vrs_findings *findings)
{
	struct vrs_soak_window *windows;
	struct vrs_soak soak;
	int count;
	if (!load_soak(result, folder, &windows, &count, &soak, findings))
		return;
	if (count >= 2) {
		memory_graph(&soak, windows, count, findings);
		time_graph(&soak, windows, count, findings);
		warmth_graph(&soak, windows, count, findings);
	}
	vrs_free(windows);
}

static void soak_row(struct vrs_table *t, const struct vrs_case_result *c)
{
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", c->id);
	vrs_table_set_number(t, 1, "%.2f", c->soak_seconds / 3600);
	if (isfinite(c->soak_rss_slope) && isfinite(c->soak_rss_slope_low) && isfinite(c->soak_rss_slope_high))
		vrs_table_set(t, 2, "%+.2f [%+.2f, %+.2f]", c->soak_rss_slope / mib, c->soak_rss_slope_low / mib, c->soak_rss_slope_high / mib);
	else
		vrs_table_set_number(t, 2, "%+.2f", c->soak_rss_slope / mib);
	vrs_table_set_number(t, 3, "%+.2f", c->soak_drift_percent);
	vrs_table_set(t, 4, "%s: %s", vrs_name_of(&vrs_outcome_names, c->soak_verdict), c->soak_note);
}

void vrs_soak_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	static const char *const heads[] = {"case", "hours", "memory (MiB an hour)", "slower (%)", "verdict"};
	struct vrs_table *t = vrs_findings_start_table(findings, "soak", "Over a long time", heads, 5, 1u << 0 | 1u << 4);
	for (int i = 0; i < result->case_count; i++)
		if (result->cases[i].soak_verdict != VRS_OUTCOME_NONE)
			soak_row(t, &result->cases[i]);
	snprintf(t->caption, sizeof t->caption, "Slopes by Theil and Sen over windows, the first tenth left out, with 95 %% intervals; slower: of the "
		 "median frame time, over the whole run. A pass rules out growth of more than 8 MiB and 1 %%, and a slowdown of more than 2 %%.");
}
