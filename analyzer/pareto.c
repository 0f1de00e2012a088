/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Speed against quality: which cases are worth having. */
#include "analyzer/dataset.h"
#include "analyzer/summary_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"

#define MAX_CASES 256

/* A figure of a run with truth; of IoU, where the clip has no truth, that with fp32. NaN: neither. */
static double run_quality(const struct vrs_run *run, enum vrs_quality_figure figure)
{
	double value;
	memcpy(&value, (const char *)run + vrs_run_quality_offset(figure), sizeof value);
	return figure == VRS_FIGURE_IOU && !isfinite(value) ? run->agreement : value;
}

static double case_quality(const struct vrs_case_result *c, enum vrs_quality_figure figure)
{
	double value = vrs_case_result_median(c, vrs_run_quality_offset(figure));
	return figure == VRS_FIGURE_IOU && !isfinite(value) ? vrs_case_result_median(c, offsetof(struct vrs_run, agreement)) : value;
}

/*
 * a dominates b when it is no worse in quality and its speed lies above b's with separate intervals (ranges below six runs): cases that noise
 * could swap never dominate each other.
 */
static bool dominates(const struct vrs_case_result *a, double qa, const struct vrs_case_result *b, double qb)
{
	double a_low = a->fps.has_interval ? a->fps.low : a->fps.min;
	double b_high = b->fps.has_interval ? b->fps.high : b->fps.max;
	return qa >= qb && a_low > b_high;
}

/* Quality over the good runs that have it: least and most. */
static void quality_range(const struct vrs_case_result *c, enum vrs_quality_figure figure, double *ret_low, double *ret_high)
{
	*ret_low = *ret_high = NAN;
	for (int i = 0; i < c->run_count; i++) {
		const struct vrs_run *run = &c->runs[i];
		double q = run_quality(run, figure);
		if (run->status == VRS_RUN_OK && isfinite(q)) {
			*ret_low = fmin(*ret_low, q); /* fmin and fmax leave a NaN out */
			*ret_high = fmax(*ret_high, q);
		}
	}
}

/* A point and its box: the interval of the speed (the range below six runs), the range of the quality. */
static void put_box(struct vrs_series *s, int at, const struct vrs_case_result *c, enum vrs_quality_figure figure, double quality)
{
	s->x[at] = c->fps.median;
	s->y[at] = quality;
	s->x_low[at] = c->fps.has_interval ? c->fps.low : c->fps.min;
	s->x_high[at] = c->fps.has_interval ? c->fps.high : c->fps.max;
	quality_range(c, figure, &s->low[at], &s->high[at]);
}

static void label_axes(struct vrs_graph_data *g, enum vrs_quality_figure figure, const struct vrs_case_result *c)
{
	snprintf(g->x_label, sizeof g->x_label, "frames per second");
	bool truth = isfinite(vrs_case_result_median(c, vrs_run_quality_offset(figure)));
	if (figure == VRS_FIGURE_IOU)
		snprintf(g->y_label, sizeof g->y_label, "%s", truth ? "IoU with exact truth" : "IoU with fp32");
	else
		snprintf(g->y_label, sizeof g->y_label, "%s of contours", vrs_quality_figure_info(figure)->head);
	g->y_pad = 0.005;
}

void vrs_precision_graph(const struct vrs_result *result, struct vrs_findings *findings)
{
	const struct vrs_case_result *cases[MAX_CASES];
	int n = vrs_axis_cases(result, VRS_AXIS_PRECISION, cases, MAX_CASES), usable = 0;
	for (int i = 0; i < n; i++)
		usable += isfinite(case_quality(cases[i], VRS_FIGURE_IOU));
	if (usable < 2)
		return;
	struct vrs_graph_data *g = vrs_findings_add_graph(findings, "precision-speed", "Precision: speed against quality", VRS_GRAPH_POINTS);
	label_axes(g, VRS_FIGURE_IOU, cases[0]);
	snprintf(g->caption, sizeof g->caption, "Boxes: 95 %% interval of the speed from six runs on, the range below. Up and right is better.");
	for (int i = 0; i < n; i++) {
		double q = case_quality(cases[i], VRS_FIGURE_IOU);
		struct vrs_series *s = isfinite(q) ? vrs_graph_add_boxes(g, vrs_name_of(&vrs_precision_names, (int)cases[i]->precision), 1) : NULL;
		if (s)
			put_box(s, 0, cases[i], VRS_FIGURE_IOU, q);
	}
}

