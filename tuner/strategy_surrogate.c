/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>

#include "tuner/gain_model.h"
#include "tuner/strategy.h"

#define BATCH 4                  /* points that are chosen at once: the default's runs are shared among them */
#define ROUNDS 2
#define LEAST_IMPROVEMENT 5e-4   /* expected gain below which measuring more is not worth it */
#define MAX_CANDIDATES 4096      /* of larger grids so many by chance, and the neighbours of the best */

struct choice {
	const struct vrs_strategy_view *view;
	const struct vrs_gain_model *model;
	const struct vrs_proposal *taken;
	double noise, best;      /* of a proposal's rounds; highest mean of what was measured */
	struct vrs_point point;
	double improvement;
};

/*
 * Expected improvement over the best, times what measuring with noise leaves of it (augmented expected improvement: Huang, Allen, Notz & Zeng, 2006).
 * A point that was measured often promises little.
 */
static double improvement_of(const struct choice *c, const struct vrs_point *point)
{
	double mean, sd;
	vrs_gain_model_predict(c->model, point, &mean, &sd);
	if (sd < 1e-9)
		return 0;
	double z = (mean - c->best) / sd;
	double expected = (mean - c->best) * gsl_cdf_ugaussian_P(z) + sd * gsl_ran_ugaussian_pdf(z);
	return expected * (1 - c->noise / sqrt(c->noise * c->noise + sd * sd));
}

static void consider(struct choice *c, const struct vrs_point *point)
{
	const struct vrs_trial *t = vrs_trials_find(c->view->trials, point);
	if (!vrs_grid_has(c->view->grid, point) || vrs_point_changes(point) == 0 || (t && (!t->accepted || t->rounds == VRS_TRIAL_MAX_ROUNDS)))
		return;
	if (vrs_proposal_has(c->taken, point))
		return;
	double improvement = improvement_of(c, point);
	if (improvement > c->improvement) {
		c->improvement = improvement;
		c->point = *point;
	}
}

static void consider_neighbours(struct choice *c, const struct vrs_point *center)
{
	for (int i = 0; i < c->view->grid->count; i++) {
		int knob = c->view->grid->knobs[i];
		struct vrs_point point = *center;
		for (int level = 0; level <= c->view->grid->space->knobs[knob].count; level++) {
			point.level[knob] = (unsigned char)level;
			consider(c, &point);
		}
	}
}

/* A grid too large to look at whole. */
static void consider_some(struct choice *c)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, c->view->seed + (uint64_t)c->view->runs_left);
	for (int n = 0; n < MAX_CANDIDATES; n++) {
		struct vrs_point point;
		vrs_grid_random(c->view->grid, &rng, &point);
		consider(c, &point);
	}
	for (int i = 0; i < c->view->trials->count; i++)
		if (c->view->trials->items[i].accepted)
			consider_neighbours(c, &c->view->trials->items[i].point);
}

static void choose(struct choice *c)
{
	struct vrs_point point = {{0}};
	c->improvement = 0;
	if (vrs_grid_size(c->view->grid) > MAX_CANDIDATES) {
		consider_some(c);
		return;
	}
	while (vrs_grid_next(c->view->grid, &point))
		consider(c, &point);
}

/* The highest mean of the points that were measured, and the default's 0. */
static double best_mean(const struct vrs_strategy_view *view, const struct vrs_gain_model *model)
{
	double best = 0, mean, sd;
	for (int i = 0; i < view->trials->count; i++)
		if (view->trials->items[i].accepted && view->trials->items[i].rounds) {
			vrs_gain_model_predict(model, &view->trials->items[i].point, &mean, &sd);
			best = fmax(best, mean);
		}
	return best;
}

static enum vrs_status propose(const struct vrs_strategy_view *view, struct vrs_proposal *ret)
{
	struct vrs_gain_model *model;
	double noise = vrs_trials_noise(view->trials), mean, sd, first = 0;
	enum vrs_status status = vrs_gain_model_fit(&model, view->grid, view->trials, noise);
	if (status != VRS_OK)
		return status;
	struct choice choice = {.view = view, .model = model, .taken = ret, .noise = noise / sqrt(ROUNDS)};
	ret->rounds = ROUNDS;
	choice.best = best_mean(view, model);
	while (status == VRS_OK && ret->count < BATCH) {
		choose(&choice);
		if (choice.improvement < LEAST_IMPROVEMENT)
			break;
		first = ret->count ? first : choice.improvement;
		vrs_proposal_add(ret, view->grid, &choice.point);
		vrs_gain_model_predict(model, &choice.point, &mean, &sd);
		status = vrs_gain_model_assume(model, &choice.point, mean);
	}
	vrs_gain_model_destroy(model);
	vrs_proposal_limit(ret, view->runs_left);
	snprintf(ret->why, sizeof ret->why, "up to %.1f %% more is to be expected there", 100 * expm1(first));
	status = status == VRS_ELIMIT ? VRS_OK : status;
	/* A model that expects nothing more has not seen how the best settings act on each other: their neighbours are measured before it is believed. */
	return status == VRS_OK && ret->count == 0 ? vrs_strategy_descent.propose(view, ret) : status;
}

const struct vrs_strategy vrs_strategy_surrogate = {"surrogate", "model the gain, and measure where it may be largest", propose};
