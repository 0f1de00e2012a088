/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Speed against quality and cost: which cases are worth having. */
#include "analyzer/dataset.h"
#include "analyzer/summary_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/figures/front.h"
#include "base/mem.h"
#include "base/str_parse.h"

#define MAX_AXIS_CASES 256 /* values of one axis */

/* A case of a graph: its speed along x, another figure along y. */
struct place {
	const struct vrs_case_result *c;
	struct vrs_front_value x, y;
	bool beaten;
};

static int by_speed(const void *a, const void *b)
{
	double x = ((const struct place *)a)->x.median, y = ((const struct place *)b)->x.median;
	return (x > y) - (x < y);
}

static void put_box(struct vrs_series *s, int at, const struct place *place)
{
	s->x[at] = place->x.median;
	s->y[at] = place->y.median;
	s->x_low[at] = place->x.low;
	s->x_high[at] = place->x.high;
	s->low[at] = place->y.low;
	s->high[at] = place->y.high;
}

static void label_axes(struct vrs_graph_data *g, enum vrs_front_figure figure, const struct vrs_case_result *c)
{
	snprintf(g->x_label, sizeof g->x_label, "frames per second");
	bool truth = isfinite(vrs_case_result_median(c, offsetof(struct vrs_run, iou)));
	if (figure == VRS_FRONT_QUALITY)
		snprintf(g->y_label, sizeof g->y_label, "%s", truth ? "IoU with exact truth" : "IoU with fp32");
	else if (figure == VRS_FRONT_EDGES)
		snprintf(g->y_label, sizeof g->y_label, "%s of contours", vrs_quality_figure_info(VRS_FIGURE_CONTOUR_F)->head);
	else
		snprintf(g->y_label, sizeof g->y_label, "%s", vrs_front_info(figure)->head);
	g->y_pad = vrs_front_info(figure)->absolute ? 0.005 : 0;
}

void vrs_precision_graph(const struct vrs_result *result, struct vrs_findings *findings)
{
	const struct vrs_case_result *cases[MAX_AXIS_CASES];
	struct place places[MAX_AXIS_CASES];
	int n = vrs_axis_cases(result, VRS_AXIS_PRECISION, cases, MAX_AXIS_CASES), usable = 0;
	for (int i = 0; i < n; i++) {
		places[i] = (struct place){.c = cases[i], .x = vrs_front_value(cases[i], VRS_FRONT_SPEED),
					   .y = vrs_front_value(cases[i], VRS_FRONT_QUALITY)};
		usable += isfinite(places[i].y.median);
	}
	if (usable < 2)
		return;
	struct vrs_graph_data *g = vrs_findings_add_graph(findings, "precision-speed", "Precision: speed against quality", VRS_GRAPH_POINTS);
	label_axes(g, VRS_FRONT_QUALITY, cases[0]);
	snprintf(g->caption, sizeof g->caption, "Boxes: 95 %% interval of the speed from six runs on, the range below. Up and right is better.");
	for (int i = 0; i < n; i++) {
		struct vrs_series *s = isfinite(places[i].y.median)
					       ? vrs_graph_add_boxes(g, vrs_name_of(&vrs_precision_names, (int)cases[i]->precision), 1) : NULL;
		if (s)
			put_box(s, 0, &places[i]);
	}
}

