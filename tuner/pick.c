/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/pick.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/dataset.h"
#include "analyzer/figures/front.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "tuner/search.h"

static const struct {
	enum vrs_front_figure figure;
	const char *words;
} rules[] = {
	[VRS_PICK_FASTEST] = {VRS_FRONT_SPEED, "the fastest"},
	[VRS_PICK_BEST] = {VRS_FRONT_QUALITY, "the one with the best matte"},
	[VRS_PICK_SMALLEST] = {VRS_FRONT_OUTPUT, "the one with the smallest output"},
	[VRS_PICK_LIGHTEST] = {VRS_FRONT_MEMORY, "the one with the least memory"},
	[VRS_PICK_KNEE] = {VRS_FRONT_QUALITY, "the knee of speed against quality"},
};

/* Cases of the base's size and kind: first those that keep the limits, then the others. */
struct field {
	const struct vrs_case_result *base, **cases;
	bool *beaten;
	int count, all;           /* that keep the limits; together */
};

static double figure_of(const struct vrs_case_result *c, enum vrs_front_figure figure)
{
	return vrs_front_value(c, figure).median;
}

/* Is a better than b in the figure of a rule by more than does not matter? */
static bool is_better(const struct vrs_case_result *a, const struct vrs_case_result *b, enum vrs_front_figure figure)
{
	const struct vrs_front_info *info = vrs_front_info(figure);
	double x = figure_of(a, figure), y = figure_of(b, figure), margin = info->absolute ? info->margin : info->margin * fabs(y);
	return info->more_is_better ? x > y + margin : x < y - margin;
}

/* The case with the extreme figure, then the fastest of those that it is not better than; -1: none has the figure. */
static int extreme(const struct field *f, enum vrs_front_figure figure)
{
	int best = -1, chosen = -1;
	bool more = vrs_front_info(figure)->more_is_better;
	for (int i = 0; i < f->count; i++) {
		double value = figure_of(f->cases[i], figure);
		if (isfinite(value) && (best < 0 || (more ? value > figure_of(f->cases[best], figure) : value < figure_of(f->cases[best], figure))))
			best = i;
	}
	for (int i = 0; best >= 0 && i < f->count; i++)
		if (isfinite(figure_of(f->cases[i], figure)) && !is_better(f->cases[best], f->cases[i], figure) &&
		    (chosen < 0 || figure_of(f->cases[i], VRS_FRONT_SPEED) > figure_of(f->cases[chosen], VRS_FRONT_SPEED)))
			chosen = i;
	return chosen;
}

/* Can the case be picked?  The quality of the base's mattes over other frames ranks nothing. */
static bool is_ranked(const struct vrs_case_result *c, const struct vrs_case_result *base, enum vrs_pick_rule rule,
		      const struct vrs_objective *objective)
{
	struct vrs_limits limits;
	vrs_objective_check(objective, c, base, &limits);
	return limits.missed == 0 && (rules[rule].figure != VRS_FRONT_QUALITY || vrs_case_result_same_mattes(c, base));
}

/* Would the case come before the picked one, if it could be picked? */
static bool comes_before(const struct vrs_case_result *c, const struct vrs_case_result *picked, enum vrs_pick_rule rule)
{
	enum vrs_front_figure figure = rules[rule].figure;
	bool is_equal = isfinite(figure_of(c, figure)) && !is_better(picked, c, figure); /* of equal ones the fastest is picked */
	return is_better(c, picked, figure) || ((rule == VRS_PICK_KNEE || is_equal) && is_better(c, picked, VRS_FRONT_SPEED));
}

static enum vrs_status gather(const struct vrs_result *result, enum vrs_pick_rule rule, const struct vrs_objective *objective, struct field *ret,
			      struct vrs_error *err)
{
	size_t room = (size_t)result->case_count + 1;
	*ret = (struct field){.base = vrs_default_case(result)};
	if (!ret->base || vrs_case_result_ok_runs(ret->base) == 0)
		return vrs_fail(err, VRS_ECONFIG, "the results have no default that ran, which others are held against");
	ret->cases = vrs_calloc(room, sizeof *ret->cases); /* NOLINT(bugprone-sizeof-expression): of pointers */
	ret->beaten = vrs_calloc(room, sizeof *ret->beaten);
	if (!ret->cases || !ret->beaten)
		return vrs_fail_nomem(err);
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < result->case_count; i++) {
			const struct vrs_case_result *c = &result->cases[i];
			if (c->width != ret->base->width || c->height != ret->base->height || !vrs_case_result_same_kind(c, ret->base))
				continue;
			bool ranked = is_ranked(c, ret->base, rule, objective);
			if (ranked == pass)
				continue;
			ret->cases[ret->all++] = c;
			ret->count += ranked;
		}
	enum vrs_status status = vrs_front_find(ret->cases, ret->count, VRS_FRONT_ALL, ret->beaten);
	return status != VRS_OK ? vrs_fail_nomem(err) : VRS_OK;
}

static void note(struct vrs_search_result *r, const struct vrs_case_result *c, const struct vrs_case_result *base,
		 const struct vrs_objective *objective, bool accepted)
{
	struct vrs_tried *t = &r->tried[r->tried_count++];
	t->phase = VRS_PHASE_FINAL;
	(void)vrs_strcpy(t->id, sizeof t->id, c->id);
	t->figures = vrs_case_figures(c, base);
	t->ratio = vrs_objective_ratio(objective, c, base);
	vrs_objective_check(objective, c, base, &t->limits);
	t->accepted = accepted;
	if (!accepted && t->limits.missed == 0)
		snprintf(t->limits.why, sizeof t->limits.why, "its mattes are of other frames than the default's");
}

