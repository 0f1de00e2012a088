/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/recorded_sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/dataset.h"
#include "analyzer/figures/case_summary.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/judge/verdict.h"

struct vrs_recorded_sweep {
	const struct vrs_result *result;
	struct vrs_case *settings;      /* of each case, the values of the space only */
	const struct vrs_case_result *base;
	struct vrs_space space;
	int *rounds, round_count;       /* in which the default ran */
};

static struct vrs_knob *find_knob(struct vrs_space *space, const char *key)
{
	for (int k = 0; k < space->count; k++)
		if (strcmp(space->knobs[k].row->key, key) == 0)
			return &space->knobs[k];
	return NULL;
}

/* A value that is not the default's: that is what its case says, or the option's own default where only other cases name the option. */
static enum vrs_status add_level(struct vrs_space *space, const struct vrs_case *base, const struct vrs_case_value *v, struct vrs_error *err)
{
	const char *own = vrs_case_get(base, v->key);
	const struct vrs_option *row = vrs_option_find(v->key);
	if (!row)
		return VRS_OK;
	struct vrs_knob *knob = find_knob(space, row->key);
	if (!knob && space->count == VRS_SPACE_MAX_KNOBS)
		return vrs_fail(err, VRS_ECONFIG, "the sweep varies more than %d options", VRS_SPACE_MAX_KNOBS);
	if (!knob) {
		knob = &space->knobs[space->count++];
		knob->row = row;
		(void)vrs_strcpy(knob->default_value, sizeof knob->default_value, own ? own : row->default_text);
	}
	for (int i = 0; i < knob->count; i++)
		if (strcmp(knob->values[i], v->value) == 0)
			return VRS_OK;
	if (knob->count == VRS_KNOB_MAX_VALUES)
		return vrs_fail(err, VRS_ECONFIG, "the sweep has more than %d values of %s", VRS_KNOB_MAX_VALUES, row->key);
	if (!vrs_strcpy(knob->values[knob->count++], VRS_NAME_MAX, v->value))
		return vrs_fail(err, VRS_ECONFIG, "a value of %s is too long", row->key);
	return VRS_OK;
}

static int shared_rounds(const struct vrs_case_result *base, const struct vrs_case_result *c)
{
	double a[VRS_STATS_MAX_PAIRS], b[VRS_STATS_MAX_PAIRS];
	return vrs_verdict_collect(base, c, vrs_figure_fps, VRS_STATS_MAX_PAIRS, a, b, NULL);
}

/* Cases keep only what differs from the default: that is how searches name them. */
static enum vrs_status read_cases(struct vrs_recorded_sweep *s, struct vrs_error *err)
{
	struct vrs_case base;
	enum vrs_status status = vrs_case_parse(s->base->id, &base, err);
	for (int i = 0; status == VRS_OK && i < s->result->case_count; i++) {
		const struct vrs_case_result *c = &s->result->cases[i];
		struct vrs_case all;
		status = vrs_case_parse(c->id, &all, err);
		if (status != VRS_OK)
			break;
		if (all.width != base.width || all.height != base.height || !vrs_case_result_same_kind(c, s->base))
			return vrs_fail(err, VRS_ECONFIG, "%s is not of the kind of the default: only options can be searched", c->id);
		if (vrs_case_result_ok_runs(c) && shared_rounds(s->base, c) < VRS_RECORDED_MIN_RUNS)
			return vrs_fail(err, VRS_ECONFIG, "%s shares only %d rounds with the default; %d are needed", c->id,
					shared_rounds(s->base, c), VRS_RECORDED_MIN_RUNS);
		for (int v = 0; status == VRS_OK && v < all.value_count; v++) {
			const char *own = vrs_case_get(&base, all.values[v].key);
			if (own && strcmp(own, all.values[v].value) == 0)
				continue;
			s->settings[i].values[s->settings[i].value_count++] = all.values[v];
			status = add_level(&s->space, &base, &all.values[v], err);
		}
	}
	if (status == VRS_OK && s->space.count == 0)
		return vrs_fail(err, VRS_ECONFIG, "no option has two values in these results");
	return status;
}

static int by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}

/* Each number once; how many there are. */
static int unique(int *numbers, int count)
{
	int kept = 0;
	qsort(numbers, (size_t)count, sizeof *numbers, by_number);
	for (int i = 0; i < count; i++)
		if (kept == 0 || numbers[kept - 1] != numbers[i])
			numbers[kept++] = numbers[i];
	return kept;
}

