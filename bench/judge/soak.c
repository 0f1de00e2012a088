/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/soak.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/verdict_line.h"
#include "bench/stats/stats.h"

static const double mib = 1048576, grow_bytes = 8 * 1048576.0, grow_share = 0.01, drift_limit = 2, slow_factor = 1.05, clock_share = 0.75;
static const double day_hours = 24, warming_c = 2;

static void VRS_PRINTF(3, 4) add_reason(struct vrs_soak *s, enum vrs_soak_cause cause, const char *fmt, ...)
{
	size_t used = strlen(s->reasons);
	va_list args;
	if (used > 0 && used + 3 < sizeof s->reasons) {
		memcpy(s->reasons + used, "; ", 3);
		used += 2;
	}
	if (cause < VRS_SOAK_CAUSE_COUNT)
		s->causes |= 1u << cause;
	va_start(args, fmt);
	vsnprintf(s->reasons + used, sizeof s->reasons - used, fmt, args);
	va_end(args);
}

/* A value of every window from `first` on that has it, with the middle of its time in hours. */
static int series(const struct vrs_soak_window *w, int count, int first, double (*value)(const struct vrs_soak_window *), double *x, double *y)
{
	int n = 0;
	for (int i = first; i < count; i++) {
		double v = value(&w[i]);
		if (!isfinite(v))
			continue;
		x[n] = w[i].end_seconds / 3600;
		y[n++] = v;
	}
	return n;
}

static double memory_of(const struct vrs_soak_window *w)
{
	return w->rss_bytes >= 0 ? (double)w->rss_bytes : NAN;
}

static double median_of(const struct vrs_soak_window *w)
{
	return w->median_ms;
}

static double temperature_of(const struct vrs_soak_window *w)
{
	return w->temperature_c;
}

static double frequency_of(const struct vrs_soak_window *w)
{
	return w->frequency_mhz;
}

static void ends(const struct vrs_soak_window *w, int count, double (*value)(const struct vrs_soak_window *), double *x, double *y, double *ret_first,
		 double *ret_last)
{
	struct vrs_trend t;
	int n = series(w, count, 0, value, x, y);
	*ret_first = *ret_last = NAN;
	if (n >= 2 && vrs_trend_fit(x, y, n, &t) == VRS_OK) {
		*ret_first = t.first;
		*ret_last = t.last;
	}
}

/* From where on every window was slower than the first ones. */
static double slow_from(const struct vrs_soak_window *w, int count, double first_ms)
{
	double from = NAN;
	for (int i = count - 1; i > 0 && !(w[i].median_ms <= slow_factor * first_ms); i--)
		if (isfinite(w[i].median_ms))
			from = w[i - 1].end_seconds;
	return from;
}

const char *vrs_soak_span_text(double seconds, char *buf, size_t size)
{
	if (!isfinite(seconds))
		snprintf(buf, size, "an unknown time");
	else if (seconds < 120)
		snprintf(buf, size, "%.0f s", seconds);
	else if (seconds < 7200)
		snprintf(buf, size, "%.0f min", seconds / 60);
	else if (seconds < 72 * 3600)
		snprintf(buf, size, "%.*f h", seconds < 10 * 3600 ? 1 : 0, seconds / 3600);
	else
		snprintf(buf, size, "%.0f days", seconds / 86400);
	return buf;
}

/* What a judge of one subject says; the worst of all is the verdict. */
enum finding { GOOD, OPEN, BAD };

static enum finding judge_memory(struct vrs_soak *s, double hours)
{
	const struct vrs_trend *m = &s->memory;
	double limit = fmax(grow_bytes, grow_share * m->level);
	char span[24];
	if (!m->has_interval) {
		add_reason(s, VRS_SOAK_UNAVAILABLE, "memory was not observable");
		return OPEN;
	}
	if (m->low > 0 && m->slope * hours > limit) {
		add_reason(s, VRS_SOAK_MEMORY, "memory grows by %.1f MiB an hour [%.1f, %.1f]", m->slope / mib, m->low / mib, m->high / mib);
		return BAD;
	}
	if (m->low > 0 && m->low * fmax(hours, day_hours) > limit) {
		add_reason(s, VRS_SOAK_MEMORY, "memory grows by %.1f MiB an hour [%.1f, %.1f], too little so far to tell a leak from caches: run it for %s",
			   m->slope / mib, m->low / mib, m->high / mib, vrs_soak_span_text(fmax(3600 * 1.5 * limit / m->slope, 2 * s->seconds), span, sizeof span));
		return OPEN;
	}
	if (m->high * hours > limit) {
		add_reason(s, VRS_SOAK_MEMORY, "memory may have grown by up to %.1f MiB (%.1f are allowed): run it for %s", m->high * hours / mib, limit / mib,
			   vrs_soak_span_text(2 * s->seconds, span, sizeof span));
		return OPEN;
	}
	return GOOD;
}