/*
 * The default, what can be picked and is surpassed by nothing, and what comes before the picked case and cannot be picked; where nothing can, all, of
 * which the nearest are looked for.
 */
static void note_all(struct vrs_search_result *r, const struct field *f, enum vrs_pick_rule rule, int picked, const struct vrs_objective *objective)
{
	note(r, f->base, f->base, objective, true);
	for (int i = 0; i < f->all; i++) {
		bool can = i < f->count, shown = can ? !f->beaten[i] || i == picked : picked < 0 || comes_before(f->cases[i], f->cases[picked], rule);
		if (f->cases[i] != f->base && shown)
			note(r, f->cases[i], f->base, objective, can);
	}
}

/* " 2 that come before it do not keep them." */
static void count_left_out(const struct vrs_search_result *r, char *buf, size_t size)
{
	int count = 0;
	for (int i = 0; i < r->tried_count; i++)
		count += !r->tried[i].accepted;
	buf[0] = '\0';
	if (count)
		snprintf(buf, size, count == 1 ? " %d that comes before it is left out." : " %d that come before it are left out.", count);
}

/*
 * The values that the picked case has and the default has not; the default's own are what the result starts from.  None of a side of an A/B: what it
 * started from is a configuration of its own.
 */
static enum vrs_status take_values(const struct vrs_case_result *c, const struct vrs_case_result *base, struct vrs_case *ret, struct vrs_error *err)
{
	struct vrs_case own, other;
	enum vrs_status status = vrs_case_parse(c->id, &own, err);
	if (status == VRS_OK)
		status = vrs_case_parse(base->id, &other, err);
	*ret = (struct vrs_case){.value_count = 0};
	for (int i = 0; status == VRS_OK && !own.side && i < own.value_count; i++) {
		const char *before = vrs_case_get(&other, own.values[i].key);
		if (!before || strcmp(before, own.values[i].value) != 0)
			ret->values[ret->value_count++] = own.values[i];
	}
	/* What the values were measured with, for a command that checks them. */
	ret->width = c->input_kind == VRS_INPUT_DERIVED ? c->width : 0;
	ret->height = c->input_kind == VRS_INPUT_DERIVED ? c->height : 0;
	ret->scope = c->scope;
	ret->live_hz = c->live_hz;
	return status;
}

static void describe(struct vrs_search_result *r, const struct field *f, enum vrs_pick_rule rule, int picked)
{
	(void)vrs_strcpy(r->default_id, sizeof r->default_id, f->base->id);
	r->default_figures = vrs_case_figures(f->base, f->base);
	r->by_value = true;
	if (picked < 0) {
		(void)vrs_strcpy(r->best_id, sizeof r->best_id, f->base->id);
		r->best_figures = r->default_figures;
		r->keeps_default = true;
		snprintf(r->sentence, sizeof r->sentence, "No measured settings keep all limits.");
		return;
	}
	const struct vrs_case_result *c = f->cases[picked];
	char left_out[64];
	count_left_out(r, left_out, sizeof left_out);
	(void)vrs_strcpy(r->best_id, sizeof r->best_id, c->id);
	r->best_figures = vrs_case_figures(c, f->base);
	r->keeps_default = c == f->base;
	r->feasible = true;
	if (rule == VRS_PICK_SMALLEST) /* what a command that checks it has to decide by */
		r->goal = VRS_GOAL_SIZE;
	else if (rule == VRS_PICK_BEST && r->best_figures.has_truth)
		r->goal = VRS_GOAL_QUALITY;
	snprintf(r->sentence, sizeof r->sentence, "%s is %s of %d measured settings that keep the limits.%s%s", c == f->base ? "The default" : c->id,
		 rules[rule].words, f->count, left_out, c == f->base ? "" : " That it is better than the default is not proven.");
}

enum vrs_status vrs_pick(const struct vrs_result *result, enum vrs_pick_rule rule, const struct vrs_objective *objective,
			 struct vrs_search_result *ret, struct vrs_error *err)
{
	struct field f;
	struct vrs_search_result r = {.goal = objective->goal};
	enum vrs_status status = gather(result, rule, objective, &f, err);
	if (status == VRS_OK) {
		r.tried = vrs_calloc((size_t)f.all + 2, sizeof *r.tried);
		status = r.tried ? VRS_OK : vrs_fail_nomem(err);
	}
	int picked = -1;
	if (status == VRS_OK && f.count > 0)
		picked = rule == VRS_PICK_KNEE ? vrs_front_knee(f.cases, f.count) : extreme(&f, rules[rule].figure);
	if (status == VRS_OK && f.count > 0 && picked < 0)
		status = vrs_fail(err, VRS_ECONFIG, "the results do not say what decides %s", rules[rule].words);
	if (status == VRS_OK) {
		note_all(&r, &f, rule, picked, objective);
		describe(&r, &f, rule, picked);
		if (picked >= 0)
			status = take_values(f.cases[picked], f.base, &r.best, err);
		vrs_objective_check(objective, picked < 0 ? f.base : f.cases[picked], f.base, &r.best_limits);
	}
	vrs_free(f.cases);
	vrs_free(f.beaten);
	if (status != VRS_OK)
		vrs_search_result_fini(&r);
	else
		*ret = r;
	return status;
}
