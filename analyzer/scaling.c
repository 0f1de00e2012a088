/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How speed grows with threads: Amdahl's law fitted to the thread axis. */
#include "analyzer/dataset.h"
#include "analyzer/summary_parts.h"

#include <math.h>
#include <stdio.h>

#include <gsl/gsl_fit.h>
#include <gsl/gsl_multifit.h>

#define MAX_CASES 64

/*
 * Amdahl (AFIPS 1967): time(t) = serial + parallel / t.  A line in 1/t, so least squares gives both; exact for two points.
 * *ret_share is the parallel share serial + parallel = 1 at one thread, cut to 0..1.
 */
static bool fit_amdahl(const struct vrs_case_result **cases, int n, double *ret_serial, double *ret_parallel, double *ret_share)
{
	double x[MAX_CASES], y[MAX_CASES], serial, parallel, c00, c01, c11, rest;
	for (int i = 0; i < n; i++) {
		x[i] = 1.0 / cases[i]->threads;
		y[i] = 1.0 / cases[i]->fps.median;
	}
	if (gsl_fit_linear(x, 1, y, 1, (size_t)n, &serial, &parallel, &c00, &c01, &c11, &rest) != 0 || !(serial + parallel > 0))
		return false;
	*ret_serial = fmax(0, serial);
	*ret_parallel = serial < 0 ? serial + parallel : parallel;
	*ret_share = fmin(1, fmax(0, parallel / (serial + parallel)));
	return isfinite(*ret_share);
}

/*
 * Universal scalability law (Gunther, 2007): X(t) = rate t / (1 + contention (t - 1) + coherence t (t - 1)), so that t / X is linear in t - 1 and
 * t (t - 1).  False: fewer than three different thread counts, or the measurements do not follow it (a negative coefficient).
 */
static bool fit_usl(const struct vrs_case_result **cases, int n, double ret[3])
{
	if (n < 3)
		return false;
	gsl_matrix *x = gsl_matrix_alloc((size_t)n, 3), *cov = gsl_matrix_alloc(3, 3);
	gsl_vector *y = gsl_vector_alloc((size_t)n), *c = gsl_vector_alloc(3);
	gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc((size_t)n, 3);
	double rest;
	bool ok = x && cov && y && c && work;
	for (int i = 0; ok && i < n; i++) {
		double t = cases[i]->threads;
		gsl_matrix_set(x, (size_t)i, 0, 1);
		gsl_matrix_set(x, (size_t)i, 1, t - 1);
		gsl_matrix_set(x, (size_t)i, 2, t * (t - 1));
		gsl_vector_set(y, (size_t)i, t / cases[i]->fps.median);
	}
	ok = ok && gsl_multifit_linear(x, y, c, cov, &rest, work) == 0;
	for (size_t i = 0; ok && i < 3; i++)
		ret[i] = gsl_vector_get(c, i);
	gsl_multifit_linear_free(work);
	gsl_vector_free(c);
	gsl_vector_free(y);
	gsl_matrix_free(cov);
	gsl_matrix_free(x);
	return ok && ret[0] > 0 && ret[1] >= 0 && ret[2] >= 0;
}

void vrs_scaling_curves(const struct vrs_result *result, struct vrs_graph_data *graph)
{
	enum { POINTS = 50 };
	const struct vrs_case_result *cases[MAX_CASES];
	int n = vrs_axis_cases(result, VRS_AXIS_THREADS, cases, MAX_CASES);
	double serial, parallel, share, usl[3];
	if (n < 3 || cases[0]->threads < 1 || cases[0]->threads == cases[n - 1]->threads || !fit_amdahl(cases, n, &serial, &parallel, &share))
		return; /* two points lie on any such curve */
	double from = cases[0]->threads, span = cases[n - 1]->threads - from;
	struct vrs_series *s = vrs_graph_add_series(graph, "Amdahl fit", POINTS, false);
	for (int i = 0; s && i < POINTS; i++) {
		s->x[i] = from + span * i / (POINTS - 1);
		s->y[i] = 1 / (serial + parallel / s->x[i]);
		s->style = VRS_SERIES_DASHES;
	}
	if (s && n > 3 && fit_usl(cases, n, usl)) {
		s = vrs_graph_add_series(graph, "USL fit", POINTS, false);
		for (int i = 0; s && i < POINTS; i++) {
			double t = from + span * i / (POINTS - 1);
			s->x[i] = t;
			s->y[i] = t / (usl[0] + usl[1] * (t - 1) + usl[2] * t * (t - 1));
			s->style = VRS_SERIES_DASHES;
		}
	}
}

void vrs_scaling_notes(const struct vrs_result *result, struct vrs_findings *findings)
{
	const struct vrs_case_result *cases[MAX_CASES];
	int n = vrs_axis_cases(result, VRS_AXIS_THREADS, cases, MAX_CASES);
	double share, serial, parallel;
	if (n < 2 || cases[0]->threads < 1 || cases[0]->threads == cases[n - 1]->threads || !fit_amdahl(cases, n, &serial, &parallel, &share))
		return;
	const struct vrs_case_result *first = cases[0], *last = cases[n - 1];
	double gain = last->fps.median / first->fps.median;
	struct vrs_note *note = vrs_findings_add_note(findings, VRS_NOTE_INFO, "thread-scaling",
		"From %d to %d threads per stream the whole job goes %.2f times as fast (%.2f would be ideal). Threads here are those of the network; decoder and "
		"encoder have their own.", first->threads, last->threads, gain, (double)last->threads / first->threads);
	snprintf(note->evidence, sizeof note->evidence, "%.1f against %.1f FPS; Amdahl fit over %d cases: %.0f %% of the time follows the threads",
		 last->fps.median, first->fps.median, n, 100 * share);
}
