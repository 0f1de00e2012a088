/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/scaling_fit.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>

enum { STEPS_MAX = 200 };
static const int parameter_counts[VRS_LAWS] = {2, 3, 2};
/* The first parameter is fitted as its logarithm, so that it stays above 0. */
static const double starts[VRS_LAWS][VRS_LAW_PARAMETERS] = {{0, 0.3, 0}, {0, 0.1, 0.01}, {0, 0.5, 0}};

struct points {
	enum vrs_scaling_law law;
	const double *x, *y;
	int n;
};

/* ln of the law at x, by its parameters as they are fitted. */
static double log_law(enum vrs_scaling_law law, const double *p, double x)
{
	switch (law) {
	case VRS_LAW_AMDAHL: return p[0] - log(p[1] + (1 - p[1]) / x);
	case VRS_LAW_USL: return p[0] + log(x) - log(1 + p[1] * (x - 1) + p[2] * x * (x - 1));
	default: return p[0] + p[1] * log(x);
	}
}

static int residuals(const gsl_vector *parameters, void *cookie, gsl_vector *ret)
{
	const struct points *points = cookie;
	double p[VRS_LAW_PARAMETERS] = {0};
	for (size_t i = 0; i < parameters->size; i++)
		p[i] = gsl_vector_get(parameters, i);
	for (int i = 0; i < points->n; i++) {
		double r = log_law(points->law, p, points->x[i]) - log(points->y[i]);
		if (!isfinite(r))
			return GSL_EDOM;
		gsl_vector_set(ret, (size_t)i, r);
	}
	return GSL_SUCCESS;
}

static int different(const double *x, int n)
{
	int count = 0;
	for (int i = 0; i < n; i++) {
		bool seen = false;
		for (int k = 0; k < i && !seen; k++)
			seen = !(fabs(x[k] - x[i]) > 0);
		count += !seen;
	}
	return count;
}

/* Values and intervals of a solved fit; NaN intervals where as many points as parameters leave no residual. */
static bool read_solution(gsl_multifit_nlinear_workspace *work, struct vrs_scaling_fit *fit)
{
	size_t p = (size_t)fit->parameters;
	double squares, freedom = fit->points - fit->parameters;
	gsl_matrix *covariance = gsl_matrix_alloc(p, p);
	const gsl_vector *solution = gsl_multifit_nlinear_position(work), *rest = gsl_multifit_nlinear_residual(work);
	bool ok = covariance && gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(work), 0, covariance) == GSL_SUCCESS &&
		  gsl_blas_ddot(rest, rest, &squares) == GSL_SUCCESS;
	fit->spread = ok && freedom > 0 ? sqrt(squares / freedom) : NAN;
	for (size_t i = 0; ok && i < p; i++) {
		double value = gsl_vector_get(solution, i);
		double half = freedom > 0 ? gsl_cdf_tdist_Pinv(0.975, freedom) * fit->spread * sqrt(gsl_matrix_get(covariance, i, i)) : NAN;
		fit->value[i] = i == 0 ? exp(value) : value;
		fit->low[i] = i == 0 ? exp(value - half) : value - half;
		fit->high[i] = i == 0 ? exp(value + half) : value + half;
		ok = isfinite(fit->value[i]);
	}
	gsl_matrix_free(covariance);
	return ok;
}

bool vrs_scaling_fit(enum vrs_scaling_law law, const double *x, const double *y, int n, struct vrs_scaling_fit *ret)
{
	struct vrs_scaling_fit fit = {.law = law, .parameters = parameter_counts[law], .points = n, .spread = NAN};
	struct points points = {law, x, y, n};
	gsl_multifit_nlinear_parameters options = gsl_multifit_nlinear_default_parameters();
	gsl_multifit_nlinear_fdf system = {.f = residuals, .n = (size_t)n, .p = (size_t)fit.parameters, .params = &points};
	double start[VRS_LAW_PARAMETERS];
	int info;
	for (int i = 0; i < n; i++)
		if (!(isfinite(x[i]) && isfinite(y[i]) && x[i] > 0 && y[i] > 0))
			return false;
	if (different(x, n) < fit.parameters)
		return false;
	memcpy(start, starts[law], sizeof start);
	start[0] = log(y[0]);
	gsl_set_error_handler_off();
	gsl_multifit_nlinear_workspace *work = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &options, system.n, system.p);
	gsl_vector_view from = gsl_vector_view_array(start, system.p);
	bool ok = work && gsl_multifit_nlinear_init(&from.vector, &system, work) == GSL_SUCCESS;
	int solved = ok ? gsl_multifit_nlinear_driver(STEPS_MAX, 1e-10, 1e-10, 0, NULL, NULL, &info, work) : GSL_FAILURE;
	/* No progress is an answer where the points lie on the curve already. */
	ok = (solved == GSL_SUCCESS || solved == GSL_ENOPROG) && read_solution(work, &fit);
	if (work)
		gsl_multifit_nlinear_free(work);
	if (ok)
		*ret = fit;
	return ok;
}

double vrs_scaling_at(const struct vrs_scaling_fit *fit, double x)
{
	double p[VRS_LAW_PARAMETERS] = {log(fit->value[0]), fit->value[1], fit->value[2]};
	return exp(log_law(fit->law, p, x));
}
