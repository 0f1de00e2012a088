/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the graph writer: gnuplot draws every kind, hostile names stay data, script and data are kept, nothing is drawn after a stop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/stop.h"
#include "reports/report.h"

#define HOSTILE "it's \"50%\" `touch pwned` $(x) \t {a_b}^2"

static char folder[256];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "%s", "graphs_it's_XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	static const char *const parts[] = {"gp", "tsv", "svg", "png"};
	for (int kind = 0; kind < 5; kind++)
		for (int i = 0; i < 4; i++) {
			char path[512];
			snprintf(path, sizeof path, "%s/kind-%d.%s", folder, kind, parts[i]);
			(void)unlink(path);
		}
	return rmdir(folder);
}

static void every_kind_is_drawn(void **state)
{
	(void)state;
	struct vrs_findings *f = vrs_findings_create();
	for (int kind = VRS_GRAPH_LINES; kind <= VRS_GRAPH_STEPS; kind++) {
		char id[48];
		snprintf(id, sizeof id, "kind-%d", kind);
		struct vrs_graph_data *g = vrs_findings_add_graph(f, id, HOSTILE, kind);
		strcpy(g->x_label, HOSTILE);
		for (int s = 0; s < 2; s++) {
			struct vrs_series *one = vrs_graph_add_series(g, HOSTILE, 3, s == 0 && kind != VRS_GRAPH_STEPS);
			for (int i = 0; i < 3; i++) {
				one->x[i] = i + 1;
				one->y[i] = 10.0 * (i + 1) + s;
				if (one->low) {
					one->low[i] = one->y[i] - 2;
					one->high[i] = one->y[i] + 3;
				}
			}
		}
		for (int i = 0; i < 3; i++)
			vrs_graph_add_category(g, HOSTILE);
	}
	struct vrs_error err = {.status = VRS_OK};
	enum vrs_status status = vrs_report_graphs(f, folder, &err);
	if (status != VRS_OK)
		fail_msg("%s", err.text);
	for (int kind = VRS_GRAPH_LINES; kind <= VRS_GRAPH_STEPS; kind++) {
		char path[512];
		struct vrs_buf svg;
		snprintf(path, sizeof path, "%s/kind-%d.svg", folder, kind);
		assert_int_equal(vrs_file_read(path, 1 << 20, &svg, NULL), VRS_OK);
		assert_non_null(strstr(svg.data, "</svg>"));
		assert_non_null(strstr(svg.data, "touch pwned"));
		vrs_buf_fini(&svg);
		snprintf(path, sizeof path, "%s/pwned", folder);
		assert_false(vrs_path_exists(path));
		assert_false(vrs_path_exists("pwned"));
	}
	vrs_findings_destroy(f);
}

/* Boxes, a right axis and a key of long names, as SVG and as PNG. */
static void boxes_and_two_axes(void **state)
{
	(void)state;
	struct vrs_findings *f = vrs_findings_create();
	struct vrs_graph_data *g = vrs_findings_add_graph(f, "kind-4", "two axes", VRS_GRAPH_LINES);
	struct vrs_series *boxes = vrs_graph_add_boxes(g, "boxes that have a name of some length", 2);
	assert_non_null(boxes);
	for (int i = 0; i < 2; i++) {
		boxes->x[i] = 10 + i;
		boxes->x_low[i] = 9 + i;
		boxes->x_high[i] = 12 + i;
		boxes->y[i] = boxes->low[i] = boxes->high[i] = 5;
		snprintf(boxes->names[i], sizeof boxes->names[i], "b=%d \"t=2\"", i);
	}
	for (int style = VRS_SERIES_LINE; style <= VRS_SERIES_RIGHT; style++) {
		struct vrs_series *s = vrs_graph_add_series(g, HOSTILE, 2, false);
		s->style = (enum vrs_series_style)style;
		s->x[0] = 9;
		s->x[1] = 13;
		s->y[0] = s->y[1] = style;
	}
	strcpy(g->y2_label, "clock (MHz)");
	struct vrs_error err = {.status = VRS_OK};
	if (vrs_report_graphs(f, folder, &err))
		fail_msg("%s", err.text);
	char path[512];
	struct vrs_buf text;
	snprintf(path, sizeof path, "%s/kind-4.svg", folder);
	assert_int_equal(vrs_file_read(path, 1 << 20, &text, NULL), VRS_OK);
	assert_non_null(strstr(text.data, "clock (MHz)"));
	assert_non_null(strstr(text.data, "b=0 't=2'")); /* beside its point */
	assert_non_null(strstr(text.data, "b=1 't=2'"));
	vrs_buf_fini(&text);
	snprintf(path, sizeof path, "%s/kind-4.tsv", folder);
	assert_int_equal(vrs_file_read(path, 1 << 20, &text, NULL), VRS_OK);
	assert_non_null(strstr(text.data, "10\t5\t5\t5\t9\t12\t\"b=0 't=2'\"\n"));
	vrs_buf_fini(&text);
	snprintf(path, sizeof path, "%s/kind-4.png", folder);
	assert_int_equal(vrs_file_read(path, 1 << 20, &text, NULL), VRS_OK);
	assert_true(text.len > 5000 && memcmp(text.data, "\x89PNG", 4) == 0);
	vrs_buf_fini(&text);
	vrs_findings_destroy(f);
}

static void no_picture_after_a_stop(void **state)
{
	(void)state;
	static const char *const parts[] = {"gp", "tsv", "svg", "png"};
	struct vrs_findings *f = vrs_findings_create();
	struct vrs_graph_data *g = vrs_findings_add_graph(f, "kind-0", "stopped", VRS_GRAPH_LINES);
	struct vrs_series *s = vrs_graph_add_series(g, "series", 2, false);
	struct vrs_error err = {.status = VRS_OK};
	for (int i = 0; i < 2; i++)
		s->x[i] = s->y[i] = i;
	vrs_stop_request();
	assert_int_equal(vrs_report_graphs(f, folder, &err), VRS_ESTOPPED);
	vrs_stop_reset();
	for (int i = 0; i < 4; i++) {
		char path[512];
		snprintf(path, sizeof path, "%s/kind-0.%s", folder, parts[i]);
		assert_int_equal(vrs_path_exists(path), i < 2);
	}
	vrs_findings_destroy(f);
}

static void page_embeds_the_pictures(void **state)
{
	(void)state;
	struct vrs_findings *f = vrs_findings_create();
	struct vrs_graph_data *g = vrs_findings_add_graph(f, "kind-0", "FPS", VRS_GRAPH_LINES);
	struct vrs_buf out;
	vrs_buf_init(&out, 1 << 20);
	assert_non_null(g);
	assert_int_equal(vrs_report_find("html")->write(f, folder, &out, NULL), VRS_OK);
	assert_non_null(strstr(out.data, "<svg"));
	assert_null(strstr(out.data, "<?xml"));
	vrs_buf_fini(&out);
	vrs_buf_init(&out, 1 << 20);
	strcpy(f->graphs[0].id, "absent");
	assert_int_equal(vrs_report_find("html")->write(f, folder, &out, NULL), VRS_OK);
	assert_non_null(strstr(out.data, "not drawn: FPS"));
	vrs_buf_fini(&out);
	vrs_findings_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind_is_drawn), cmocka_unit_test(boxes_and_two_axes),
					     cmocka_unit_test(page_embeds_the_pictures),
					     cmocka_unit_test(no_picture_after_a_stop)};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