/* The line along the best medians: from the slowest to the fastest case that no other median surpasses in both. */
static void add_front_line(struct vrs_graph_data *g, const struct vrs_case_result **cases, const double *quality, int n)
{
	double x[MAX_CASES], y[MAX_CASES];
	int count = 0;
	for (double last = INFINITY, best = -1;;) { /* from the fastest down, as long as the quality rises */
		int next = -1;
		for (int i = 0; i < n; i++)
			if (cases[i]->fps.median < last && (next < 0 || cases[i]->fps.median > cases[next]->fps.median))
				next = i;
		if (next < 0)
			break;
		last = cases[next]->fps.median;
		if (quality[next] > best) {
			x[count] = last;
			best = y[count++] = quality[next];
		}
	}
	struct vrs_series *line = count > 1 ? vrs_graph_add_series(g, "front of the medians", count, false) : NULL;
	for (int i = 0; line && i < count; i++) {
		line->style = VRS_SERIES_DASHES;
		line->x[i] = x[count - 1 - i];
		line->y[i] = y[count - 1 - i];
	}
}

/* What of a case's id ("r=640x480/b=4/p=fp32") the default's lacks, such as "b=4"; "default" for itself. */
static void name_point(char *name, size_t size, const char *id, const char *base)
{
	size_t used = 0;
	name[0] = 0;
	for (const char *p = id; *p;) {
		size_t n = strcspn(p, "/");
		bool shared = false;
		for (const char *q = base; *q && !shared; q += strcspn(q, "/"), q += *q == '/')
			shared = strcspn(q, "/") == n && strncmp(p, q, n) == 0;
		if (!shared && used < size)
			used += (size_t)snprintf(name + used, size - used, "%s%.*s", used ? " " : "", (int)n, p);
		p += n + (p[n] == '/');
	}
	if (!name[0])
		(void)vrs_strcpy(name, size, "default");
}

/* The cases that no other beats beyond noise, as boxes with names. */
static void add_front(struct vrs_graph_data *g, enum vrs_quality_figure figure, const struct vrs_case_result *base,
				 const struct vrs_case_result **cases, const double *quality, const bool *beaten, int n)
{
	int front = 0;
	for (int i = 0; i < n; i++)
		front += !beaten[i];
	struct vrs_series *best = vrs_graph_add_boxes(g, "not beaten", front);
	if (!best)
		return;
	bool placed[MAX_CASES] = {false};
	for (int at = 0; at < front; at++) { /* slowest first: names of neighbours go above and below in turn */
		int next = -1;
		for (int i = 0; i < n; i++)
			if (!beaten[i] && !placed[i] && (next < 0 || cases[i]->fps.median < cases[next]->fps.median))
				next = i;
		placed[next] = true;
		name_point(best->names[at], sizeof best->names[at], cases[next]->id, base->id);
		put_box(best, at, cases[next], figure, quality[next]);
	}
	add_front_line(g, cases, quality, n);
}

static void add_graph(const struct vrs_result *result, enum vrs_quality_figure figure, const char *id, const char *title,
		      struct vrs_findings *findings)
{
	const struct vrs_case_result *cases[MAX_CASES];
	double quality[MAX_CASES];
	int n = 0, width = 0, height = 0;
	/* Only cases of the default's resolution compete: another size is another task. */
	const struct vrs_case_result *base = result->default_case[0] ? vrs_result_find_case(result, result->default_case) : NULL;
	if (base) {
		width = base->width;
		height = base->height;
	}
	for (int i = 0; i < result->case_count && n < MAX_CASES; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		double q = case_quality(c, figure);
		if (vrs_case_result_ok_runs(c) > 0 && isfinite(q) && c->width == width && c->height == height && base && vrs_case_result_same_kind(c, base)) {
			cases[n] = c;
			quality[n++] = q;
		}
	}
	if (n < 2)
		return;
	struct vrs_graph_data *g = vrs_findings_add_graph(findings, id, title, VRS_GRAPH_POINTS);
	struct vrs_series *all = vrs_graph_add_boxes(g, "cases", n);
	if (!all)
		return;
	bool beaten[MAX_CASES] = {false};
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < n; k++)
			beaten[i] = beaten[i] || (k != i && dominates(cases[k], quality[k], cases[i], quality[i]));
		put_box(all, i, cases[i], figure, quality[i]);
	}
	label_axes(g, figure, cases[0]);
	snprintf(g->caption, sizeof g->caption, "Cases at %dx%d. Boxes: interval of the speed, range of the quality (mostly compared once). "
		 "A case is beaten when another is at least as good and faster beyond both intervals; the others are named by what they change.",
		 width, height);
	add_front(g, figure, base, cases, quality, beaten, n);
}

void vrs_pareto_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	add_graph(result, VRS_FIGURE_IOU, "pareto", "Speed against quality", findings);
	add_graph(result, VRS_FIGURE_CONTOUR_F, "pareto-edges", "Speed against quality of edges", findings);
}
