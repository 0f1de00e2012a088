/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/night_watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/judge/night_days.h"
#include "bench/judge/night_figures.h"

static const char *const kinds[] = {[VRS_NIGHT_ALERT_STEP] = "step", [VRS_NIGHT_ALERT_DRIFT] = "drift", [VRS_NIGHT_ALERT_GATE] = "gate"};
const struct vrs_names vrs_night_alert_kind_names = VRS_NAMES(kinds);

#define LARGEST_MARGIN 0.99 /* as a share */

/* One figure of one night. */
struct point {
	const struct vrs_night_figures *figures;
	const struct vrs_comparison *metric;
	int place;
	int64_t day;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Points of one series follow each other; a video whose content is not known (hash 0) is apart, and so is another device or driver. */
static int by_series(const void *a, const void *b)
{
	const struct point *p = a, *q = b;
	int order = strcmp(p->figures->input, q->figures->input);
	if (order == 0)
		order = compare_numbers(p->figures->input_hash, q->figures->input_hash);
	if (order == 0)
		order = strcmp(p->figures->id, q->figures->id);
	if (order == 0)
		order = strcmp(p->figures->device, q->figures->device);
	if (order == 0)
		order = strcmp(p->figures->driver, q->figures->driver);
	return order ? order : strcmp(p->metric->metric, q->metric->metric);
}

static int by_series_and_time(const void *a, const void *b)
{
	const struct point *p = a, *q = b;
	int order = by_series(a, b);
	return order ? order : (p->place > q->place) - (p->place < q->place);
}

static bool is_point(const struct vrs_comparison *m)
{
	double low, high, ratio = m->pairs > 0 && m->verdict != VRS_VERDICT_INVALID ? vrs_night_metric_ratio(m, &low, &high) : NAN;
	return isfinite(ratio) && ratio > 0;
}

/* The nights of the machine in question. */
static enum vrs_status choose_records(struct vrs_night_watch *watch, const struct vrs_night_history *history, const struct vrs_night_record *extra)
{
	const struct vrs_night_record *last = extra ? extra : vrs_night_history_last(history);
	watch->records = vrs_arena_calloc(&watch->arena, (size_t)history->night_count + 1, sizeof(struct vrs_night_record *));
	if (!watch->records)
		return VRS_ENOMEM;
	for (int i = 0; i < history->night_count; i++)
		if (last && history->nights[i].fingerprint == last->fingerprint && !(history->nights[i].injected_slowdown > 0))
			watch->records[watch->record_count++] = &history->nights[i];
	if (extra && !(extra->injected_slowdown > 0))
		watch->records[watch->record_count++] = extra;
	return VRS_OK;
}

static enum vrs_status find_days(struct vrs_night_watch *watch, struct vrs_night_day **ret_days)
{
	int64_t *times = vrs_arena_calloc(&watch->arena, (size_t)watch->record_count + 1, sizeof *times);
	struct vrs_night_day *days = vrs_arena_calloc(&watch->arena, (size_t)watch->record_count + 1, sizeof *days);
	for (int i = 0; times && i < watch->record_count; i++)
		times[i] = watch->records[i]->time;
	enum vrs_status status = VRS_ENOMEM;
	if (times && days)
		status = vrs_night_days(times, watch->record_count, (int64_t)vrs_seconds_since_1970(), &watch->arena, days);
	for (int i = 0; status == VRS_OK && i < watch->record_count; i++)
		if (days[i].stray && watch->records[i]->number > 0) {
			watch->stray_clocks++;
			watch->last_stray = i;
		}
	*ret_days = days;
	return status;
}

static enum vrs_status collect(struct vrs_night_watch *watch, struct point **ret_points, size_t *ret_count)
{
	size_t room = 1, count = 0;
	struct vrs_night_day *days;
	if (find_days(watch, &days) != VRS_OK)
		return VRS_ENOMEM;
	for (int i = 0; i < watch->record_count; i++)
		for (int c = 0; c < watch->records[i]->case_count; c++)
			room += (size_t)watch->records[i]->cases[c].metric_count;
	struct point *points = vrs_arena_calloc(&watch->arena, room, sizeof *points);
	if (!points)
		return VRS_ENOMEM;
	for (int i = 0; i < watch->record_count; i++)
		for (int c = 0; c < watch->records[i]->case_count; c++) {
			const struct vrs_night_figures *figures = &watch->records[i]->cases[c];
			for (int m = 0; m < figures->metric_count; m++)
				if (is_point(&figures->metrics[m]))
					points[count++] = (struct point){figures, &figures->metrics[m], i, days[i].day};
		}
	qsort(points, count, sizeof *points, by_series_and_time);
	*ret_points = points;
	*ret_count = count;
	return VRS_OK;
}

/* Night 0 is a result that nobody has decided about. */
static const struct vrs_decision *find_note(const struct vrs_night_history *history, int64_t night)
{
	for (int i = history->decision_count - 1; i >= 0 && night > 0; i--)
		if (history->decisions[i].kind == VRS_DECISION_NOTE && history->decisions[i].night == night)
			return &history->decisions[i];
	return NULL;
}

static struct vrs_night make_night(const struct vrs_night_watch *watch, const struct vrs_night_history *history, const struct point *p,
				   const struct point *before)
{
	const struct vrs_night_record *record = watch->records[p->place];
	struct vrs_night night = {.day = p->day, .known_change = find_note(history, record->number) != NULL};
	night.ratio = vrs_night_metric_ratio(p->metric, &night.low, &night.high);
	night.new_baseline = before && strcmp(watch->records[before->place]->baseline_sha256, record->baseline_sha256) != 0;
	return night;
}

/* Changes that somebody has noted are no alarms, and what they gave is shown all the same. */
static enum vrs_status add_known(struct vrs_night_watch *watch, const struct vrs_history_rules *rules, const struct vrs_night_series *series,
				 struct vrs_history_alert *alerts, int *count, struct vrs_error *err)
{
	struct vrs_history_alert found[VRS_NIGHT_SERIES_ALERTS];
	int all = 0, known = 0;
	struct vrs_night *nights = vrs_arena_calloc(&watch->arena, (size_t)series->count, sizeof *nights);
	if (!nights)
		return vrs_fail_nomem(err);
	for (int i = 0; i < series->count; i++) {
		nights[i] = series->nights[i];
		known += nights[i].known_change;
		nights[i].known_change = false;
	}
	enum vrs_status status = known ? vrs_history_judge(nights, series->count, rules, found, VRS_NIGHT_SERIES_ALERTS, &all, err) : VRS_OK;
	for (int i = 0; i < all && i < VRS_NIGHT_SERIES_ALERTS && status == VRS_OK; i++) {
		bool noted = false;
		for (int k = found[i].first; k <= found[i].last; k++)
			noted |= series->nights[k].known_change;
		if (!noted || found[i].kind != VRS_HISTORY_STEP || *count == VRS_NIGHT_SERIES_ALERTS)
			continue;
		found[i].settled = true;
		alerts[(*count)++] = found[i];
	}
	return status;
}

/* The margin of mattes is a difference of their figures; here figures are shares of the baseline's, which is above 0 (is_point). */
static double margin_of(const struct vrs_comparison *metric, double of_speeds)
{
	double difference = vrs_night_quality_margin(metric->metric);
	return isfinite(difference) ? fmin(difference / metric->a, LARGEST_MARGIN) : of_speeds;
}

static enum vrs_status fill_series(struct vrs_night_watch *watch, const struct vrs_night_history *history, const struct point *points, int count,
				   struct vrs_night_series *series, struct vrs_error *err)
{
	*series = (struct vrs_night_series){.input = points->figures->input, .case_id = points->figures->id,
		.device = points->figures->device, .metric = points->metric->metric};
	series->nights = vrs_arena_calloc(&watch->arena, (size_t)count, sizeof *series->nights);
	series->places = vrs_arena_calloc(&watch->arena, (size_t)count, sizeof *series->places);
	if (!series->nights || !series->places)
		return vrs_fail_nomem(err);
	for (int i = 0; i < count; i++) {
		const struct point *before = i > 0 ? &points[i - 1] : NULL;
		if (before && before->place == points[i].place) /* the same case twice in one night: the first one counts */
			continue;
		series->nights[series->count] = make_night(watch, history, &points[i], before);
		series->places[series->count++] = points[i].place;
	}
	struct vrs_history_rules rules = vrs_history_rules_default();
	rules.larger_is_better = vrs_night_metric_rises(series->metric);
	rules.margin = margin_of(points[count - 1].metric, rules.margin);
	struct vrs_history_alert alerts[VRS_NIGHT_SERIES_ALERTS]; /* few series have any */
	int all = 0;
	enum vrs_status status = vrs_history_judge(series->nights, series->count, &rules, alerts, VRS_NIGHT_SERIES_ALERTS, &all, err);
	all = all < VRS_NIGHT_SERIES_ALERTS ? all : VRS_NIGHT_SERIES_ALERTS;
	if (status == VRS_OK)
		status = add_known(watch, &rules, series, alerts, &all, err);
	if (status != VRS_OK || all == 0)
		return status;
	series->alerts = vrs_arena_calloc(&watch->arena, (size_t)all, sizeof *series->alerts);
	if (!series->alerts)
		return vrs_fail_nomem(err);
	memcpy(series->alerts, alerts, (size_t)all * sizeof *alerts);
	series->alert_count = all;
	return VRS_OK;
}

static enum vrs_status make_series(struct vrs_night_watch *watch, const struct vrs_night_history *history, const struct point *points, size_t count,
				   struct vrs_error *err)
{
	size_t groups = 0;
	enum vrs_status status = VRS_OK;
	for (size_t i = 0; i < count; i++)
		groups += i == 0 || by_series(&points[i - 1], &points[i]) != 0;
	watch->series = vrs_arena_calloc(&watch->arena, groups + 1, sizeof *watch->series);
	if (!watch->series)
		return vrs_fail_nomem(err);
	for (size_t i = 0, end; i < count && status == VRS_OK; i = end) {
		for (end = i + 1; end < count && by_series(&points[i], &points[end]) == 0;)
			end++;
		struct vrs_night_series *series = &watch->series[watch->series_count];
		status = fill_series(watch, history, &points[i], (int)(end - i), series, err);
		watch->series_count += status == VRS_OK;
		watch->sparse_series += status == VRS_OK && vrs_history_is_sparse(series->nights, series->count);
	}
	return status;
}

static double size_of(const struct vrs_night_watch *watch, const struct vrs_night_alert *alert)
{
	return alert->series < 0 ? 0 : fabs(watch->series[alert->series].alerts[alert->alert].change);
}

/* One change of one series as an alert of its own. */
static struct vrs_night_alert single(const struct vrs_night_watch *watch, int series, int alert)
{
	const struct vrs_night_series *s = &watch->series[series];
	const struct vrs_history_alert *a = &s->alerts[alert];
	struct vrs_night_alert made = {.series = series, .alert = alert, .worse = a->worse, .better = !a->worse, .alarms = vrs_history_alarms(a)};
	made.kind = a->kind == VRS_HISTORY_STEP ? VRS_NIGHT_ALERT_STEP : VRS_NIGHT_ALERT_DRIFT;
	made.good = a->first > 0 ? s->places[a->first - 1] : -1;
	made.bad = s->places[a->last];
	made.open = a->open && !a->settled && a->worse;
	return made;
}

/* Add it to an alert of the same kind that may have the same cause, of which only what both allow stays. */
static void merge(struct vrs_night_watch *watch, const struct vrs_night_alert *one)
{
	for (int i = 0; i < watch->alert_count; i++) {
		struct vrs_night_alert *a = &watch->alerts[i];
		int good = one->good > a->good ? one->good : a->good, bad = one->bad < a->bad ? one->bad : a->bad;
		bool drift = a->kind == VRS_NIGHT_ALERT_DRIFT;
		if (drift != (one->kind == VRS_NIGHT_ALERT_DRIFT) || good >= bad)
			continue;
		if (size_of(watch, one) > size_of(watch, a)) {
			a->series = one->series;
			a->alert = one->alert;
		}
		a->good = good;
		a->bad = bad;
		a->worse += one->worse;
		a->better += one->better;
		a->alarms |= one->alarms;
		a->open |= one->open;
		return;
	}
	watch->alerts[watch->alert_count++] = *one;
}

/* Nights that have failed without a break until now: what changed lies between the last one that passed, or the baseline, and the first of them. */
static void add_gate(struct vrs_night_watch *watch)
{
	int first = watch->record_count, good = -1;
	for (int i = watch->record_count - 1; i >= 0 && good < 0; i--) {
		if (strcmp(watch->records[i]->baseline_sha256, watch->records[watch->record_count - 1]->baseline_sha256) != 0)
			break;
		if (watch->records[i]->gate == VRS_NIGHT_REGRESSION)
			first = i;
		else if (watch->records[i]->gate == VRS_NIGHT_PASSED)
			good = i;
	}
	if (first == watch->record_count || good > first)
		return;
	struct vrs_night_alert gate = {.kind = VRS_NIGHT_ALERT_GATE, .good = good, .bad = first, .worse = 0, .series = -1, .alert = -1, .open = true};
	merge(watch, &gate);
}

static int by_place(const void *a, const void *b)
{
	const struct vrs_night_alert *p = a, *q = b;
	int order = (p->good > q->good) - (p->good < q->good);
	return order ? order : (p->bad > q->bad) - (p->bad < q->bad);
}

/* Is the baseline in force the build of that night, or of a later one? Night 0 is a result, newer than all of them. */
static bool is_accepted(const struct vrs_night_history *history, int64_t night)
{
	const struct vrs_decision *baseline = vrs_night_history_baseline(history);
	return baseline && night > 0 && baseline->night >= night;
}

static enum vrs_status make_alerts(struct vrs_night_watch *watch, const struct vrs_night_history *history, struct vrs_error *err)
{
	size_t room = 2;
	for (int s = 0; s < watch->series_count; s++)
		room += (size_t)watch->series[s].alert_count;
	watch->alerts = vrs_arena_calloc(&watch->arena, room, sizeof *watch->alerts);
	if (!watch->alerts)
		return vrs_fail_nomem(err);
	for (int s = 0; s < watch->series_count; s++)
		for (int i = 0; i < watch->series[s].alert_count; i++) {
			watch->suspicions += !watch->series[s].alerts[i].confirmed;
			if (!watch->series[s].alerts[i].confirmed)
				continue;
			struct vrs_night_alert one = single(watch, s, i);
			merge(watch, &one);
		}
	add_gate(watch);
	qsort(watch->alerts, (size_t)watch->alert_count, sizeof *watch->alerts, by_place);
	for (int i = 0; i < watch->alert_count; i++) {
		struct vrs_night_alert *a = &watch->alerts[i];
		for (int k = a->good + 1; k <= a->bad && !a->note; k++)
			a->note = find_note(history, watch->records[k]->number);
		bool over = a->note || is_accepted(history, watch->records[a->bad]->number);
		a->open &= !over;
		a->alarms &= !over;
	}
	return VRS_OK;
}

enum vrs_status vrs_night_watch_judge(struct vrs_night_watch *ret_watch, const struct vrs_night_history *history,
				      const struct vrs_night_record *extra, struct vrs_error *err)
{
	struct point *points = NULL;
	size_t count = 0;
	*ret_watch = (struct vrs_night_watch){.series_count = 0};
	if (choose_records(ret_watch, history, extra) != VRS_OK || collect(ret_watch, &points, &count) != VRS_OK)
		return vrs_fail_nomem(err);
	enum vrs_status status = make_series(ret_watch, history, points, count, err);
	return status == VRS_OK ? make_alerts(ret_watch, history, err) : status;
}

void vrs_night_watch_fini(struct vrs_night_watch *watch)
{
	vrs_arena_free(&watch->arena);
}

const char *vrs_night_series_case(const struct vrs_night_series *series, char *buf, size_t size)
{
	(void)snprintf(buf, size, "%s%s%s", series->case_id, series->device[0] ? " on " : "", series->device);
	return buf;
}

const struct vrs_night_alert *vrs_night_watch_alarm(const struct vrs_night_watch *watch)
{
	for (int i = watch->alert_count - 1; i >= 0; i--)
		if (watch->alerts[i].alarms)
			return &watch->alerts[i];
	return NULL;
}

const struct vrs_night_alert *vrs_night_watch_open(const struct vrs_night_watch *watch)
{
	for (int i = watch->alert_count - 1; i >= 0; i--)
		if (watch->alerts[i].open)
			return &watch->alerts[i];
	return NULL;
}
