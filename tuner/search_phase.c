/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/search_phase.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/figures/case_summary.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "tuner/limit_bounds.h"

#define KEPT_FOR_FINALS 64 /* entries of the list of what was tried: the final, by which is decided, is always in it */
#define LEADERS 3
#define LEADER_MAX 96 /* characters of one, as a rule */
#define LEADING_MAX (LEADERS * LEADER_MAX)
#define SLOW_PART 0.1
#define SLOWEST_PART 0.05

const char *vrs_phase_name(enum vrs_phase phase)
{
	static const char *const names[] = {"screening", "exploring", "final", "long runs", "verifying"};
	return names[phase];
}

static void fill_tried(const struct vrs_search_state *s, enum vrs_phase phase, const struct vrs_case *settings, const struct vrs_case_result *c,
		       const struct vrs_case_result *base, const struct vrs_limits *limits, struct vrs_tried *t)
{
	memset(t, 0, sizeof *t);
	t->phase = phase;
	t->settings = *settings;
	(void)vrs_strcpy(t->id, sizeof t->id, c->id);
	t->figures = vrs_case_figures(c, base);
	t->ratio = vrs_objective_ratio(&s->objective, c, base);
	t->limits = *limits;
	t->accepted = c == base || vrs_limits_accept(limits);
}

/* List a candidate, or the default at the beginning of a phase, for the reader. */
static void note_tried(struct vrs_search_state *s, enum vrs_phase phase, const struct vrs_case *settings, const struct vrs_case_result *c,
		       const struct vrs_case_result *base, const struct vrs_limits *limits)
{
	struct vrs_search_result *r = &s->result;
	bool begun = r->tried_count && r->tried[r->tried_count - 1].phase == phase;
	int room = VRS_SEARCH_MAX_TRIED - (phase == VRS_PHASE_SCREEN || phase == VRS_PHASE_EXPLORE ? KEPT_FOR_FINALS : 0);
	if (r->tried_count < room && !(c == base && begun))
		fill_tried(s, phase, settings, c, base, limits, &r->tried[r->tried_count++]);
}

/* A value that is refused alone for what no other option makes up for is combined with none. */
static void note_fate(struct vrs_search_state *s, int k, int level, const struct vrs_case_result *c, const struct vrs_limits *limits)
{
	if (vrs_limits_are_final(limits))
		s->grid.closed[k][level] = true;
	if (vrs_case_result_ran_out(c))
		s->fates[k][level] = VRS_FATE_RAN_OUT;
	else if (vrs_case_result_ok_runs(c) > 0)
		s->fates[k][level] = VRS_FATE_RAN;
}

/* Keep what a point gained in each round. */
static enum vrs_status take_gains(struct vrs_search_state *s, const struct vrs_point *point, const struct vrs_case_result *c,
				  const struct vrs_case_result *base, const struct vrs_limits *limits, struct vrs_error *err)
{
	double a[VRS_STATS_MAX_PAIRS], b[VRS_STATS_MAX_PAIRS];
	int n = vrs_verdict_collect(base, c, vrs_headline_figure(vrs_objective_headline(&s->objective)), VRS_STATS_MAX_PAIRS, a, b, NULL);
	for (int i = 0; i < n; i++)
		b[i] = vrs_objective_gain(&s->objective, c, base, b[i], a[i]);
	for (int k = 0; vrs_point_changes(point) == 1 && k < s->space->count; k++)
		if (point->level[k])
			note_fate(s, k, point->level[k], c, limits);
	enum vrs_status status = vrs_trials_take(&s->trials, point, b, n, vrs_limits_accept(limits));
	return status != VRS_OK ? vrs_fail_nomem(err) : VRS_OK;
}

static void count_runs(struct vrs_search_state *s, const struct vrs_result *result)
{
	for (int i = 0; i < result->case_count; i++)
		for (int r = 0; r < result->cases[i].run_count; r++)
			if (isfinite(result->cases[i].runs[r].process_seconds)) {
				s->runs++;
				s->seconds += result->cases[i].runs[r].process_seconds;
			}
}

/*
 * A machine that others use has good and bad minutes, and a final lies in one of them: limits of speed are held against the pace of the default in
 * the slowest tenth of its runs so far.  Where the slowest settings that keep the speed are best, the choice always lies beside the limit, and the
 * slowest of all runs counts.
 */
static double pace_of(const struct vrs_search_state *s, const struct vrs_case_result *base)
{
	double slow, now = vrs_case_low_fps(base);
	bool at_limit = s->objective.goal == VRS_GOAL_SIZE || s->objective.goal == VRS_GOAL_QUALITY;
	return vrs_stats_quantile(s->paces, s->pace_count, at_limit ? SLOWEST_PART : SLOW_PART, &slow) == VRS_OK ? slow / now : 0;
}

