/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How speed grows with threads, pixels and batch: laws fitted to the runs of an axis, as curves, a table and a note. */
#include "analyzer/dataset.h"
#include "analyzer/scaling_fit.h"
#include "analyzer/summary_parts.h"

#include <math.h>
#include <stdio.h>

#include "analyzer/figures/figures.h"
#include "base/mem.h"

/* The runs of the cases along an axis. */
struct axis_runs {
	const struct vrs_case_result **cases; /* in order of the axis */
	double *x, *fps;
	int case_count, n;
};

static double axis_number(const struct vrs_case_result *c, enum vrs_axis axis)
{
	return axis == VRS_AXIS_THREADS ? c->threads : axis == VRS_AXIS_BATCH ? c->batch : (double)c->width * c->height;
}

static void runs_fini(struct axis_runs *runs)
{
	vrs_free(runs->cases);
	vrs_free(runs->x);
	vrs_free(runs->fps);
}

/* VRS_ENOMEM; release with runs_fini in any case. */
static enum vrs_status collect_runs(const struct vrs_result *result, enum vrs_axis axis, struct axis_runs *ret)
{
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): of pointers */
	*ret = (struct axis_runs){.cases = vrs_calloc((size_t)result->case_count + 1, sizeof *ret->cases)};
	size_t room = 1;
	if (!ret->cases)
		return VRS_ENOMEM;
	ret->case_count = vrs_axis_cases(result, axis, ret->cases, result->case_count);
	for (int i = 0; i < ret->case_count; i++)
		room += (size_t)ret->cases[i]->run_count;
	ret->x = vrs_calloc(room, sizeof *ret->x);
	ret->fps = vrs_calloc(room, sizeof *ret->fps);
	if (!ret->x || !ret->fps)
		return VRS_ENOMEM;
	for (int i = 0; i < ret->case_count; i++) {
		int count = vrs_figure_values(ret->cases[i], vrs_figure_fps, ret->fps + ret->n);
		for (int k = 0; k < count; k++)
			ret->x[ret->n++] = axis_number(ret->cases[i], axis);
	}
	return VRS_OK;
}

static void add_curve(struct vrs_graph_data *graph, const char *name, const struct vrs_scaling_fit *fit, double from, double to)
{
	enum { POINTS = 50 };
	struct vrs_series *s = vrs_graph_add_series(graph, name, POINTS, false);
	for (int i = 0; s && i < POINTS; i++) {
		s->x[i] = from + (to - from) * i / (POINTS - 1);
		s->y[i] = vrs_scaling_at(fit, s->x[i]);
		s->style = VRS_SERIES_DASHES;
	}
}

/* A law says something where there are more cases than it has parameters: on as many lies any such curve. */
static bool fits(const struct axis_runs *runs, enum vrs_scaling_law law, struct vrs_scaling_fit *fit)
{
	return vrs_scaling_fit(law, runs->x, runs->fps, runs->n, fit) && runs->case_count > fit->parameters;
}

/* Threads that cost more than they bring are told by a negative coefficient: then it is no law of these runs. */
static bool follows_usl(const struct axis_runs *runs, struct vrs_scaling_fit *fit)
{
	return fits(runs, VRS_LAW_USL, fit) && fit->value[1] >= 0 && fit->value[2] >= 0;
}

void vrs_scaling_curves(const struct vrs_result *result, struct vrs_graph_data *graph)
{
	struct axis_runs runs;
	struct vrs_scaling_fit fit;
	enum vrs_status status = collect_runs(result, VRS_AXIS_THREADS, &runs);
	if (status != VRS_OK && graph->status == VRS_OK)
		graph->status = status;
	if (status == VRS_OK && runs.case_count > 2 && runs.cases[0]->threads > 0) {
		double from = runs.cases[0]->threads, to = runs.cases[runs.case_count - 1]->threads;
		if (fits(&runs, VRS_LAW_AMDAHL, &fit))
			add_curve(graph, "Amdahl fit", &fit, from, to);
		if (follows_usl(&runs, &fit))
			add_curve(graph, "USL fit", &fit, from, to);
	}
	runs_fini(&runs);
}

