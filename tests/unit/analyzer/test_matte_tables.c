/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards what is said of measured mattes: the rows of tables, the worse eye, events counted and listed, verdicts, and reasons for what is missing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/matte_tables.h"

static double seconds[100];

static struct vrs_matte_report good(int eyes)
{
	struct vrs_matte_report r = {.kind = VRS_MATTE_KIND_MATTE, .kind_reason = "it is black and white", .width = 200, .height = 100, .eyes = eyes,
		.eye_width = 200 / eyes, .eye_height = 100, .frames = 100, .seconds = seconds};
	r.layout.stereo = eyes > 1 ? VRS_STEREO_SBS : VRS_STEREO_MONO;
	for (int i = 0; i < 100; i++)
		seconds[i] = i / 25.0;
	for (int eye = 0; eye < eyes; eye++)
		r.value[eye][VRS_MATTE_EDGE_WIDTH] = (struct vrs_matte_value){100, 1.5, 3 + eye, 10 + eye};
	return r;
}

static const struct vrs_table *table(const struct vrs_findings *f, const char *id)
{
	for (int i = 0; i < f->table_count; i++)
		if (strcmp(f->tables[i].id, id) == 0)
			return &f->tables[i];
	return NULL;
}

static const char *cell(const struct vrs_table *t, int row, int column)
{
	return t->cells[row * t->columns + column];
}

static const struct vrs_note *note(const struct vrs_findings *f, const char *id)
{
	for (int i = 0; i < f->note_count; i++)
		if (strcmp(f->notes[i].id, id) == 0)
			return &f->notes[i];
	return NULL;
}

static struct vrs_findings *findings_of(const struct vrs_matte_report *r, bool all_events)
{
	const struct vrs_matte_request request = {.file = "a\x1b[1m.mkv", .source = "b.mp4"};
	struct vrs_findings *f = vrs_findings_create();
	assert_non_null(f);
	vrs_matte_findings(r, &request, all_events, f);
	assert_int_equal(vrs_findings_finish(f), VRS_OK);
	assert_null(strchr(f->title, '\x1b')); /* names come from strangers */
	return f;
}

static void test_good(void **state)
{
	(void)state;
	struct vrs_matte_report r = good(2);
	struct vrs_findings *f = findings_of(&r, true);
	const struct vrs_table *t = table(f, "estimates");
	assert_string_equal(f->verdict, "No glitch or gap was found in 100 frames.");
	assert_int_equal(t->rows, 2);
	assert_string_equal(cell(t, 1, 0), "edge width (samples), right");
	assert_string_equal(cell(t, 1, 1), "1.50");
	assert_string_equal(cell(t, 1, 2), "4.00");
	assert_string_equal(cell(t, 1, 3), "11");
	assert_string_equal(cell(t, 1, 4), "0.440");
	assert_null(table(f, "truth"));
	assert_null(table(f, "events"));
	assert_non_null(strstr(note(f, "flicker")->text, "--source"));
	assert_null(note(f, "edge_width"));
	vrs_findings_destroy(f);
}

static void test_events(void **state)
{
	(void)state;
	struct vrs_matte_event events[] = {{VRS_MATTE_EVENT_GAP, 5, 1}, {VRS_MATTE_EVENT_GLITCH, 7, 0.2}, {VRS_MATTE_EVENT_GAP, 50, 3}};
	struct vrs_matte_report r = good(1);
	r.events = events;
	r.event_count = 3;
	r.event_total[VRS_MATTE_EVENT_GAP] = 4; /* more than were kept */
	r.event_total[VRS_MATTE_EVENT_GLITCH] = 1;
	r.sync = (struct vrs_matte_sync){true, -2, 1.3, 0.6};
	r.has_picture = true;
	struct vrs_findings *f = findings_of(&r, true);
	assert_string_equal(f->verdict, "Found gaps: 4, glitches: 1. Mattes lead the picture by 2 frames.");
	const struct vrs_table *t = table(f, "events"), *all = table(f, "event_list");
	assert_int_equal(t->rows, 2);
	assert_string_equal(cell(t, 0, 1), "4");
	assert_string_equal(cell(t, 0, 2), "5");
	assert_string_equal(cell(t, 0, 4), "3");
	assert_string_equal(cell(t, 0, 5), "50");
	assert_int_equal(all->rows, 3);
	assert_string_equal(all->caption, "The first 3 of 5.");
	assert_string_equal(note(f, "sync")->text, "Mattes lead the picture by 2 frames.");
	vrs_findings_destroy(f);
	f = findings_of(&r, false);
	assert_null(table(f, "event_list"));
	vrs_findings_destroy(f);
}

static void test_worst(void **state)
{
	(void)state;
	struct vrs_matte_report r = good(2);
	struct vrs_matte_sheet_row rows[VRS_MATTE_SHEET_ROWS];
	const char *reasons[VRS_MATTE_SHEET_ROWS];
	r.value[0][VRS_MATTE_HOLES] = (struct vrs_matte_value){100, 0, 0, 3};            /* none: not shown */
	r.value[0][VRS_MATTE_EYES] = (struct vrs_matte_value){100, 0.1, 0.2, 4};
	r.value[0][VRS_MATTE_IOU] = (struct vrs_matte_value){100, 0.9, 0.5, 21};         /* the smaller one is worse */
	r.value[1][VRS_MATTE_IOU] = (struct vrs_matte_value){100, 0.9, 0.6, 22};
	assert_int_equal(vrs_matte_worst_frames(&r, rows, reasons), 3);
	assert_true(rows[0].frame == 11 && rows[0].eye == 1);
	assert_true(rows[1].frame == 4 && rows[1].eye == 0);
	assert_true(rows[2].frame == 21 && rows[2].eye == 0);
	assert_string_equal(reasons[2], "IoU");
	struct vrs_findings *f = vrs_findings_create();
	vrs_matte_sheet_table(&r, rows, reasons, 3, "x.png", f);
	assert_int_equal(vrs_findings_finish(f), VRS_OK);
	assert_string_equal(cell(table(f, "worst_frames"), 0, 2), "right");
	assert_string_equal(table(f, "worst_frames")->caption, "x.png: matte.");
	vrs_findings_destroy(f);
}

static void test_truth(void **state)
{
	(void)state;
	struct vrs_matte_report r = good(1);
	r.has_truth = true;
	r.value[0][VRS_MATTE_IOU] = (struct vrs_matte_value){100, 0.9, 0.5, 21};
	r.value[0][VRS_MATTE_MAD] = (struct vrs_matte_value){100, 0.01, 0.02, 22};
	struct vrs_findings *f = findings_of(&r, false);
	const struct vrs_table *t = table(f, "truth");
	assert_int_equal(t->rows, 2);
	assert_string_equal(cell(t, 1, 0), "MAD x1000");
	assert_string_equal(cell(t, 1, 1), "10.000");
	assert_null(table(f, "truth_solid_angle"));
	assert_int_equal(strncmp(f->verdict, "IoU 0.9000 with the truth. ", 27), 0);
	vrs_findings_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_worst),
		cmocka_unit_test(test_truth),
	};
	return cmocka_run_group_tests_name("matte_tables", tests, NULL, NULL);
}
