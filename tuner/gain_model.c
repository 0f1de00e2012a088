/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/gain_model.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"

/* The default's gain is 0 by definition. */
#define DEFAULT_NOISE 1e-4
#define RATES 4
#define SHARES 3
#define SCALES 4
#define PASSES 2

static const double rates[RATES] = {0.03, 0.2, 0.7, 2.5}; /* r: 0.03 leaves a knob almost without effect */
static const double shares[SHARES] = {0.3, 0.7, 0.97};    /* a */
/* Log prior of the shares: effects seen one at a time say nothing about how knobs act on each other, and then most of them add up. */
static const double share_priors[SHARES] = {-4, -2, 0};
static const double scales[SCALES] = {0.5, 1, 3, 10};     /* v as a multiple of the mean square of the gains */

struct parameters {
	int rate[VRS_SPACE_MAX_KNOBS], share, scale;
};

struct vrs_gain_model {
	const struct vrs_grid *grid;
	struct parameters parameters;
	/* exp(-rate d) of two levels of a knob */
	double correlation[VRS_SPACE_MAX_KNOBS][RATES][VRS_KNOB_MAX_LEVELS][VRS_KNOB_MAX_LEVELS];
	struct vrs_point points[VRS_GAIN_MODEL_MAX];
	double gains[VRS_GAIN_MODEL_MAX], variances[VRS_GAIN_MODEL_MAX]; /* of measuring */
	int count;
	double noise, square;        /* of one round; mean square of the gains */
	gsl_matrix *covariance;      /* capacity x capacity; its Cholesky factor after a fit */
	gsl_vector *weights, *row;   /* covariance^-1 gains; scratch */
	double likelihood;           /* log, without constants */
};

static void fill_correlations(struct vrs_gain_model *m)
{
	for (int i = 0; i < m->grid->count; i++) {
		int knob = m->grid->knobs[i], levels = 1 + m->grid->space->knobs[knob].count;
		for (int a = 0; a < levels; a++)
			for (int b = 0; b < levels; b++) {
				double apart = fabs(vrs_grid_position(m->grid, knob, a) - vrs_grid_position(m->grid, knob, b));
				double d = isfinite(apart) ? apart : a != b;
				for (int r = 0; r < RATES; r++)
					m->correlation[knob][r][a][b] = exp(-rates[r] * d);
			}
	}
}

static double covariance(const struct vrs_gain_model *m, const struct vrs_point *x, const struct vrs_point *y)
{
	double sum = 0, product = 1;
	for (int i = 0; i < m->grid->count; i++) {
		int k = m->grid->knobs[i];
		double c = m->correlation[k][m->parameters.rate[k]][x->level[k]][y->level[k]];
		sum += c;
		product *= c;
	}
	double share = shares[m->parameters.share];
	return scales[m->parameters.scale] * m->square * (share * sum / m->grid->count + (1 - share) * product);
}

/* Factor the covariance of the measured points and find their weights and likelihood, with the parameters as they are. */
static enum vrs_status solve(struct vrs_gain_model *m)
{
	size_t n = (size_t)m->count;
	gsl_matrix_view full = gsl_matrix_submatrix(m->covariance, 0, 0, n, n);
	gsl_vector_view weights = gsl_vector_subvector(m->weights, 0, n);
	for (int i = 0; i < m->count; i++)
		for (int j = 0; j <= i; j++) {
			double c = covariance(m, &m->points[i], &m->points[j]) + (i == j ? m->variances[i] : 0);
			gsl_matrix_set(&full.matrix, (size_t)i, (size_t)j, c);
		}
	if (gsl_linalg_cholesky_decomp1(&full.matrix) != GSL_SUCCESS)
		return VRS_EINTERNAL;
	double determinant = 0, fit = 0;
	for (int i = 0; i < m->count; i++) {
		gsl_vector_set(&weights.vector, (size_t)i, m->gains[i]);
		determinant += log(gsl_matrix_get(&full.matrix, (size_t)i, (size_t)i));
	}
	gsl_linalg_cholesky_svx(&full.matrix, &weights.vector);
	for (int i = 0; i < m->count; i++)
		fit += m->gains[i] * gsl_vector_get(&weights.vector, (size_t)i);
	m->likelihood = -0.5 * fit - determinant + share_priors[m->parameters.share];
	return VRS_OK;
}

