/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graphs along the axes of a sweep, and the shares of the stages. */
#include "analyzer/dataset.h"
#include "analyzer/figures/figures.h"
#include "analyzer/summary_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_CASES 64

static void fill_fps(struct vrs_graph_data *g, const struct vrs_case_result **cases, int n, enum vrs_axis axis)
{
	bool interval = true;
	for (int i = 0; i < n; i++)
		interval = interval && cases[i]->fps.n > 1;
	struct vrs_series *s = vrs_graph_add_series(g, "FPS", n, interval);
	if (!s)
		return;
	bool numeric = axis == VRS_AXIS_BATCH || axis == VRS_AXIS_THREADS;
	for (int i = 0; i < n; i++) {
		const struct vrs_estimate *e = &cases[i]->fps;
		char name[48];
		vrs_axis_value(cases[i], axis, name, sizeof name);
		s->x[i] = axis == VRS_AXIS_BATCH ? cases[i]->batch : axis == VRS_AXIS_THREADS ? cases[i]->threads : i;
		s->y[i] = e->median;
		if (interval) {
			s->low[i] = e->has_interval ? e->low : e->min;
			s->high[i] = e->has_interval ? e->high : e->max;
		}
		if (!numeric)
			vrs_graph_add_category(g, name);
	}
}

/* The line that perfect scaling from the fewest threads would give. */
static void add_ideal(struct vrs_graph_data *g, const struct vrs_case_result **cases, int n)
{
	struct vrs_series *s = vrs_graph_add_series(g, "ideal", n, false);
	for (int i = 0; s && i < n; i++) {
		s->style = VRS_SERIES_DASHES;
		s->x[i] = cases[i]->threads;
		s->y[i] = cases[0]->fps.median * cases[i]->threads / cases[0]->threads;
	}
}

void vrs_axis_graphs(const struct vrs_result *result, struct vrs_findings *findings)
{
	static const char *const titles[VRS_AXIS_COUNT] = {"FPS by resolution", "FPS by batch", "FPS by precision", "FPS by threads"};
	static const char *const labels[VRS_AXIS_COUNT] = {"frame size", "network inputs per call", "precision", "threads per stream"};
	for (int a = 0; a < VRS_AXIS_COUNT; a++) {
		const struct vrs_case_result *cases[MAX_CASES];
		int n = vrs_axis_cases(result, a, cases, MAX_CASES);
		if (n < 2)
			continue;
		char id[48];
		snprintf(id, sizeof id, "fps-by-%s", vrs_axis_name(a));
		bool lines = a == VRS_AXIS_BATCH || a == VRS_AXIS_THREADS;
		struct vrs_graph_data *g = vrs_findings_add_graph(findings, id, titles[a], lines ? VRS_GRAPH_LINES : VRS_GRAPH_BARS);
		snprintf(g->x_label, sizeof g->x_label, "%s", labels[a]);
		snprintf(g->y_label, sizeof g->y_label, "frames per second");
		snprintf(g->caption, sizeof g->caption, "Median over runs; bars show the 95 %% interval from six runs on, the range below.");
		if (a == VRS_AXIS_THREADS && cases[n - 1]->threads - cases[0]->threads <= 16)
			g->x_step = 1; /* there are no halves of threads */
		fill_fps(g, cases, n, a);
		if (a == VRS_AXIS_THREADS && cases[0]->threads > 0)
			add_ideal(g, cases, n);
		if (a == VRS_AXIS_THREADS)
			vrs_scaling_curves(result, g);
	}
}

void vrs_stage_graph(const struct vrs_result *result, struct vrs_findings *findings)
{
	const struct vrs_case_result *cases[MAX_CASES];
	int n = 0, left_out = 0;
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		if (vrs_case_result_ok_runs(c) == 0 || c->scope == VRS_SCOPE_NET_ONLY) /* that has one stage */
			continue;
		if (n < MAX_CASES)
			cases[n++] = c;
		else
			left_out++;
	}
	if (!n)
		return;
	struct vrs_graph_data *g = vrs_findings_add_graph(findings, "stages", "Work of each stage", VRS_GRAPH_STACKED);
	snprintf(g->y_label, sizeof g->y_label, "ms per frame");
	snprintf(g->caption, sizeof g->caption, "Stages run side by side: the tallest part limits, not the sum.%s",
		 left_out ? " Cases after the first 64 are left out." : "");
	for (int i = 0; i < n; i++)
		vrs_graph_add_category(g, cases[i]->id);
	for (int s = 0; s < VRS_STAGE_COUNT; s++) {
		struct vrs_series *series = vrs_graph_add_series(g, vrs_stage_name(s), n, false);
		for (int i = 0; series && i < n; i++) {
			double ms = vrs_figure_stage_ms(cases[i], (enum vrs_stage)s);
			series->x[i] = i;
			series->y[i] = isfinite(ms) ? ms : 0;
		}
	}
}
