/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of scaling fitted to runs, by least squares of the logarithm (GSL), with intervals. */
#ifndef VRS_ANALYZER_SCALING_FIT_H
#define VRS_ANALYZER_SCALING_FIT_H

#include <stdbool.h>

#include <vrseg/status.h>

enum vrs_scaling_law {
	VRS_LAW_AMDAHL, /* Amdahl (AFIPS 1967): y = rate / (serial + (1 - serial) / x); rate, serial */
	VRS_LAW_USL,    /* Gunther (2007): y = rate x / (1 + contention (x - 1) + coherence x (x - 1)); rate, contention, coherence */
	VRS_LAW_POWER,  /* y = scale x^exponent; scale, exponent */
	VRS_LAWS,
};
enum { VRS_LAW_PARAMETERS = 3 };

struct vrs_scaling_fit {
	enum vrs_scaling_law law;
	int parameters, points;
	double value[VRS_LAW_PARAMETERS], low[VRS_LAW_PARAMETERS], high[VRS_LAW_PARAMETERS]; /* 95 % by Student; NaN without degrees of freedom */
	double spread;               /* standard deviation of the residuals of ln y; NaN likewise */
};

/*
 * Fit a law to n points (x, y > 0), which are runs: several of them may have one x.  False: fewer different x than parameters, or no solution.
 * Shares may come out below 0 where the points do not follow the law.
 */
bool vrs_scaling_fit(enum vrs_scaling_law law, const double *x, const double *y, int n, struct vrs_scaling_fit *ret);
/* The curve. */
double vrs_scaling_at(const struct vrs_scaling_fit *fit, double x);

#endif