/* The best of n values of one parameter, the others as they are. */
static void improve(struct vrs_gain_model *m, int *parameter, int n)
{
	int best = *parameter;
	double likelihood = -INFINITY;
	for (*parameter = 0; *parameter < n; ++*parameter)
		if (solve(m) == VRS_OK && m->likelihood > likelihood) {
			likelihood = m->likelihood;
			best = *parameter;
		}
	*parameter = best;
}

static void take_data(struct vrs_gain_model *m, const struct vrs_trials *trials)
{
	m->variances[0] = DEFAULT_NOISE * DEFAULT_NOISE; /* points[0] is the default, gains[0] 0 */
	m->count = 1;
	for (int i = 0; i < trials->count && m->count < VRS_GAIN_MODEL_MAX; i++) {
		const struct vrs_trial *t = &trials->items[i];
		double gain = vrs_trial_gain(t);
		if (!isfinite(gain))
			continue;
		m->points[m->count] = t->point;
		m->gains[m->count] = gain;
		m->square += gain * gain;
		m->variances[m->count++] = m->noise * m->noise / t->rounds;
	}
	m->square = fmax(m->count > 1 ? m->square / (m->count - 1) : 0, m->noise * m->noise);
}

enum vrs_status vrs_gain_model_fit(struct vrs_gain_model **ret_model, const struct vrs_grid *grid, const struct vrs_trials *trials, double noise)
{
	struct vrs_gain_model *m = vrs_calloc(1, sizeof *m);
	if (!m)
		return VRS_ENOMEM;
	gsl_set_error_handler_off();
	m->grid = grid;
	m->noise = noise;
	m->parameters.share = m->parameters.scale = 1;
	for (int k = 0; k < VRS_SPACE_MAX_KNOBS; k++)
		m->parameters.rate[k] = 1;
	m->covariance = gsl_matrix_alloc(VRS_GAIN_MODEL_MAX, VRS_GAIN_MODEL_MAX);
	m->weights = gsl_vector_alloc(VRS_GAIN_MODEL_MAX);
	m->row = gsl_vector_alloc(VRS_GAIN_MODEL_MAX);
	if (!m->covariance || !m->weights || !m->row) {
		vrs_gain_model_destroy(m);
		return VRS_ENOMEM;
	}
	fill_correlations(m);
	take_data(m, trials);
	for (int pass = 0; pass < PASSES; pass++) {
		improve(m, &m->parameters.scale, SCALES);
		improve(m, &m->parameters.share, SHARES);
		for (int i = 0; i < grid->count; i++)
			improve(m, &m->parameters.rate[grid->knobs[i]], RATES);
	}
	enum vrs_status status = solve(m);
	if (status != VRS_OK)
		vrs_gain_model_destroy(m);
	else
		*ret_model = m;
	return status;
}

void vrs_gain_model_destroy(struct vrs_gain_model *model)
{
	if (!model)
		return;
	gsl_matrix_free(model->covariance);
	gsl_vector_free(model->weights);
	gsl_vector_free(model->row);
	vrs_free(model);
}

void vrs_gain_model_predict(const struct vrs_gain_model *model, const struct vrs_point *point, double *ret_mean, double *ret_sd)
{
	size_t n = (size_t)model->count;
	gsl_vector_view row = gsl_vector_subvector(model->row, 0, n);
	gsl_matrix_const_view factor = gsl_matrix_const_submatrix(model->covariance, 0, 0, n, n);
	double mean = 0, explained = 0;
	for (size_t i = 0; i < n; i++) {
		double c = covariance(model, &model->points[i], point);
		gsl_vector_set(&row.vector, i, c);
		mean += c * gsl_vector_get(model->weights, i);
	}
	gsl_blas_dtrsv(CblasLower, CblasNoTrans, CblasNonUnit, &factor.matrix, &row.vector);
	gsl_blas_ddot(&row.vector, &row.vector, &explained);
	*ret_mean = mean;
	*ret_sd = sqrt(fmax(covariance(model, point, point) - explained, 0));
}

enum vrs_status vrs_gain_model_assume(struct vrs_gain_model *model, const struct vrs_point *point, double gain)
{
	if (model->count == VRS_GAIN_MODEL_MAX)
		return VRS_ELIMIT;
	model->points[model->count] = *point;
	model->gains[model->count] = gain;
	model->variances[model->count++] = model->noise * model->noise;
	return solve(model);
}