static enum vrs_status list_rounds(struct vrs_recorded_sweep *s, struct vrs_error *err)
{
	s->rounds = vrs_calloc((size_t)s->base->run_count + 1, sizeof *s->rounds);
	if (!s->rounds)
		return vrs_fail_nomem(err);
	for (int i = 0; i < s->base->run_count; i++)
		if (vrs_case_result_uses(s->base, &s->base->runs[i]))
			s->rounds[s->round_count++] = s->base->runs[i].round;
	s->round_count = unique(s->rounds, s->round_count);
	if (s->round_count < VRS_RECORDED_MIN_RUNS)
		return vrs_fail(err, VRS_ECONFIG, "the default has %d good runs; %d are needed", s->round_count, VRS_RECORDED_MIN_RUNS);
	return VRS_OK;
}

enum vrs_status vrs_recorded_sweep_open(struct vrs_recorded_sweep **ret_sweep, const struct vrs_result *result, struct vrs_error *err)
{
	struct vrs_recorded_sweep *s = vrs_calloc(1, sizeof *s);
	if (!s)
		return vrs_fail_nomem(err);
	s->result = result;
	s->base = vrs_default_case(result);
	s->space.cpus = INT32_MAX; /* what the machine could not do was not recorded either */
	s->settings = vrs_calloc((size_t)result->case_count + 1, sizeof *s->settings);
	enum vrs_status status = VRS_OK;
	if (!s->settings)
		status = vrs_fail_nomem(err);
	else if (!s->base)
		status = vrs_fail(err, VRS_ECONFIG, "the results have no default case to start from");
	if (status == VRS_OK)
		status = read_cases(s, err);
	if (status == VRS_OK)
		status = list_rounds(s, err);
	if (status != VRS_OK)
		vrs_recorded_sweep_close(s);
	else
		*ret_sweep = s;
	return status;
}

void vrs_recorded_sweep_close(struct vrs_recorded_sweep *sweep)
{
	if (!sweep)
		return;
	vrs_free(sweep->settings);
	vrs_free(sweep->rounds);
	vrs_free(sweep);
}

const struct vrs_space *vrs_recorded_sweep_space(const struct vrs_recorded_sweep *sweep)
{
	return &sweep->space;
}

void vrs_recorded_sweep_size(const struct vrs_recorded_sweep *sweep, int *ret_cases, int *ret_runs)
{
	*ret_cases = sweep->result->case_count;
	*ret_runs = 0;
	for (int i = 0; i < sweep->result->case_count; i++)
		*ret_runs += sweep->result->cases[i].run_count;
}

static const struct vrs_case_result *find_case(const struct vrs_recorded_sweep *s, const struct vrs_case *settings)
{
	for (int i = 0; i < s->result->case_count; i++)
		if (vrs_case_same_values(&s->settings[i], settings))
			return &s->result->cases[i];
	return NULL;
}

static double speed_of(const struct vrs_recorded_sweep *s, const struct vrs_case_result *c, const struct vrs_objective *objective)
{
	char why[160];
	if (c == s->base)
		return 1;
	return c && vrs_objective_accepts(objective, c, s->base, why, sizeof why) ? vrs_case_speed(c, s->base) : NAN;
}

double vrs_recorded_sweep_speed(const struct vrs_recorded_sweep *sweep, const struct vrs_case *settings, const struct vrs_objective *objective)
{
	return speed_of(sweep, find_case(sweep, settings), objective);
}

double vrs_recorded_sweep_best(const struct vrs_recorded_sweep *sweep, const struct vrs_objective *objective, const char **ret_id)
{
	double best = 1;
	const char *id = sweep->base->id;
	for (int i = 0; i < sweep->result->case_count; i++) {
		double speed = speed_of(sweep, &sweep->result->cases[i], objective);
		if (speed > best) {
			best = speed;
			id = sweep->result->cases[i].id;
		}
	}
	if (ret_id)
		*ret_id = id;
	return best;
}