static void take_pace(struct vrs_search_state *s, const struct vrs_case_result *base)
{
	for (int i = 0; i < base->run_count && s->pace_count < VRS_SEARCH_MAX_PACES; i++)
		if (vrs_case_result_uses(base, &base->runs[i]))
			s->paces[s->pace_count++] = base->runs[i].fps;
	s->objective.pace = pace_of(s, base);
}

static enum vrs_status add_runs(struct vrs_case_result *whole, const struct vrs_case_result *base)
{
	if (whole->run_count == 0)
		vrs_case_result_copy_without_runs(whole, base);
	for (int i = 0; i < base->run_count; i++)
		if (vrs_case_result_copy_run(whole, &base->runs[i]) != VRS_OK)
			return VRS_ENOMEM;
	return VRS_OK;
}

/* What is true of a case in all phases: how much memory it may take, and all runs of the default. */
static enum vrs_status take_runs(struct vrs_search_state *s, struct vrs_result *result, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	count_runs(s, result);
	take_pace(s, &result->cases[0]);
	for (int i = 0; status == VRS_OK && i < result->case_count; i++)
		status = vrs_peak_memory_take(&s->peaks, &result->cases[i]);
	if (status == VRS_OK)
		status = add_runs(&s->whole, &result->cases[0]);
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "cannot keep what was measured: %s", vrs_status_str(status));
}

static enum vrs_status check_default(const struct vrs_result *result, int count, struct vrs_error *err)
{
	const struct vrs_case_result *base = &result->cases[0];
	if (result->case_count != count)
		return vrs_fail(err, VRS_EINTERNAL, "asked for %d cases and got %d", count, result->case_count);
	if (vrs_case_result_ok_runs(base) == 0)
		return vrs_fail(err, VRS_EINTERNAL, "the default settings did not run: %s",
				vrs_case_result_is_skipped(base) ? base->skipped : base->run_count ? base->runs[0].reason : "no run was made");
	return VRS_OK;
}

/* A case without values: the default. */
static void begin_case(const struct vrs_search_state *s, struct vrs_case *ret_case)
{
	memset(ret_case, 0, sizeof *ret_case);
	ret_case->width = s->options->width;
	ret_case->height = s->options->height;
	ret_case->live_hz = s->options->live_hz;
}

/* Live, a final has to see enough frames to tell that few of them are late. */
static double stretch_of(const struct vrs_search_state *s, enum vrs_phase phase, int rounds)
{
	if (phase == VRS_PHASE_LONG)
		return s->options->long_run;
	if ((phase != VRS_PHASE_FINAL && phase != VRS_PHASE_VERIFY) || !(s->live_due > 0))
		return 1;
	return fmax(vrs_late_frames_needed(VRS_LIVE_MAX_MISSED_PERCENT) / (s->live_due * rounds), 1);
}

/* "1.34x preset=superfast, stride=2": what a trial gains, and by which values. */
static void add_leader(const struct vrs_search_state *s, const struct vrs_trial *trial, char *buf, size_t size)
{
	size_t used = strlen(buf);
	used += (size_t)snprintf(buf + used, size - used, "%s%.2fx", used ? "; " : "", exp(vrs_trial_gain(trial)));
	for (int k = 0, values = 0; k < s->space->count && used < size; k++) {
		const struct vrs_knob *knob = &s->space->knobs[k];
		const char *dot = strrchr(knob->row->key, '.');
		if (trial->point.level[k])
			used += (size_t)snprintf(buf + used, size - used, "%s%s=%s", values++ ? ", " : " ", dot ? dot + 1 : knob->row->key,
						 knob->values[trial->point.level[k] - 1]);
	}
}

/* The accepted trials that gained most so far. */
static void write_leading(const struct vrs_search_state *s, char *buf, size_t size)
{
	double below = INFINITY;
	buf[0] = '\0';
	for (int n = 0; n < LEADERS; n++) {
		const struct vrs_trial *best = NULL;
		for (int i = 0; i < s->trials.count; i++) {
			const struct vrs_trial *t = &s->trials.items[i];
			double gain = t->accepted && t->rounds ? vrs_trial_gain(t) : 0;
			if (gain > 0 && gain < below && (!best || gain > vrs_trial_gain(best)))
				best = t;
		}
		if (!best || strlen(buf) + LEADER_MAX > size)
			return;
		below = vrs_trial_gain(best);
		add_leader(s, best, buf, size);
	}
}

/* What is left of a search at most, from a phase on that has so many runs. */
static double left_seconds(const struct vrs_search_state *s, enum vrs_phase phase, int runs)
{
	const struct vrs_search_options *o = s->options;
	double each = s->runs ? s->seconds / s->runs : 0, longs = o->long_run > 1 ? 2 * VRS_SEARCH_LONG_ROUNDS * o->long_run : 0;
	double final = (1.0 + o->finalists) * o->final_rounds + longs, before = o->budget_seconds - s->seconds;
	switch (phase) {
	case VRS_PHASE_LONG: return runs * o->long_run * each;
	case VRS_PHASE_FINAL: return (runs + longs) * each;
	case VRS_PHASE_SCREEN:
	case VRS_PHASE_VERIFY:
	case VRS_PHASE_EXPLORE: break;
	}
	if (!(o->budget_seconds > 0))
		before = (phase == VRS_PHASE_EXPLORE ? s->explore_left : runs + o->explore_runs) * each;
	return fmax(before, runs * each) + final * each;
}

