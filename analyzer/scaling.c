/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How speed grows with threads: Amdahl's law fitted to the thread axis. */
#include "analyzer/dataset.h"
#include "analyzer/summary_parts.h"

#include <math.h>
#include <stdio.h>

#include <gsl/gsl_fit.h>

#define MAX_CELLS 64

/*
 * Amdahl (AFIPS 1967): time(t) = serial + parallel / t.  A line in 1/t, so least squares gives both; exact for two points.
 * *ret_share is the parallel share serial + parallel = 1 at one thread, cut to 0..1.
 */
static bool fit_amdahl(const struct vrs_case_result **cells, int n, double *ret_share)
{
	double x[MAX_CELLS], y[MAX_CELLS], serial, parallel, c00, c01, c11, rest;
	for (int i = 0; i < n; i++) {
		x[i] = 1.0 / cells[i]->threads;
		y[i] = 1.0 / cells[i]->fps.median;
	}
	if (gsl_fit_linear(x, 1, y, 1, (size_t)n, &serial, &parallel, &c00, &c01, &c11, &rest) != 0 || !(serial + parallel > 0))
		return false;
	*ret_share = fmin(1, fmax(0, parallel / (serial + parallel)));
	return isfinite(*ret_share);
}

enum vrs_status vrs_scaling_notes(const struct vrs_result *result, struct vrs_findings *findings)
{
	const struct vrs_case_result *cells[MAX_CELLS];
	int n = vrs_axis_cells(result, VRS_AXIS_THREADS, cells, MAX_CELLS);
	double share;
	if (n < 2 || cells[0]->threads < 1 || cells[0]->threads == cells[n - 1]->threads || !fit_amdahl(cells, n, &share))
		return VRS_OK;
	const struct vrs_case_result *first = cells[0], *last = cells[n - 1];
	double gain = last->fps.median / first->fps.median;
	struct vrs_note *note = vrs_findings_add_note(findings, VRS_NOTE_INFO, "thread-scaling");
	if (!note)
		return VRS_ENOMEM;
	snprintf(note->text, sizeof(note->text),
		 "From %d to %d threads per stream the whole job goes %.2f times as fast (%.2f would be ideal). Threads here are those of the network; "
		 "decoder and encoder have their own.",
		 first->threads, last->threads, gain, (double)last->threads / first->threads);
	snprintf(note->evidence, sizeof(note->evidence), "%.1f against %.1f FPS; Amdahl fit over %d cells: %.0f %% of the time follows the threads",
		 last->fps.median, first->fps.median, n, 100 * share);
	return VRS_OK;
}
