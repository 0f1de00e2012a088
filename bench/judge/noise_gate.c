/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rules.  Their numbers: a clock 25 % below the session's best is what nvbench throws away; 3 % between the sides of a pair is more than most
 * margins; a tenth of our processors in other hands moves medians by about as much as a real change would.
 */
#include "bench/judge/noise_gate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/figures/figures.h"
#include "base/mem.h"
#include "bench/stats/stats.h"

static const double shortest_seconds = 1;     /* below, ticks of 10 ms say too little */
static const double slept_seconds = 0.1;
static const double others_limit = VRS_NOISE_OTHERS_LIMIT, clock_share = 0.75, pair_clock_limit = 0.03;
static const int64_t swap_pages_limit = 64;   /* 256 KiB: fewer may be a daemon that woke up */
static const double cv_factor = 3, steal_limit = 1, switches_limit = 50, switches_factor = 2, thermal_limit = 10;
enum { SERIES_MIN = 6 };                      /* runs that a trend needs */

static double span_seconds(const struct vrs_noise_seen *seen)
{
	return 1e-9 * (double)(seen->after.monotonic_ns - seen->before.monotonic_ns);
}

double vrs_noise_others(const struct vrs_noise_seen *seen)
{
	double seconds = span_seconds(seen) * seen->after.cpus;
	double busy = seen->after.busy_seconds - seen->before.busy_seconds;
	if (seen->after.cpus != seen->before.cpus || seen->after.cpus < 1 || span_seconds(seen) < shortest_seconds || !(busy >= 0))
		return NAN;
	double share = (busy - seen->own_cpu_seconds) / seconds, cpus = seen->after.cpus;
	if (seen->quota > 0 && seen->quota < cpus)
		share = (share * cpus + seen->quota - cpus) / seen->quota;
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

double vrs_noise_steal(const struct vrs_noise_seen *seen)
{
	double share = (seen->after.steal_seconds - seen->before.steal_seconds) / (span_seconds(seen) * seen->after.cpus);
	return span_seconds(seen) >= shortest_seconds && share >= 0 ? (share > 1 ? 1 : share) : NAN;
}

static double slept(const struct vrs_noise_seen *seen)
{
	uint64_t boot = seen->after.boottime_ns - seen->before.boottime_ns, awake = seen->after.monotonic_ns - seen->before.monotonic_ns;
	return boot > awake ? 1e-9 * (double)(boot - awake) : 0;
}

/* Growth of a counter; 0 where it cannot be observed. */
static int64_t grown(int64_t before, int64_t after)
{
	return before >= 0 && after > before ? after - before : 0;
}

static bool fire(char *buf, size_t size, const char *fmt, ...) VRS_PRINTF(3, 4);
static bool fire(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	(void)vsnprintf(buf, size, fmt, args); /* long words are cut */
	va_end(args);
	return true;
}

static bool clock_gates(const struct vrs_noise_seen *seen, char *buf, size_t size)
{
	if (seen->clock_mhz < clock_share * seen->best_mhz)
		return fire(buf, size, "clock: %.0f MHz against %.0f MHz in the best run; let the machine cool down, and plug it in", seen->clock_mhz,
			    seen->best_mhz);
	double apart = fabs(seen->clock_mhz / seen->partner_mhz - 1);
	if (apart > pair_clock_limit)
		return fire(buf, size, "clock_pair: %.0f MHz against %.0f MHz of the other side; fix the clock (governor performance, turbo off)",
			    seen->clock_mhz, seen->partner_mhz);
	return false;
}

bool vrs_noise_hard(const struct vrs_noise_seen *seen, char *buf, size_t size)
{
	int64_t throttled = grown(seen->before.throttle_events, seen->after.throttle_events);
	int64_t pages = grown(seen->before.swapped_in_pages, seen->after.swapped_in_pages);
	double others = vrs_noise_others(seen), asleep = slept(seen);
	buf[0] = 0;
	if (asleep > slept_seconds)
		return fire(buf, size, "suspend: the system slept for %.0f s; keep it awake (systemd-inhibit vrbench ...)", asleep);
	if (throttled > 0)
		return fire(buf, size, "throttle: %lld throttle events; let the machine cool down, or lower its power limit", (long long)throttled);
	if (grown(seen->before.oom_kills, seen->after.oom_kills) > 0)
		return fire(buf, size, "oom_kill: the system killed a process for lack of memory; close programs");
	if (pages >= swap_pages_limit)
		return fire(buf, size, "swap_in: %lld pages came back from swap; close programs", (long long)pages);
	if (clock_gates(seen, buf, size))
		return true;
	if (others > others_limit)
		return fire(buf, size, "other_processes: others used %.0f %% of %d CPUs; stop them (ps -eo pcpu,args --sort=-pcpu)", 100 * others,
			    seen->after.cpus);
	return false;
}

struct vrs_noise_facts vrs_noise_facts_from(const struct vrs_noise_reading *first, const struct vrs_noise_reading *last, double margin,
					    double stored_cv)
{
	struct vrs_noise_facts facts = {.stored_cv = stored_cv, .margin = margin, .governor = last->governor[0] ? last->governor : NULL,
					.battery = last->battery, .turbo_changed = first->turbo >= 0 && last->turbo >= 0 && first->turbo != last->turbo};
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	facts.slow_build = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
	facts.slow_build = true;
#endif
#endif
	return facts;
}

/* Values of the counted runs in order of rounds. */
struct series {
	double *round, *fps;
	int n;
	double steal, coldest, hottest;
	double switches, fewest_switches; /* forced ones a second and worker: most and fewest of a run */
	int switch_runs;
};

static bool collect_series(const struct vrs_case_result *c, struct series *s)
{
	*s = (struct series){.round = vrs_calloc((size_t)c->run_count + 1, sizeof(double)), .fps = vrs_calloc((size_t)c->run_count + 1, sizeof(double)),
			     .steal = NAN, .switches = NAN, .fewest_switches = NAN, .coldest = NAN, .hottest = NAN};
	for (int i = 0; s->round && s->fps && i < c->run_count; i++) {
		const struct vrs_run *run = &c->runs[i];
		if (!vrs_run_counts(run))
			continue;
		s->round[s->n] = run->round;
		s->fps[s->n++] = run->fps;
		s->steal = fmax(s->steal, run->steal_percent);
		int workers = c->threads * c->streams > 1 ? c->threads * c->streams : 1;
		double switches = vrs_figure_involuntary_switches(run) / workers;
		if (isfinite(switches) && run->process_seconds > shortest_seconds) {
			s->switches = fmax(s->switches, switches);
			s->fewest_switches = fmin(s->fewest_switches, switches);
			s->switch_runs++;
		}
		s->coldest = fmin(s->coldest, run->temperature_c);
		s->hottest = fmax(s->hottest, run->temperature_c);
	}
	return s->round && s->fps;
}

/* Sentences one after another, as long as they fit. */
struct words {
	char *buf;
	size_t size, used;
	int count;
};

static void warn(struct words *w, const char *fmt, ...) VRS_PRINTF(2, 3);
static void warn(struct words *w, const char *fmt, ...)
{
	va_list args;
	char one[128];
	va_start(args, fmt);
	int n = vsnprintf(one, sizeof one, fmt, args);
	va_end(args);
	w->count++;
	if (n <= 0 || w->used + (size_t)n + 3 > w->size)
		return;
	n = snprintf(w->buf + w->used, w->size - w->used, "%s%s", w->used ? ", " : "", one);
	w->used += n > 0 ? (size_t)n : 0;
}

static void spread_gates(const struct series *s, const struct vrs_noise_facts *facts, struct words *w)
{
	double mean, sd, slope, drift;
	if (s->n < SERIES_MIN || vrs_stats_mean(s->fps, s->n, &mean) != VRS_OK || vrs_stats_sd(s->fps, s->n, &sd) != VRS_OK || !(mean > 0))
		return;
	if (sd / mean > cv_factor * facts->stored_cv)
		warn(w, "spread (%.1f %% between runs, calibrated: %.1f %%)", 100 * sd / mean, 100 * facts->stored_cv);
	if (vrs_stats_theil_sen(s->round, s->fps, s->n, &slope) == VRS_OK) {
		drift = slope * (s->round[s->n - 1] - s->round[0]) / mean;
		if (fabs(drift) > facts->margin)
			warn(w, "drift (%+.1f %% over the rounds)", 100 * drift);
	}
}

static void machine_gates(const struct series *s, const struct vrs_noise_facts *facts, struct words *w)
{
	if (s->steal > steal_limit)
		warn(w, "steal (%.1f %%)", s->steal);
	/* A job with more threads than processors forces its own threads to switch, in every run alike: only what comes on top is noise. */
	if (s->switches > switches_limit && (s->switch_runs < 2 || s->switches > switches_factor * s->fewest_switches))
		warn(w, "switches (%.0f forced context switches a second and worker)", s->switches);
	if (s->hottest - s->coldest > thermal_limit)
		warn(w, "thermal (%.0f to %.0f C)", s->coldest, s->hottest);
	if (facts->governor && strcmp(facts->governor, "performance") != 0)
		warn(w, "governor (%s instead of performance)", facts->governor);
	if (facts->battery == 1)
		warn(w, "battery (not plugged in)");
	if (facts->turbo_changed)
		warn(w, "turbo (switched during the measurement)");
	if (facts->slow_build)
		warn(w, "build (debug or sanitizer)");
}

int vrs_noise_soft(const struct vrs_case_result *c, const struct vrs_noise_facts *facts, char *buf, size_t size)
{
	struct words w = {.buf = buf, .size = size};
	struct series s;
	buf[0] = 0;
	if (collect_series(c, &s)) {
		spread_gates(&s, facts, &w);
		machine_gates(&s, facts, &w);
	}
	vrs_free(s.round);
	vrs_free(s.fps);
	return w.count;
}

/* The code before the colon is the same as in another run. */
static bool same_cause(const char *a, const char *b)
{
	size_t n = strcspn(a, ":");
	return strncmp(a, b, n) == 0 && b[n] == ':';
}

bool vrs_noise_invalid(const struct vrs_case_result *c, char *buf, size_t size)
{
	const char *cause = "";
	int excluded = 0, ok = 0, most = 0;
	buf[0] = 0;
	for (int i = 0; i < c->run_count; i++) {
		int same = 0;
		ok += c->runs[i].status == VRS_RUN_OK;
		if (c->runs[i].status != VRS_RUN_OK || !c->runs[i].excluded[0])
			continue;
		excluded++;
		for (int k = 0; k < c->run_count; k++)
			same += same_cause(c->runs[i].excluded, c->runs[k].excluded);
		if (same > most) {
			most = same;
			cause = c->runs[i].excluded;
		}
	}
	if (excluded <= VRS_GATE_EXCLUDED_SHARE * ok)
		return false;
	const char *seen = strchr(cause, ':'); /* "CODE: what was seen" */
	return fire(buf, size, "%.*s: %d of %d runs excluded%s", (int)strcspn(cause, ":"), cause, excluded, ok, seen ? seen : "");
}

void vrs_noise_unobservable(const struct vrs_noise_reading *r, char *buf, size_t size)
{
	struct words w = {.buf = buf, .size = size};
	buf[0] = 0;
	if (isnan(r->clock_mhz))
		warn(&w, "clock");
	if (r->throttle_events < 0)
		warn(&w, "throttling");
	if (isnan(r->steal_seconds))
		warn(&w, "steal");
	if (r->cpus < 1)
		warn(&w, "other processes");
	if (r->swapped_in_pages < 0)
		warn(&w, "swap");
	if (!r->governor[0])
		warn(&w, "governor");
	if (r->battery < 0)
		warn(&w, "power source");
}
