/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what is found over time in drawn mattes: glitches, repeated mattes, late cuts and lag, with their frames; values by eye with mean and worst
 * frame; and errors against a truth beside those of vrs_truth_meter.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "measure/matte_meter.h"

#define SIDE 96
#define FRAMES 24

static uint8_t matte_data[2][SIDE * SIDE], luma_data[2][SIDE * SIDE], truth_data[2][SIDE * SIDE];

static struct vrs_matte over(uint8_t *data)
{
	return (struct vrs_matte){SIDE, SIDE, SIDE, data};
}

/* Somebody 30 samples wide whose left side is at x. */
static void draw(uint8_t *data, int x, int value)
{
	memset(data, 0, SIDE * SIDE);
	for (int y = 20; y < 80; y++)
		for (int i = x; i < x + 30; i++)
			data[y * SIDE + i] = (uint8_t)value;
}

static int place_at(int frame)
{
	return 5 + 2 * frame;
}

struct scene {
	int eyes, late;
	int empty, repeats, cut;    /* frames; -1: none */
	bool with_luma, with_truth;
};

/* A picture cut at scene.cut: people at the right, and all else brighter. */
static void draw_luma(const struct scene *scene, int frame, uint8_t *data)
{
	bool after = scene->cut >= 0 && frame >= scene->cut;
	draw(data, after ? 60 : place_at(frame), 200);
	for (int i = 0; i < SIDE * SIDE; i++)
		data[i] = data[i] ? data[i] : after ? 120 : 20;
}

static void draw_matte(const struct scene *scene, int frame, uint8_t *data)
{
	int shown = frame == scene->repeats ? frame - 1 : frame - scene->late;
	bool after = scene->cut >= 0 && frame > scene->cut; /* one frame late */
	draw(data, after ? 60 : place_at(shown < 0 ? 0 : shown), frame == scene->empty ? 0 : 255);
}

static struct vrs_matte_report *measure(const struct scene *scene)
{
	struct vrs_matte_report *report = vrs_calloc(1, sizeof *report);
	struct vrs_matte_meter *meter;
	report->eyes = scene->eyes;
	report->eye_width = report->eye_height = SIDE;
	assert_int_equal(vrs_matte_meter_create(&meter, report, false, NULL), VRS_OK);
	for (int i = 0; i < FRAMES; i++) {
		struct vrs_matte matte[2] = {over(matte_data[0]), over(matte_data[1])}, luma[2] = {over(luma_data[0]), over(luma_data[1])};
		struct vrs_matte truth[2] = {over(truth_data[0]), over(truth_data[1])};
		for (int eye = 0; eye < 2; eye++) {
			draw_matte(scene, i, matte_data[eye]);
			draw_luma(scene, i, luma_data[eye]);
			draw(truth_data[eye], place_at(i), 255);
		}
		const struct vrs_matte_sample sample = {i, i / 25.0, matte, scene->with_luma ? luma : NULL, scene->with_truth ? truth : NULL};
		assert_int_equal(vrs_matte_meter_add(meter, &sample), VRS_OK);
	}
	vrs_matte_meter_finish(meter);
	vrs_matte_meter_destroy(meter);
	return report;
}

static void test_good(void **state)
{
	(void)state;
	struct vrs_matte_report *r = measure(&(struct scene){.eyes = 2, .empty = -1, .repeats = -1, .cut = -1, .with_luma = true, .with_truth = true});
	assert_int_equal(r->frames, FRAMES);
	assert_int_equal(r->event_count, 0);
	assert_true(r->sync.known && r->sync.lag == 0);
	for (int eye = 0; eye < 2; eye++) {
		assert_true(r->value[eye][VRS_MATTE_IOU].mean == 1 && r->value[eye][VRS_MATTE_CONTOUR_F].mean == 1);
		assert_true(r->value[eye][VRS_MATTE_MISFIT].mean < 0.2); /* corners are steeper than sides */
		assert_true(r->value[eye][VRS_MATTE_FLICKER].mean == 0);
		assert_int_equal(r->value[eye][VRS_MATTE_JUMP].frames, FRAMES - 2);
		assert_int_equal(r->value[eye][VRS_MATTE_IOU_ANGLE].frames, 0);
	}
	assert_true(r->value[0][VRS_MATTE_EYES].mean == 0 && r->value[0][VRS_MATTE_EYES].frames == FRAMES);
	vrs_matte_report_destroy(r);
}