/* One parameter; high and low change places where it is shown by its negative. */
static void add_row(struct vrs_table *t, const char *axis, const char *law, const char *what, const struct vrs_scaling_fit *fit, int parameter,
		    double factor)
{
	double low = factor * fit->low[parameter], high = factor * fit->high[parameter];
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", axis);
	vrs_table_set(t, 1, "%s", law);
	vrs_table_set(t, 2, "%s", what);
	vrs_table_set_number(t, 3, "%.4g", factor * fit->value[parameter]);
	if (isfinite(low) && isfinite(high))
		vrs_table_set(t, 4, "[%.4g, %.4g]", fmin(low, high), fmax(low, high));
	vrs_table_set_number(t, 5, "%.1f", 100 * fit->spread);
	vrs_table_set(t, 6, "%d", fit->points);
}

static void thread_rows(const struct axis_runs *runs, struct vrs_table *t)
{
	struct vrs_scaling_fit fit;
	if (fits(runs, VRS_LAW_AMDAHL, &fit)) {
		add_row(t, "threads", "Amdahl", "FPS of one thread", &fit, 0, 1);
		add_row(t, "threads", "Amdahl", "serial share (%)", &fit, 1, 100);
	}
	if (follows_usl(runs, &fit)) {
		add_row(t, "threads", "USL", "contention (%)", &fit, 1, 100);
		add_row(t, "threads", "USL", "coherence (%)", &fit, 2, 100);
	}
}

void vrs_scaling_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	static const char *const heads[] = {"axis", "law", "parameter", "value", "95 % interval", "residual (%)", "runs"};
	static const enum vrs_axis axes[] = {VRS_AXIS_THREADS, VRS_AXIS_RESOLUTION, VRS_AXIS_BATCH};
	struct vrs_table *t = vrs_findings_start_table(findings, "scaling", "How speed scales", heads, sizeof heads / sizeof *heads, 1u | 1u << 1 | 1u << 2);
	snprintf(t->caption, sizeof t->caption, "Least squares over runs of the default's other values, intervals by Student. Amdahl: the share "
			 "that more threads do not help. USL: contention holds threads up, coherence is what each costs every other. Pixels: the time of a frame "
			 "goes with this power of its size, 1 is in proportion. Batch: FPS goes with this power of it, 0 is no gain.");
	for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
		struct axis_runs runs;
		struct vrs_scaling_fit fit;
		enum vrs_status status = collect_runs(result, axes[i], &runs);
		if (status != VRS_OK)
			vrs_findings_fail(findings, status);
		else if (axes[i] == VRS_AXIS_THREADS)
			thread_rows(&runs, t);
		else if (fits(&runs, VRS_LAW_POWER, &fit))
			add_row(t, axes[i] == VRS_AXIS_BATCH ? "batch" : "pixels", "power", "exponent", &fit, 1, axes[i] == VRS_AXIS_BATCH ? 1 : -1);
		runs_fini(&runs);
	}
}

void vrs_scaling_notes(const struct vrs_result *result, struct vrs_findings *findings)
{
	struct axis_runs runs;
	struct vrs_scaling_fit fit;
	enum vrs_status status = collect_runs(result, VRS_AXIS_THREADS, &runs);
	if (status != VRS_OK)
		vrs_findings_fail(findings, status);
	if (status == VRS_OK && runs.case_count > 1 && runs.cases[0]->threads > 0 && vrs_scaling_fit(VRS_LAW_AMDAHL, runs.x, runs.fps, runs.n, &fit)) {
		const struct vrs_case_result *first = runs.cases[0], *last = runs.cases[runs.case_count - 1];
		double gain = last->fps.median / first->fps.median;
		if (!isfinite(gain)) { /* a result whose estimates are not those of its runs */
			runs_fini(&runs);
			return;
		}
		struct vrs_note *note = vrs_findings_add_note(findings, VRS_NOTE_INFO, "thread-scaling",
			"From %d to %d threads per stream the whole job goes %.2f times as fast (%.2f would be ideal). Threads here are those of the network; decoder "
			"and encoder have their own.", first->threads, last->threads, gain, (double)last->threads / first->threads);
		snprintf(note->evidence, sizeof note->evidence, "%.1f against %.1f FPS; Amdahl fit over %d cases: %.0f %% of the time follows the threads",
			 last->fps.median, first->fps.median, runs.case_count, 100 * fmin(1, fmax(0, 1 - fit.value[1])));
	}
	runs_fini(&runs);
}
