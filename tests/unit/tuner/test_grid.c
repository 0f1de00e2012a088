/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the points of a search: each open one is visited once, what cannot win is none, and values lie where their size says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tuner/grid.h"

static struct vrs_space make_space(int cpus)
{
	struct vrs_space space = {.cpus = cpus, .count = 3};
	static const char *const keys[] = {"engine.threads", "engine.streams", "engine.input_size"};
	static const char *const values[][3] = {{"1", "4"}, {"2"}, {"192x192", "384x192", "auto"}};
	static const int counts[] = {2, 1, 3};
	for (int k = 0; k < 3; k++) {
		space.knobs[k].row = vrs_option_find(keys[k]);
		space.knobs[k].count = counts[k];
		snprintf(space.knobs[k].default_value, sizeof space.knobs[k].default_value, "%s", k == 2 ? "256x256" : k ? "1" : "2");
		for (int v = 0; v < counts[k]; v++)
			snprintf(space.knobs[k].values[v], sizeof space.knobs[k].values[v], "%s", values[k][v]);
	}
	return space;
}

/* 3 x 2 x 4 points; with two CPUs threads x streams above 2 are left out, but the default never. */
static void every_point_once(void **state)
{
	(void)state;
	for (int cpus = 2; cpus <= 8; cpus += 6) {
		struct vrs_space space = make_space(cpus);
		struct vrs_grid grid;
		struct vrs_point point = {{0}}, seen[32];
		int n = 0;
		vrs_grid_init(&grid, &space);
		assert_true(vrs_grid_size(&grid) == 24);
		while (vrs_grid_next(&grid, &point)) {
			for (int i = 0; i < n; i++)
				assert_false(vrs_point_equal(&seen[i], &point));
			seen[n++] = point;
		}
		/* threads x streams: 2, 1, 4, 4, 2, 8; all but the default itself are visited */
		assert_int_equal(n, cpus == 8 ? 23 : 3 * 4 - 1);
	}
}

/* A default of more threads than CPUs, which the user gave, does not refuse every other point, over which a search would walk for ever. */
static void a_default_above_the_cpus_leaves_points(void **state)
{
	struct vrs_space space = make_space(2);
	struct vrs_grid grid;
	struct vrs_point point = {{0}};
	int n = 0;
	(void)state;
	snprintf(space.knobs[0].default_value, sizeof space.knobs[0].default_value, "4");
	snprintf(space.knobs[0].values[1], sizeof space.knobs[0].values[1], "8");
	vrs_grid_init(&grid, &space);
	while (vrs_grid_next(&grid, &point))
		n++;
	/* threads x streams: 4, 1, 8, 8, 2, 16; those up to the default's 4 stay */
	assert_int_equal(n, 3 * 4 - 1);
}

static void closed_levels_and_resting_knobs_are_no_points(void **state)
{
	struct vrs_space space = make_space(8);
	struct vrs_grid grid;
	struct vrs_point point = {{0}};
	int n = 0;
	(void)state;
	vrs_grid_init(&grid, &space);
	vrs_grid_sort(&grid, (double[]){0.1, 0, 0.3});
	assert_int_equal(grid.knobs[0], 2);
	assert_int_equal(grid.knobs[2], 1);
	grid.count = 2; /* streams stay as they are */
	grid.closed[2][3] = true;
	assert_true(vrs_grid_size(&grid) == 9);
	while (vrs_grid_next(&grid, &point)) {
		assert_true(point.level[1] == 0 && point.level[2] != 3);
		n++;
	}
	assert_int_equal(n, 8);
	point = (struct vrs_point){{0, 1}};
	assert_false(vrs_grid_has(&grid, &point));
	point = (struct vrs_point){{0, 0, 3}};
	assert_false(vrs_grid_has(&grid, &point));
}

static void positions_follow_sizes(void **state)
{
	struct vrs_space space = make_space(8);
	struct vrs_grid grid;
	(void)state;
	vrs_grid_init(&grid, &space);
	assert_true(vrs_grid_position(&grid, 0, 0) == 1 && vrs_grid_position(&grid, 0, 1) == 0 && vrs_grid_position(&grid, 0, 2) == 2);
	assert_true(fabs(vrs_grid_position(&grid, 2, 0) - 16) < 1e-9);
	assert_true(fabs(vrs_grid_position(&grid, 2, 2) - vrs_grid_position(&grid, 2, 1) - 1) < 1e-9);
	assert_true(isnan(vrs_grid_position(&grid, 2, 3)));
}

