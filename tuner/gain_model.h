/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A model of the gain at points that were not measured: a Gaussian process over the levels of a grid (Rasmussen & Williams, 2006, chapter 2), with
 * prior mean 0, the gain of the default.  The covariance of points x and y is
 *
 *     v (a / n sum_k c_k + (1 - a) prod_k c_k),   c_k = exp(-r_k d_k(x, y)),
 *
 * over n knobs k; d_k is the distance of the two levels (vrs_grid_position), or 1 where the values have no order and differ.  The sum lets effects
 * that were seen one at a time add up in combinations (Duvenaud, Nickisch & Rasmussen, 2011), the product lets knobs act on each other.  v, a and the
 * r_k are those of a small table that explain the data best (marginal likelihood, one knob after the other).
 */
#ifndef VRS_TUNER_GAIN_MODEL_H
#define VRS_TUNER_GAIN_MODEL_H

#include "tuner/trials.h"

#define VRS_GAIN_MODEL_MAX 400 /* trials that it is made of; later ones are left out */

struct vrs_gain_model;

/*
 * Fit the model to all trials (refused ones too: their speed is true), a round's gain having standard deviation `noise` > 0.
 * The grid is used as long as the model is.  VRS_ENOMEM; VRS_EINTERNAL: the covariance is singular.
 */
enum vrs_status vrs_gain_model_fit(struct vrs_gain_model **ret_model, const struct vrs_grid *grid, const struct vrs_trials *trials, double noise);
void vrs_gain_model_destroy(struct vrs_gain_model *model); /* NULL is fine */
/* Mean and standard deviation of the gain at a point, without the noise of measuring it. */
void vrs_gain_model_predict(const struct vrs_gain_model *model, const struct vrs_point *point, double *ret_mean, double *ret_sd);
/*
 * Take a gain for measured, in one round, with the parameters as they are: several points can then be chosen at once without choosing one twice
 * (Ginsbourger, Le Riche & Carraro, 2010).  Statuses of vrs_gain_model_fit; VRS_ELIMIT: there is no room.
 */
enum vrs_status vrs_gain_model_assume(struct vrs_gain_model *model, const struct vrs_point *point, double gain);

#endif
