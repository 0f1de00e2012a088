/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/soak.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "bench/stats.h"

enum { MIN_WINDOWS = 20 };
static const double mib = 1048576, grow_bytes = 8 * 1048576.0, grow_share = 0.01, drift_limit = 2, slow_factor = 1.05;

const char *vrs_soak_verdict_name(enum vrs_soak_verdict verdict)
{
	return verdict == VRS_SOAK_PASS ? "pass" : verdict == VRS_SOAK_FAIL ? "fail" : "inconclusive";
}

static void VRS_PRINTF(2, 3) add_reason(struct vrs_soak *s, const char *fmt, ...)
{
	size_t used = strlen(s->reasons);
	va_list args;
	if (used > 0 && used + 3 < sizeof s->reasons) {
		memcpy(s->reasons + used, "; ", 3);
		used += 2;
	}
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

static void judge_memory(struct vrs_soak *s, double hours)
{
	double grown = s->memory.slope * hours;
	if (s->memory.has_interval && s->memory.low > 0 && grown > grow_bytes && grown > grow_share * s->memory.level)
		add_reason(s, "memory grows by %.1f MiB an hour [%.1f, %.1f]", s->memory.slope / mib, s->memory.low / mib, s->memory.high / mib);
}

static void judge_drift(struct vrs_soak *s)
{
	if (s->drift.has_interval && s->drift.low > 0 && s->drift_percent > drift_limit)
		add_reason(s, "frames became slower by %.1f %% over the run", s->drift_percent);
}

enum vrs_status vrs_soak_judge(const struct vrs_soak_window *w, int count, struct vrs_soak *ret)
{
	struct vrs_soak s = {.windows = count, .throttle_events = -1, .worst_ms = NAN, .slow_from_seconds = NAN, .drift_percent = NAN};
	double *x = vrs_realloc_array(NULL, 2 * (size_t)count + 2, sizeof *x), *y = x ? x + count + 1 : NULL;
	if (!x)
		return VRS_ENOMEM;
	for (int i = 0; i < count; i++) {
		s.frames += w[i].frames;
		s.worst_ms = w[i].max_ms > s.worst_ms || isnan(s.worst_ms) ? w[i].max_ms : s.worst_ms;
	}
	s.seconds = count ? w[count - 1].end_seconds : 0;
	int first = count / 10, n = series(w, count, first, memory_of, x, y);
	double hours = s.seconds / 3600;
	if (n >= 2)
		(void)vrs_trend_fit(x, y, n, &s.memory);
	n = series(w, count, first, median_of, x, y);
	if (n >= 2 && vrs_trend_fit(x, y, n, &s.drift) == VRS_OK && s.drift.level > 0) {
		s.drift_percent = 100 * s.drift.slope * hours / s.drift.level;
		s.slow_from_seconds = slow_from(w, count, s.drift.first);
	}
	ends(w, count, temperature_of, x, y, &s.temperature_first_c, &s.temperature_last_c);
	ends(w, count, frequency_of, x, y, &s.frequency_first_mhz, &s.frequency_last_mhz);
	if (count && w[0].throttle_events >= 0 && w[count - 1].throttle_events >= w[0].throttle_events)
		s.throttle_events = w[count - 1].throttle_events - w[0].throttle_events;
	vrs_free(x);
	judge_memory(&s, hours);
	judge_drift(&s);
	if (s.throttle_events > 0)
		add_reason(&s, "the processor was throttled %lld times", (long long)s.throttle_events);
	s.verdict = count < MIN_WINDOWS ? VRS_SOAK_INCONCLUSIVE : s.reasons[0] ? VRS_SOAK_FAIL : VRS_SOAK_PASS;
	if (count < MIN_WINDOWS)
		snprintf(s.reasons, sizeof s.reasons, "only %d of at least %d windows were seen", count, MIN_WINDOWS);
	*ret = s;
	return VRS_OK;
}

static void print_trends(const struct vrs_soak *s, FILE *out)
{
	if (s->memory.blocks)
		fprintf(out, "memory: %.1f MiB at first, %.1f MiB at last, %+.3f MiB an hour [%+.3f, %+.3f]\n", s->memory.first / mib, s->memory.last / mib,
			s->memory.slope / mib, s->memory.low / mib, s->memory.high / mib);
	if (s->drift.blocks)
		fprintf(out, "frame time: %.3f ms at first, %.3f ms at last, %+.2f %% over the run, longest frame %.1f ms\n", s->drift.first, s->drift.last,
			s->drift_percent, s->worst_ms);
	if (isfinite(s->slow_from_seconds))
		fprintf(out, "from %.0f s on it was at least 5 %% slower than at first\n", s->slow_from_seconds);
}

void vrs_soak_print(const struct vrs_soak *s, FILE *out)
{
	fprintf(out, "\nSoak: %.0f s, %lld frames in %d windows\n", s->seconds, (long long)s->frames, s->windows);
	print_trends(s, out);
	if (isfinite(s->temperature_first_c))
		fprintf(out, "temperature: %.0f C at first, %.0f C at last\n", s->temperature_first_c, s->temperature_last_c);
	else
		fprintf(out, "temperature: not observable here\n");
	if (isfinite(s->frequency_first_mhz))
		fprintf(out, "clock: %.0f MHz at first, %.0f MHz at last\n", s->frequency_first_mhz, s->frequency_last_mhz);
	else
		fprintf(out, "clock: not observable here\n");
	if (s->throttle_events >= 0)
		fprintf(out, "throttling: %lld events\n", (long long)s->throttle_events);
	else
		fprintf(out, "throttling: not observable here\n");
	fprintf(out, "VERDICT soak %s%s%s\n", vrs_soak_verdict_name(s->verdict), s->reasons[0] ? ": " : "", s->reasons);
}