static void test_glitch(void **state)
{
	(void)state;
	struct vrs_matte_report *r = measure(&(struct scene){.eyes = 1, .empty = 9, .repeats = -1, .cut = -1, .with_truth = true});
	assert_int_equal(r->event_count, 1);
	assert_int_equal(r->events[0].kind, VRS_MATTE_EVENT_GLITCH);
	assert_int_equal(r->events[0].frame, 9);
	/* the frames around have 26 of 34 columns in common */
	assert_true(fabs(r->value[0][VRS_MATTE_JUMP].worst - 26.0 / 34) < 1e-9);
	assert_int_equal(r->value[0][VRS_MATTE_JUMP].worst_frame, 9);
	assert_true(fabs(r->value[0][VRS_MATTE_IOU].mean - 1.0 * (FRAMES - 1) / FRAMES) < 1e-9);
	assert_int_equal(r->value[0][VRS_MATTE_IOU].worst_frame, 9);
	assert_int_equal(r->value[0][VRS_MATTE_HOLES].frames, FRAMES - 1); /* the empty one shows nobody */
	assert_false(r->sync.known);
	vrs_matte_report_destroy(r);
}

static void test_repeated(void **state)
{
	(void)state;
	struct vrs_matte_report *r = measure(&(struct scene){.eyes = 2, .empty = -1, .repeats = 12, .cut = -1, .with_luma = true});
	assert_int_equal(r->identical, 1);
	assert_int_equal(r->event_total[VRS_MATTE_EVENT_REPEATED], 1);
	assert_int_equal(r->events[0].frame, 12);
	vrs_matte_report_destroy(r);
	/* without a picture nobody knows whether it should have changed */
	r = measure(&(struct scene){.eyes = 2, .empty = -1, .repeats = 12, .cut = -1});
	assert_int_equal(r->identical, 1);
	assert_int_equal(r->event_count, 0);
	vrs_matte_report_destroy(r);
}

static void test_lag(void **state)
{
	(void)state;
	static const int lags[] = {-3, 1, 4};
	for (int i = 0; i < 3; i++) {
		struct vrs_matte_report *r = measure(&(struct scene){.eyes = 1, .late = lags[i], .empty = -1, .repeats = -1, .cut = -1,
			.with_luma = true});
		assert_true(r->sync.known && r->sync.gain > 1);
		assert_int_equal(r->sync.lag, lags[i]);
		vrs_matte_report_destroy(r);
	}
}

static void test_late_cut(void **state)
{
	(void)state;
	struct vrs_matte_report *r = measure(&(struct scene){.eyes = 1, .empty = -1, .repeats = -1, .cut = 8, .with_luma = true});
	assert_int_equal(r->cuts, 1);
	assert_int_equal(r->event_total[VRS_MATTE_EVENT_LATE_CUT], 1);
	assert_int_equal(r->events[0].kind, VRS_MATTE_EVENT_LATE_CUT);
	assert_int_equal(r->events[0].frame, 8);
	vrs_matte_report_destroy(r);
}

static void test_events(void **state)
{
	(void)state;
	struct vrs_matte_report *report = vrs_calloc(1, sizeof *report);
	for (int i = 0; i < VRS_MATTE_MOST_EVENTS + 5; i++)
		assert_int_equal(vrs_matte_event_add(report, VRS_MATTE_EVENT_GAP, i == 3 ? 1 : i, 1), VRS_OK);
	assert_int_equal(report->event_count, VRS_MATTE_MOST_EVENTS);
	assert_int_equal(report->event_total[VRS_MATTE_EVENT_GAP], VRS_MATTE_MOST_EVENTS + 5);
	assert_int_equal(report->events[2].frame, 1); /* sorted in */
	assert_int_equal(report->events[3].frame, 2);
	vrs_matte_report_destroy(report);
}

static void test_wrong(void **state)
{
	(void)state;
	struct vrs_matte_report *report = vrs_calloc(1, sizeof *report);
	struct vrs_matte_meter *meter = NULL;
	report->eyes = 3;
	report->eye_width = report->eye_height = SIDE;
	assert_int_equal(vrs_matte_meter_create(&meter, report, false, NULL), VRS_EINVAL);
	report->eyes = 1;
	assert_int_equal(vrs_matte_meter_create(&meter, report, false, NULL), VRS_OK);
	struct vrs_matte matte = over(matte_data[0]);
	struct vrs_matte_sample sample = {1, 0, &matte, NULL, NULL};
	assert_int_equal(vrs_matte_meter_add(meter, &sample), VRS_EINVAL); /* frames begin at 0 */
	sample.index = 0;
	matte.width--;
	assert_int_equal(vrs_matte_meter_add(meter, &sample), VRS_EINVAL);
	vrs_matte_meter_destroy(meter);
	vrs_matte_report_destroy(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_glitch),
		cmocka_unit_test(test_repeated),
		cmocka_unit_test(test_lag),
		cmocka_unit_test(test_late_cut),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_wrong),
	};
	return cmocka_run_group_tests_name("matte_meter", tests, NULL, NULL);
}
