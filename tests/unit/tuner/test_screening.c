/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the order of screening: options of stages that do the work come first and those of stages that are never the bound last, each value once,
 * and what the space proposes before all.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "small_network.h"
#include "tuner/screening.h"

static struct vrs_space make_space(void)
{
	struct vrs_config *config;
	struct vrs_space space;
	assert_int_equal(vrs_config_create(&config), VRS_OK);
	assert_true(small_network_config(config)); /* quickly read */
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, "precision preset queue_size", NULL), VRS_OK);
	vrs_config_destroy(config);
	return space;
}

/* Key of the i-th proposed value. */
static const char *key_of(const struct vrs_space *space, const struct vrs_proposal *p, int i)
{
	for (int k = 0; k < space->count; k++)
		if (p->points[i].level[k])
			return space->knobs[k].row->key;
	return "";
}

static void the_work_decides(void **state)
{
	(void)state;
	struct vrs_space space = make_space();
	struct vrs_grid grid;
	double work[VRS_STAGE_COUNT] = {0};
	int values = 0;
	vrs_grid_init(&grid, &space);
	for (int k = 0; k < space.count; k++)
		values += space.knobs[k].count;
	for (int encodes = 0; encodes < 2; encodes++) {
		struct vrs_proposal much = {.count = 0}, little = {.count = 0};
		work[VRS_STAGE_ENCODE] = encodes ? 0.95 : 0.05;
		work[VRS_STAGE_INFERENCE] = 1 - work[VRS_STAGE_ENCODE];
		assert_int_equal(vrs_screening_propose(&grid, work, false, &much, NULL), VRS_OK);
		assert_int_equal(vrs_screening_propose(&grid, work, true, &little, NULL), VRS_OK);
		assert_int_equal(much.count + little.count, values);
		assert_string_equal(key_of(&space, &much, 0), encodes ? "output.preset" : "engine.precision");
		assert_string_equal(key_of(&space, &little, 0), encodes ? "engine.precision" : "output.preset");
		assert_non_null(strstr(much.why, encodes ? "encode 95 %" : "inference 95 %"));
		assert_non_null(strstr(little.why, "less than 10 %"));
	}
}

static void nothing_known_leaves_nothing_out(void **state)
{
	(void)state;
	struct vrs_space space = make_space();
	struct vrs_grid grid;
	struct vrs_proposal much = {.count = 0}, little = {.count = 0};
	double work[VRS_STAGE_COUNT];
	for (int i = 0; i < VRS_STAGE_COUNT; i++)
		work[i] = NAN;
	vrs_grid_init(&grid, &space);
	assert_int_equal(vrs_screening_propose(&grid, work, false, &much, NULL), VRS_OK);
	assert_int_equal(vrs_screening_propose(&grid, work, true, &little, NULL), VRS_OK);
	assert_int_equal(little.count, 0);
	assert_string_equal(much.why, "each value alone");
	for (int i = 0; i < much.count; i++)
		assert_int_equal(vrs_point_changes(&much.points[i]), 1);
}

static void proposals_come_first(void **state)
{
	(void)state;
	struct vrs_space space = make_space();
	struct vrs_grid grid;
	struct vrs_proposal much = {.count = 0};
	double work[VRS_STAGE_COUNT] = {[VRS_STAGE_INFERENCE] = 0.5, [VRS_STAGE_ENCODE] = 0.5};
	struct vrs_point start = vrs_screening_start(&space);
	assert_int_equal(vrs_point_changes(&start), 0);
	for (int k = 0; k < space.count; k++)
		assert_true(vrs_space_prefer(&space, k, space.knobs[k].values[space.knobs[k].count - 1])); /* the last one moves to the front */
	vrs_grid_init(&grid, &space);
	start = vrs_screening_start(&space);
	assert_int_equal(vrs_point_changes(&start), space.count);
	assert_int_equal(vrs_screening_propose(&grid, work, false, &much, NULL), VRS_OK);
	assert_true(vrs_point_equal(&much.points[0], &start));
	assert_non_null(strstr(much.why, "; first the settings that are proposed"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_work_decides), cmocka_unit_test(nothing_known_leaves_nothing_out), cmocka_unit_test(proposals_come_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