static enum finding judge_drift(struct vrs_soak *s)
{
	char span[24];
	if (!s->drift.has_interval) {
		add_reason(s, VRS_SOAK_UNAVAILABLE, "there are too few frame times for a trend");
		return OPEN;
	}
	if (s->drift_low > 0 && s->drift_percent > drift_limit) {
		add_reason(s, VRS_SOAK_DRIFT, "frames became slower by %.1f %% over the run [%.1f, %.1f]", s->drift_percent, s->drift_low, s->drift_high);
		return BAD;
	}
	if (s->drift_high > drift_limit) {
		add_reason(s, VRS_SOAK_DRIFT, "frames may have become slower by up to %.1f %% (%.0f %% are allowed): keep the machine quiet, or run it for %s",
			   s->drift_high, drift_limit, vrs_soak_span_text(2 * s->seconds, span, sizeof span));
		return OPEN;
	}
	return GOOD;
}

/* Facts, however short the run was. */
static enum finding judge_events(struct vrs_soak *s)
{
	bool fell = s->frequency_last_mhz < clock_share * s->frequency_first_mhz;
	if (s->throttle_events > 0)
		add_reason(s, VRS_SOAK_THROTTLED, "the processor was throttled %lld times", (long long)s->throttle_events);
	if (fell)
		add_reason(s, VRS_SOAK_CLOCK, "the clock fell from %.0f to %.0f MHz", s->frequency_first_mhz, s->frequency_last_mhz);
	if (s->stalled > 0)
		add_reason(s, VRS_SOAK_STALLED, "no frame was done in %d windows of %g s", s->stalled, s->window_seconds);
	return s->throttle_events > 0 || fell || s->stalled > 0 ? BAD : GOOD;
}

/* False, with the reason, when nothing can be said about trends. */
static bool is_long_enough(struct vrs_soak *s)
{
	char span[24], need[24];
	double seconds = fmax(VRS_SOAK_MIN_SECONDS, VRS_SOAK_MIN_WINDOWS * s->window_seconds);
	if (s->windows >= VRS_SOAK_MIN_WINDOWS && s->seconds >= VRS_SOAK_MIN_SECONDS)
		return true;
	if (s->windows > 0 && s->seconds >= VRS_SOAK_MIN_SECONDS)
		add_reason(s, VRS_SOAK_TOO_SHORT, "it was stopped after %d windows of %s, and a trend takes %d: let it run for at least %s", s->windows,
			   vrs_soak_span_text(s->window_seconds, span, sizeof span), VRS_SOAK_MIN_WINDOWS, vrs_soak_span_text(seconds, need, sizeof need));
	else
		add_reason(s, VRS_SOAK_TOO_SHORT, "%s are too short: caches fill and machines warm up for minutes; take at least %s, and hours to find slow leaks",
			   vrs_soak_span_text(s->seconds, span, sizeof span), vrs_soak_span_text(seconds, need, sizeof need));
	return false;
}

static void judge(struct vrs_soak *s)
{
	double hours = s->seconds / 3600;
	enum finding events = judge_events(s), memory, drift;
	if (events != BAD && !is_long_enough(s)) {
		s->verdict = VRS_OUTCOME_INCONCLUSIVE;
		return;
	}
	bool trends = s->windows >= VRS_SOAK_MIN_WINDOWS && s->seconds >= VRS_SOAK_MIN_SECONDS;
	memory = trends ? judge_memory(s, hours) : OPEN;
	drift = trends ? judge_drift(s) : OPEN;
	bool failed = events == BAD || memory == BAD || drift == BAD, open = memory == OPEN || drift == OPEN;
	s->verdict = failed ? VRS_OUTCOME_FAIL : open ? VRS_OUTCOME_INCONCLUSIVE : VRS_OUTCOME_PASS;
	if (s->verdict == VRS_OUTCOME_PASS)
		add_reason(s, VRS_SOAK_CAUSE_COUNT, "growth of more than %.1f MiB an hour and a slowdown of more than %.1f %% are ruled out%s",
			   fmax(s->memory.high, 0) / mib, fmax(s->drift_high, 0), s->throttle_events < 0 ? "; throttling was not observable" : "");
}