static void a_point_becomes_a_case(void **state)
{
	struct vrs_space space = make_space(8);
	struct vrs_grid grid;
	struct vrs_case c = {.value_count = 0}, none = {.value_count = 0};
	struct vrs_point point = {{2, 0, 1}};
	(void)state;
	vrs_grid_init(&grid, &space);
	assert_int_equal(vrs_point_changes(&point), 2);
	assert_int_equal(vrs_grid_case(&grid, &point, &c, NULL), VRS_OK);
	assert_int_equal(c.value_count, 2);
	assert_string_equal(vrs_case_get(&c, "engine.threads"), "4");
	assert_string_equal(vrs_case_get(&c, "engine.input_size"), "192x192");
	assert_false(vrs_case_same_values(&c, &none));
}

/* A network is calibrated for one size, so 8 bits go with the default's alone. */
static void eight_bits_keep_their_size(void **state)
{
	struct vrs_space space = make_space(8);
	struct vrs_grid grid;
	(void)state;
	space.knobs[1] = (struct vrs_knob){.row = vrs_option_find("engine.precision"), .count = 3, .default_value = "fp32",
					     .values = {"int8", "mixed", "bf16"}};
	vrs_grid_init(&grid, &space);
	for (int p = 0; p < 4; p++)
		for (int size = 0; size < 2; size++) {
			struct vrs_point point = {{0, (unsigned char)p, (unsigned char)size}};
			assert_int_equal(vrs_grid_has(&grid, &point), size == 0 || p == 0 || p == 3);
		}
}

/* FFmpeg's own encoder of MPEG-4 has no presets. */
static void presets_go_with_encoders_that_know_them(void **state)
{
	struct vrs_space space = {.cpus = 8, .count = 2};
	struct vrs_grid grid;
	(void)state;
	space.knobs[0] = (struct vrs_knob){.row = vrs_option_find("output.encoder"), .count = 2, .default_value = "auto", .values = {"libx264", "mpeg4"}};
	space.knobs[1] = (struct vrs_knob){.row = vrs_option_find("output.preset"), .count = 1, .default_value = "veryfast", .values = {"superfast"}};
	vrs_grid_init(&grid, &space);
	for (int e = 0; e < 3; e++)
		for (int p = 0; p < 2; p++) {
			struct vrs_point point = {{(unsigned char)e, (unsigned char)p}};
			assert_int_equal(vrs_grid_has(&grid, &point), e < 2 || p == 0);
		}
}

/* What neither fits into the id of a case nor into the case is no point, nor does a search stop there. */
static void points_fit_into_ids(void **state)
{
	static const char *const keys[] = {"output.preset", "output.crf", "matte.cutoff", "matte.stride", "pipeline.queue_size", "pipeline.prefetch",
					   "pipeline.decode_workers", "pipeline.encode_workers"};
	struct vrs_space space = {.cpus = 8, .count = 8};
	struct vrs_grid grid;
	int n = 0;
	(void)state;
	for (int k = 0; k < 8; k++) {
		space.knobs[k] = (struct vrs_knob){.row = vrs_option_find(keys[k]), .count = 1, .default_value = "1"};
		assert_non_null(space.knobs[k].row);
		memset(space.knobs[k].values[0], k < 4 ? 'v' : '/', sizeof space.knobs[k].values[0] - 1); /* '/' takes three bytes */
	}
	vrs_grid_init(&grid, &space);
	for (struct vrs_point point = {{0}}; vrs_grid_next(&grid, &point); n++) {
		char id[VRS_CASE_ID_MAX];
		struct vrs_case c = {.value_count = 0};
		assert_int_equal(vrs_grid_case(&grid, &point, &c, NULL), VRS_OK);
		assert_int_equal(vrs_case_id(&c, NULL, 32768, 32768, id, sizeof id, NULL), VRS_OK);
	}
	assert_true(n > 16 && n < 255);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_point_once),
		cmocka_unit_test(a_default_above_the_cpus_leaves_points),
		cmocka_unit_test(closed_levels_and_resting_knobs_are_no_points),
		cmocka_unit_test(eight_bits_keep_their_size),
		cmocka_unit_test(presets_go_with_encoders_that_know_them),
		cmocka_unit_test(points_fit_into_ids),
		cmocka_unit_test(positions_follow_sizes),
		cmocka_unit_test(a_point_becomes_a_case),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