double vrs_recorded_sweep_change(const struct vrs_recorded_sweep *sweep, const struct vrs_case *settings, double noise)
{
	const struct vrs_case_result *c = find_case(sweep, settings);
	struct vrs_comparison all;
	if (!c || c == sweep->base || vrs_verdict_cases(sweep->base, c, VRS_HEADLINE_FPS, VRS_VERDICT_ALPHA, &all) != VRS_OK)
		return NAN;
	return expm1(noise * log1p(all.change) - (1 - noise) * log(vrs_case_speed(c, sweep->base)));
}

static bool is_in_session(const struct vrs_case_result *c, const struct vrs_run *run, int round, int session)
{
	return run->round == round && run->session == session && vrs_case_result_uses(c, run);
}

/*
 * Is this the run of a case in a recorded round?  Of each session it may have one: only those of the default in the same session are its pair, and
 * the default ran again beside cases that came later (vrbench --resume).
 */
static bool is_of_round(const struct vrs_case_result *c, const struct vrs_run *run, int round)
{
	if (!is_in_session(c, run, round, run->session))
		return false;
	for (const struct vrs_run *other = c->runs; other < run; other++)
		if (is_in_session(c, other, round, run->session))
			return false;
	return true;
}

/* The true frames/s of a case: what all rounds say. */
static double true_fps(const struct vrs_recorded_sweep *s, const struct vrs_case_result *c)
{
	return vrs_case_result_median(s->base, offsetof(struct vrs_run, fps)) * (c == s->base ? 1 : vrs_case_speed(c, s->base));
}

/* Add the runs of a case in a recorded round as those of round `number`. VRS_ENOMEM. */
static enum vrs_status replay_round(const struct vrs_recorded_measure *m, const struct vrs_case_result *c, int round, double truth,
				    struct vrs_case_result *ret, int number)
{
	for (int i = 0; i < c->run_count; i++) {
		if (!is_of_round(c, &c->runs[i], round))
			continue;
		struct vrs_run *run = vrs_case_result_add_run(ret);
		if (!run)
			return VRS_ENOMEM;
		*run = c->runs[i];
		run->round = number;
		if (truth > 0) /* a machine that is less noisy, or more: the distance from the truth, in logarithms, scaled */
			run->fps = truth * pow(run->fps / truth, m->noise);
	}
	return VRS_OK;
}

static enum vrs_status replay_case(struct vrs_recorded_measure *m, const struct vrs_case *settings, const int *rounds, int count,
				   struct vrs_case_result *ret, struct vrs_error *err)
{
	const struct vrs_case_result *c = find_case(m->sweep, settings);
	if (!c || vrs_case_result_ok_runs(c) == 0) {
		snprintf(ret->skipped, sizeof ret->skipped, "%s", c && vrs_case_result_is_skipped(c) ? c->skipped : "not in the recorded sweep");
		return VRS_OK;
	}
	double truth = m->noise != 1 ? true_fps(m->sweep, c) : NAN;
	(void)vrs_strcpy(ret->id, sizeof ret->id, c->id);
	ret->scope = c->scope;
	ret->live_hz = c->live_hz;
	for (int r = 0; r < count; r++) {
		if (replay_round(m, c, rounds[r], truth, ret, r + 1) != VRS_OK)
			return vrs_fail_nomem(err);
		m->runs++;
	}
	vrs_case_result_keep_quality(ret, c);
	return vrs_case_result_summarize(ret, NULL);
}

enum vrs_status vrs_recorded_measure(void *cookie, const struct vrs_step *step, const struct vrs_case *cases, int count, int rounds,
				     struct vrs_result **ret_result, struct vrs_error *err)
{
	struct vrs_recorded_measure *m = cookie;
	struct vrs_result *result = NULL;
	(void)step;
	int *picked = vrs_calloc((size_t)rounds, sizeof *picked);
	enum vrs_status status = picked ? vrs_result_create(&result) : VRS_ENOMEM;
	if (status != VRS_OK) {
		vrs_free(picked);
		return vrs_fail_nomem(err);
	}
	for (int r = 0; r < rounds; r++)
		picked[r] = m->sweep->rounds[vrs_rng_below(&m->rng, (uint64_t)m->sweep->round_count)];
	for (int i = 0; status == VRS_OK && i < count; i++) {
		struct vrs_case_result *c = vrs_result_add_case(result);
		status = c ? replay_case(m, &cases[i], picked, rounds, c, err) : vrs_fail_nomem(err);
	}
	vrs_free(picked);
	if (status != VRS_OK)
		vrs_result_destroy(result);
	else
		*ret_result = result;
	return status;
}