static void fit_drift(struct vrs_soak *s, const struct vrs_soak_window *w, int count, double *x, double *y)
{
	int n = series(w, count, count / 10, median_of, x, y);
	if (n < 2 || vrs_trend_fit(x, y, n, &s->drift) != VRS_OK || !(s->drift.level > 0))
		return;
	double scale = 100 * s->seconds / 3600 / s->drift.level;
	s->drift_percent = scale * s->drift.slope;
	s->drift_low = scale * s->drift.low;
	s->drift_high = scale * s->drift.high;
	s->slow_from_seconds = slow_from(w, count, s->drift.first);
}

static void fit_warmth(struct vrs_soak *s, const struct vrs_soak_window *w, int count, double *x, double *y)
{
	struct vrs_trend t;
	ends(w, count, temperature_of, x, y, &s->temperature_first_c, &s->temperature_last_c);
	ends(w, count, frequency_of, x, y, &s->frequency_first_mhz, &s->frequency_last_mhz);
	int n = series(w, count, count / 2, temperature_of, x, y);
	s->still_warming = n >= 2 && vrs_trend_fit(x, y, n, &t) == VRS_OK && t.has_interval && t.low > 0 && t.slope * s->seconds / 7200 > warming_c;
	if (count && w[0].throttle_events >= 0 && w[count - 1].throttle_events >= w[0].throttle_events)
		s->throttle_events = w[count - 1].throttle_events - w[0].throttle_events;
}

static void count_frames(struct vrs_soak *s, const struct vrs_soak_window *w, int count)
{
	for (int i = 0; i < count; i++) {
		s->frames += w[i].frames;
		s->worst_ms = w[i].max_ms > s->worst_ms || isnan(s->worst_ms) ? w[i].max_ms : s->worst_ms;
	}
	for (int i = 0; i < count && s->frames >= 10 * (int64_t)count; i++)
		s->stalled += w[i].frames == 0;
	s->seconds = count ? w[count - 1].end_seconds : 0;
	s->window_seconds = count ? w[0].end_seconds : 0; /* the last one may be shorter */
}

enum vrs_status vrs_soak_judge(const struct vrs_soak_window *w, int count, struct vrs_soak *ret)
{
	struct vrs_soak s = {.windows = count, .throttle_events = -1, .worst_ms = NAN, .slow_from_seconds = NAN, .drift_percent = NAN, .drift_low = NAN,
			     .drift_high = NAN};
	double *x = vrs_realloc_array(NULL, 2 * (size_t)count + 2, sizeof *x), *y = x ? x + count + 1 : NULL;
	if (!x)
		return VRS_ENOMEM;
	count_frames(&s, w, count);
	int n = series(w, count, count / 10, memory_of, x, y);
	if (n >= 2)
		(void)vrs_trend_fit(x, y, n, &s.memory);
	fit_drift(&s, w, count, x, y);
	fit_warmth(&s, w, count, x, y);
	vrs_free(x);
	judge(&s);
	*ret = s;
	return VRS_OK;
}

void vrs_soak_line(const struct vrs_soak *s, char *buf, size_t size)
{
	char causes[128] = "";
	for (int i = 0; i < VRS_SOAK_CAUSE_COUNT; i++) {
		size_t used = strlen(causes);
		if (s->causes & 1u << i)
			(void)snprintf(causes + used, sizeof causes - used, "%s%s", used ? "," : "", vrs_name_of(&vrs_soak_cause_names, i));
	}
	vrs_verdict_line_begin(buf, size, vrs_name_of(&vrs_outcome_names, s->verdict));
	vrs_verdict_line_put(buf, size, "metric", "soak");
	vrs_verdict_line_put(buf, size, "seconds", "%.0f", s->seconds);
	vrs_verdict_line_put(buf, size, "windows", "%d", s->windows);
	if (causes[0])
		vrs_verdict_line_put(buf, size, "reason", "%s", causes);
}