/* What a phase has measured, of the default and of the points of its proposal. */
static enum vrs_status take_result(struct vrs_search_state *s, enum vrs_phase phase, const struct vrs_proposal *proposal,
				   const struct vrs_case *cases, struct vrs_result *result, struct vrs_error *err)
{
	enum vrs_status status = take_runs(s, result, err);
	const struct vrs_case_result *base = &result->cases[0];
	for (int i = 0; status == VRS_OK && i < result->case_count; i++) {
		struct vrs_limits limits;
		vrs_objective_check(&s->objective, &result->cases[i], base, &limits);
		note_tried(s, phase, &cases[i], &result->cases[i], base, &limits);
		if (i > 0)
			status = take_gains(s, &proposal->points[i - 1], &result->cases[i], base, &limits, err);
	}
	return status;
}

enum vrs_status vrs_search_phase(struct vrs_search_state *s, enum vrs_phase phase, const struct vrs_proposal *proposal,
				 struct vrs_result **ret_result, struct vrs_case **ret_cases, struct vrs_error *err)
{
	struct vrs_result *result = NULL;
	enum vrs_status status = VRS_OK;
	int count = 1 + proposal->count;
	char leading[LEADING_MAX];
	write_leading(s, leading, sizeof leading);
	const struct vrs_step step = {.phase = vrs_phase_name(phase), .why = proposal->why, .stretch = stretch_of(s, phase, proposal->rounds),
		.leading = leading, .left_seconds = left_seconds(s, phase, vrs_proposal_cost(proposal->count, proposal->rounds))};
	struct vrs_case *cases = vrs_calloc((size_t)count, sizeof *cases);
	if (!cases)
		return vrs_fail_nomem(err);
	for (int i = 0; i < count; i++)
		begin_case(s, &cases[i]);
	for (int i = 0; status == VRS_OK && i < proposal->count; i++)
		status = vrs_grid_case(&s->grid, &proposal->points[i], &cases[1 + i], err);
	if (status == VRS_OK)
		status = s->measure(s->cookie, &step, cases, count, proposal->rounds, &result, err);
	if (status == VRS_OK)
		status = check_default(result, count, err);
	if (status == VRS_OK)
		status = take_result(s, phase, proposal, cases, result, err);
	if (status == VRS_OK && ret_result) {
		*ret_result = result;
		*ret_cases = cases;
		return VRS_OK;
	}
	vrs_result_destroy(result);
	vrs_free(cases);
	return status;
}

enum vrs_status vrs_search_look(struct vrs_search_state *s, struct vrs_error *err)
{
	struct vrs_result *result = NULL;
	struct vrs_case base;
	double sum = 0;
	begin_case(s, &base);
	const struct vrs_step step = {.phase = "looking", .why = "where the default spends its time", .stretch = 1};
	enum vrs_status status = s->measure(s->cookie, &step, &base, 1, 1, &result, err);
	if (status == VRS_OK)
		status = check_default(result, 1, err);
	if (status == VRS_OK)
		status = take_runs(s, result, err);
	if (status == VRS_OK) {
		s->live_due = s->options->live_hz > 0 ? (double)result->cases[0].runs[0].live_due : 0;
		for (int i = 0; i < VRS_STAGE_COUNT; i++) {
			s->work[i] = vrs_case_result_median(&result->cases[0], offsetof(struct vrs_run, stage_busy_ms) + (size_t)i * sizeof(double));
			sum += s->work[i];
		}
		for (int i = 0; i < VRS_STAGE_COUNT; i++)
			s->work[i] /= sum;
	}
	vrs_result_destroy(result);
	return status;
}

enum vrs_status vrs_search_whole_default(struct vrs_search_state *s, struct vrs_tried *ret, struct vrs_error *err)
{
	struct vrs_case settings;
	struct vrs_limits limits;
	struct vrs_objective objective = s->objective;
	enum vrs_status status = vrs_case_result_summarize(&s->whole, NULL);
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot summarize the default: %s", vrs_status_str(status));
	begin_case(s, &settings);
	objective.pace = pace_of(s, &s->whole);
	vrs_objective_check(&objective, &s->whole, &s->whole, &limits);
	fill_tried(s, VRS_PHASE_FINAL, &settings, &s->whole, &s->whole, &limits, ret);
	ret->figures.low_fps = vrs_objective_low_fps(&objective, &s->whole);
	return VRS_OK;
}

void vrs_search_state_fini(struct vrs_search_state *s)
{
	vrs_trials_fini(&s->trials);
	vrs_peak_memory_fini(&s->peaks);
	vrs_case_result_fini(&s->whole);
}
