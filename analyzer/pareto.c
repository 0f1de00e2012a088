/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Speed against quality: which cells are worth having. */
#include "analyzer/summary_parts.h"

#include <math.h>
#include <stdio.h>

#define MAX_CELLS 256

/* Quality of a cell: truth where the clip has it, else agreement with fp32; NaN: neither. */
static double cell_quality(const struct vrs_case_result *c)
{
	double iou = vrs_case_result_median(c, offsetof(struct vrs_run, iou));
	return isfinite(iou) ? iou : vrs_case_result_median(c, offsetof(struct vrs_run, agreement));
}

/*
 * a dominates b when it is no worse in quality and its speed lies above b's with separate intervals (ranges below six runs): cells that noise
 * could swap never dominate each other.
 */
static bool dominates(const struct vrs_case_result *a, double qa, const struct vrs_case_result *b, double qb)
{
	double a_low = a->fps.has_interval ? a->fps.low : a->fps.min;
	double b_high = b->fps.has_interval ? b->fps.high : b->fps.max;
	return qa >= qb && a_low > b_high;
}

enum vrs_status vrs_pareto_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	const struct vrs_case_result *cells[MAX_CELLS];
	double quality[MAX_CELLS];
	int n = 0, width = 0, height = 0;
	/* Only cells of the default's resolution compete: another size is another task. */
	const struct vrs_case_result *base = result->default_case[0] ? vrs_result_find_case(result, result->default_case) : NULL;
	if (base) {
		width = base->width;
		height = base->height;
	}
	for (int i = 0; i < result->case_count && n < MAX_CELLS; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		double q = cell_quality(c);
		if (vrs_case_result_ok_runs(c) > 0 && isfinite(q) && c->width == width && c->height == height && base && vrs_case_result_same_kind(c, base)) {
			cells[n] = c;
			quality[n++] = q;
		}
	}
	if (n < 2)
		return VRS_OK;
	struct vrs_graph_data *g = vrs_findings_add_graph(findings, "pareto", "Speed against quality", VRS_GRAPH_POINTS);
	struct vrs_series *all = vrs_graph_add_series(g, "cells", n, false);
	if (!all)
		return VRS_ENOMEM;
	int front = 0;
	bool beaten[MAX_CELLS] = { false };
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < n; k++)
			beaten[i] = beaten[i] || (k != i && dominates(cells[k], quality[k], cells[i], quality[i]));
		front += !beaten[i];
		all->x[i] = cells[i]->fps.median;
		all->y[i] = quality[i];
	}
	struct vrs_series *best = vrs_graph_add_series(g, "not beaten", front, false);
	if (!best)
		return VRS_ENOMEM;
	for (int i = 0, at = 0; i < n; i++)
		if (!beaten[i]) {
			best->x[at] = cells[i]->fps.median;
			best->y[at++] = quality[i];
		}
	snprintf(g->x_label, sizeof(g->x_label), "frames per second");
	snprintf(g->y_label, sizeof(g->y_label), "IoU");
	g->y_pad = 0.005;
	snprintf(g->caption, sizeof(g->caption), "Cells at %dx%d. A cell is beaten when another is at least as good and faster beyond both intervals.",
		 width, height);
	return VRS_OK;
}