/* The line along the best medians, from the slowest to the fastest case that no other median surpasses in both; places are in order of speed. */
static void add_front_line(struct vrs_graph_data *g, const struct place *places, int n, bool more_is_better)
{
	int count = 0;
	double best = NAN;
	bool *on_line = vrs_calloc((size_t)n + 1, sizeof *on_line);
	for (int i = n - 1; on_line && i >= 0; i--) /* from the fastest down, as long as the figure improves */
		if (isnan(best) || (more_is_better ? places[i].y.median > best : places[i].y.median < best)) {
			best = places[i].y.median;
			on_line[i] = true;
			count++;
		}
	struct vrs_series *line = count > 1 ? vrs_graph_add_series(g, "front of the medians", count, false) : NULL;
	for (int i = 0, at = 0; line && i < n; i++)
		if (on_line[i]) {
			line->style = VRS_SERIES_DASHES;
			line->x[at] = places[i].x.median;
			line->y[at++] = places[i].y.median;
		}
	vrs_free(on_line);
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

/* The cases that no other beats beyond noise, as boxes with names: slowest first, so that names of neighbours go above and below in turn. */
static void add_front(struct vrs_graph_data *g, const struct vrs_case_result *base, const struct place *places, int n)
{
	int front = 0;
	for (int i = 0; i < n; i++)
		front += !places[i].beaten;
	struct vrs_series *best = vrs_graph_add_boxes(g, "not beaten", front);
	for (int i = 0, at = 0; best && i < n; i++)
		if (!places[i].beaten) {
			name_point(best->names[at], sizeof best->names[at], places[i].c->id, base->id);
			put_box(best, at++, &places[i]);
		}
}

static void add_graph(const struct vrs_case_result *const *cases, int n, const struct vrs_case_result *base, enum vrs_front_figure figure,
		      const char *id, const char *title, struct place *places, bool *beaten, struct vrs_findings *findings)
{
	int shown = 0;
	double least = INFINITY, most = -INFINITY;
	enum vrs_status status = vrs_front_find(cases, n, 1u << VRS_FRONT_SPEED | 1u << figure, beaten);
	if (status != VRS_OK)
		vrs_findings_fail(findings, status);
	for (int i = 0; status == VRS_OK && i < n; i++) {
		struct place place = {cases[i], vrs_front_value(cases[i], VRS_FRONT_SPEED), vrs_front_value(cases[i], figure), beaten[i]};
		if (!isfinite(place.y.median))
			continue;
		places[shown++] = place;
		least = fmin(least, place.y.median);
		most = fmax(most, place.y.median);
	}
	bool differs = vrs_front_info(figure)->absolute || most > (1 + vrs_front_info(figure)->margin) * least;
	if (shown < 2 || !differs)
		return;
	qsort(places, (size_t)shown, sizeof *places, by_speed);
	struct vrs_graph_data *g = vrs_findings_add_graph(findings, id, title, VRS_GRAPH_POINTS);
	struct vrs_series *all = vrs_graph_add_boxes(g, "cases", shown);
	for (int i = 0; all && i < shown; i++)
		put_box(all, i, &places[i]);
	label_axes(g, figure, places[0].c);
	snprintf(g->caption, sizeof g->caption, "Cases at %dx%d. Boxes: intervals (ranges below six runs; the matte is mostly compared once). "
		 "A case is beaten when another is better in one and not worse in the other, beyond the boxes; the others are named by what they change.",
		 base->width, base->height);
	add_front(g, base, places, shown);
	add_front_line(g, places, shown, vrs_front_info(figure)->more_is_better);
}

/* Speed and latency with their intervals: what the cases differ in must be seen to be more than noise. */
static void put_figure(struct vrs_table *t, int column, enum vrs_front_figure figure, const struct vrs_case_result *c)
{
	struct vrs_front_value v = vrs_front_value(c, figure);
	bool has_interval = isfinite(v.median) && v.low < v.high;
	if (has_interval && figure == VRS_FRONT_SPEED)
		vrs_table_set(t, column, "%.2f [%.2f, %.2f]", v.median, v.low, v.high);
	else if (has_interval && figure == VRS_FRONT_LATENCY)
		vrs_table_set(t, column, "%.1f [%.1f, %.1f]", v.median, v.low, v.high);
	else
		vrs_table_set_number(t, column, vrs_front_info(figure)->format, v.median);
}

/* The front over all figures, as a table: speed first. */
static void add_table(const struct vrs_case_result *const *cases, int n, const struct vrs_case_result *base, struct place *places, bool *beaten,
		      struct vrs_findings *findings)
{
	const char *heads[1 + VRS_FRONT_FIGURES] = {"settings"};
	enum vrs_front_figure known[VRS_FRONT_FIGURES];
	int columns = 0, front = 0;
	enum vrs_status status = vrs_front_find(cases, n, VRS_FRONT_ALL, beaten);
	if (status != VRS_OK)
		vrs_findings_fail(findings, status);
	for (int i = 0; status == VRS_OK && i < n; i++)
		if (!beaten[i])
			places[front++] = (struct place){.c = cases[i], .x = vrs_front_value(cases[i], VRS_FRONT_SPEED)};
	if (front < 2)
		return;
	qsort(places, (size_t)front, sizeof *places, by_speed);
	for (int f = 0; f < VRS_FRONT_FIGURES; f++)
		for (int i = 0; i < front; i++)
			if (isfinite(vrs_front_value(places[i].c, (enum vrs_front_figure)f).median)) {
				known[columns] = (enum vrs_front_figure)f;
				heads[++columns] = vrs_front_info((enum vrs_front_figure)f)->head;
				break;
			}
	struct vrs_table *t = vrs_findings_start_table(findings, "front", "Worth having", heads, 1 + columns, 1u << 0);
	for (int i = front - 1; i >= 0; i--) {
		char name[256];
		name_point(name, sizeof name, places[i].c->id, base->id);
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s", name);
		for (int k = 0; k < columns; k++)
			put_figure(t, 1 + k, known[k], places[i].c);
	}
	snprintf(t->caption, sizeof t->caption, "%d of %d cases at %dx%d, speed and latency with intervals (ranges below six runs): the others are "
		 "worse in some figure, beyond noise, and better in none.", front, n, base->width, base->height);
}

void vrs_pareto_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	const struct vrs_case_result *base = vrs_default_case(result);
	size_t room = (size_t)result->case_count + 1;
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): of pointers */
	const struct vrs_case_result **cases = vrs_calloc(room, sizeof *cases);
	struct place *places = vrs_calloc(room, sizeof *places);
	bool *beaten = vrs_calloc(room, sizeof *beaten);
	int n = 0;
	if (!cases || !places || !beaten)
		vrs_findings_fail(findings, VRS_ENOMEM);
	/* Only cases of the default's resolution compete: another size is another task. */
	for (int i = 0; cases && places && beaten && base && i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		if (vrs_case_result_ok_runs(c) > 0 && c->width == base->width && c->height == base->height && vrs_case_result_same_kind(c, base) &&
		    isfinite(vrs_front_value(c, VRS_FRONT_QUALITY).median))
			cases[n++] = c;
	}
	if (n >= 2) {
		add_graph(cases, n, base, VRS_FRONT_QUALITY, "pareto", "Speed against quality", places, beaten, findings);
		add_graph(cases, n, base, VRS_FRONT_EDGES, "pareto-edges", "Speed against quality of edges", places, beaten, findings);
		add_graph(cases, n, base, VRS_FRONT_OUTPUT, "pareto-output", "Speed against size of the output", places, beaten, findings);
		add_graph(cases, n, base, VRS_FRONT_LATENCY, "pareto-latency", "Speed against latency", places, beaten, findings);
		add_graph(cases, n, base, VRS_FRONT_MEMORY, "pareto-memory", "Speed against memory", places, beaten, findings);
		add_graph(cases, n, base, VRS_FRONT_ENERGY, "pareto-energy", "Speed against energy", places, beaten, findings);
		add_table(cases, n, base, places, beaten, findings);
	}
	vrs_free(cases);
	vrs_free(places);
	vrs_free(beaten);
}
