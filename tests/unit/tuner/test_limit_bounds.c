/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the conservative ends that limits are held against: the speed is a low order statistic, never above the median; late frames count by bursts;
 * too few runs or frames fall back on what was measured.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tuner/limit_bounds.h"

/* n runs of 100, 101, ... FPS, in another order. */
static void make_runs(struct vrs_case_result *c, int n)
{
	vrs_case_result_init(c);
	for (int i = 0; i < n; i++) {
		struct vrs_run *run = vrs_case_result_add_run(c);
		assert_non_null(run);
		run->status = VRS_RUN_OK;
		run->fps = 100 + (i * 7) % n;
	}
}

static void speeds(void **state)
{
	static const struct {
		int runs;
		double low; /* a true median above it has a chance of 1/400: binomial sums over 2^n */
	} cases[] = {{1, 100}, {8, 100}, {10, 100}, {15, 101}, {20, 103}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_case_result c;
		make_runs(&c, cases[i].runs);
		assert_float_equal(vrs_case_low_fps(&c), cases[i].low, 1e-9);
		vrs_case_result_fini(&c);
	}
	struct vrs_case_result none;
	make_runs(&none, 0);
	assert_true(isnan(vrs_case_low_fps(&none)));
	vrs_case_result_fini(&none);
}

static void set_late(struct vrs_case_result *c, int64_t due, int64_t late, int64_t bursts)
{
	c->runs[0].live_due = due;
	c->runs[0].live_late = late;
	c->runs[0].live_dropped = 0;
	c->runs[0].live_episodes = bursts;
}

static void late_frames(void **state)
{
	(void)state;
	struct vrs_case_result c;
	make_runs(&c, 1);
	assert_true(isnan(vrs_case_high_late_percent(&c, 1)));
	set_late(&c, 2000, 0, 0);
	assert_float_equal(vrs_case_high_late_percent(&c, 1), (float)(100 * (1 - pow(VRS_LIMIT_ALPHA, 1 / 2000.0))), 1e-3);
	set_late(&c, 2000, 6, 6);
	double single = vrs_case_high_late_percent(&c, 1);
	assert_true(single > 0.6 && single < 0.9); /* 0.3 % were late */
	set_late(&c, 2000, 6, 1);
	assert_true(vrs_case_high_late_percent(&c, 1) > 1.5); /* one stall says less than six frames here and there */
	set_late(&c, 100, 0, 0);
	assert_float_equal(vrs_case_high_late_percent(&c, 1), 0, 1e-9); /* nothing that 100 frames could prove */
	set_late(&c, 100, 100, 1);
	assert_float_equal(vrs_case_high_late_percent(&c, 1), 100, 1e-9);
	double needed = vrs_late_frames_needed(1);
	assert_true(needed > 900 && needed < 1200);
	vrs_case_result_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(speeds), cmocka_unit_test(late_frames),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
