/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: the busiest stage is named with its numbers, bounds of gains are what is left, and rules stay silent without evidence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "analyzer/figures/case_summary.h"
#include "bench/judge/bottleneck.h"

/* 40 ms a frame on four CPUs, nothing busy. */
static struct vrs_bottleneck_input idle(void)
{
	struct vrs_bottleneck_input in = {.frame_ms = 40, .cpu_ms = 20, .cpus = 4, .threads = 1, .batch = 2, .eyes = 2, .streams = 1,
					 .steal_percent = NAN, .temperature_c = NAN, .peak_rss_bytes = NAN, .memory_limit_bytes = NAN,
					 .involuntary_per_second = NAN};
	for (int s = 0; s < VRS_STAGE_COUNT; s++) {
		in.busy_ms[s] = 2;
		in.wait_in_ms[s] = 30;
		in.wait_out_ms[s] = 1;
	}
	return in;
}

static void encode_bound(void **state)
{
	(void)state;
	struct vrs_bottleneck found[VRS_BOTTLENECK_MAX];
	struct vrs_bottleneck_input in = idle();
	in.busy_ms[VRS_STAGE_ENCODE] = 39;
	in.busy_ms[VRS_STAGE_DECODE] = 20;
	in.cpu_ms = 70;
	assert_true(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX) >= 1);
	assert_string_equal(found[0].id, "encode-bound");
	assert_int_equal(found[0].stage, VRS_STAGE_ENCODE);
	assert_int_equal(found[0].next_stage, VRS_STAGE_DECODE);
	assert_float_equal(found[0].share, 0.975, 1e-6);
	assert_float_equal(found[0].fps_bound, 50, 1e-4); /* decode takes 20 ms */
	assert_non_null(strstr(found[0].sentence, "at most 50.0 FPS"));
	assert_non_null(strstr(found[0].evidence, "39.0 ms of the 40.0 ms"));
	assert_non_null(strstr(found[0].yaml, "preset: ultrafast"));
}

/* Taking a stage away does not make the CPU work of the others vanish. */
static void cpu_limits_the_gain(void **state)
{
	(void)state;
	struct vrs_bottleneck found[VRS_BOTTLENECK_MAX];
	struct vrs_bottleneck_input in = idle();
	in.cpus = 2;
	in.busy_ms[VRS_STAGE_ENCODE] = 38;
	in.cpu_ms = 78;
	int n = vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX);
	assert_int_equal(n, 2);
	assert_string_equal(found[0].id, "encode-bound");
	assert_float_equal(found[0].fps_bound, 50, 1e-4); /* (78 - 38) / 2 CPUs = 20 ms */
	assert_string_equal(found[1].id, "cpu-bound");
	assert_non_null(strstr(found[1].evidence, "98 %"));
}

/* Near the bandwidth of memory, memory is named beside the stage; far from it, and for stages of FFmpeg's, only the figure is. */
static void memory_sets_the_pace(void **state)
{
	(void)state;
	struct vrs_bottleneck found[VRS_BOTTLENECK_MAX];
	struct vrs_bottleneck_input in = idle();
	in.busy_ms[VRS_STAGE_COMPOSE] = 30;
	in.moved_gbps = 6;
	in.memory_share = 0.6;
	assert_int_equal(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX), 2);
	assert_string_equal(found[0].id, "compose-bound");
	assert_non_null(strstr(found[0].evidence, "move 6.0 GB/s, 60 % of the bandwidth of memory"));
	assert_string_equal(found[1].id, "bandwidth-bound");
	assert_float_equal(found[1].share, 0.6, 1e-9);
	in.memory_share = 0.4;
	assert_int_equal(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX), 1);
	assert_non_null(strstr(found[0].evidence, "40 %"));
	in.memory_share = 0.9;
	in.busy_ms[VRS_STAGE_ENCODE] = 35;
	assert_int_equal(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX), 1);
	assert_null(strstr(found[0].evidence, "GB/s"));
	in = idle();
	in.busy_ms[VRS_STAGE_INFERENCE] = 38;
	in.net_gflops = 50;
	in.net_peak_share = 0.25;
	assert_true(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX) >= 1);
	assert_non_null(strstr(found[0].evidence, "computes 50.0 GFLOP/s, 25 % of the peak of its threads"));
	in.net_peak_share = NAN; /* not observed: nothing is said */
	assert_true(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX) >= 1);
	assert_null(strstr(found[0].evidence, "GFLOP"));
}

static void several_workers_share_a_stage(void **state)
{
	(void)state;
	struct vrs_bottleneck found[VRS_BOTTLENECK_MAX];
	struct vrs_bottleneck_input in = idle();
	in.busy_ms[VRS_STAGE_INFERENCE] = 76; /* two streams: 38 ms each */
	in.workers[VRS_STAGE_INFERENCE] = 2;
	assert_true(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX) >= 1);
	assert_string_equal(found[0].id, "inference-bound");
	assert_float_equal(found[0].share, 0.95, 1e-6);
	assert_non_null(strstr(found[0].yaml, "threads"));
}

static void waiting_for_each_other(void **state)
{
	(void)state;
	struct vrs_bottleneck found[VRS_BOTTLENECK_MAX];
	struct vrs_bottleneck_input in = idle();
	assert_int_equal(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX), 1);
	assert_string_equal(found[0].id, "queue-bound");
	in.peak_rss_bytes = 9e9;
	in.memory_limit_bytes = 1e10;
	in.steal_percent = 5;
	assert_int_equal(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX), 3);
	assert_string_equal(found[1].id, "memory-limited");
	assert_string_equal(found[2].id, "stolen-cpu");
	assert_int_equal(vrs_bottleneck_find(&in, found, 1), 1); /* never more than there is room for */
}

static void nothing_known(void **state)
{
	(void)state;
	struct vrs_bottleneck found[VRS_BOTTLENECK_MAX];
	struct vrs_bottleneck_input in = idle();
	in.frame_ms = NAN;
	assert_int_equal(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX), 0);
	in.frame_ms = 40;
	in.cpu_ms = NAN;
	for (int s = 0; s < VRS_STAGE_COUNT; s++)
		in.busy_ms[s] = NAN;
	assert_int_equal(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX), 0);
	struct vrs_case_result c;
	vrs_case_result_init(&c);
	assert_false(vrs_bottleneck_input_of_case(NULL, &c, 2, &in)); /* no run */
}

static void from_a_case(void **state)
{
	(void)state;
	struct vrs_case_result c;
	struct vrs_bottleneck_input in;
	struct vrs_bottleneck found[VRS_BOTTLENECK_MAX];
	vrs_case_result_init(&c);
	c.streams = 1;
	for (int i = 0; i < 3; i++) {
		struct vrs_run *run = vrs_case_result_add_run(&c);
		run->status = VRS_RUN_OK;
		run->fps = 25;
		run->frames = 250;
		run->wall_seconds = 10;
		run->cpu_seconds = 10;
		run->stage_busy_ms[VRS_STAGE_DECODE] = 39 + i * 0.1;
		run->stage_busy_ms[VRS_STAGE_ENCODE] = 5;
	}
	assert_int_equal(vrs_case_result_summarize(&c, NULL), VRS_OK);
	assert_true(vrs_bottleneck_input_of_case(NULL, &c, 4, &in));
	assert_float_equal(in.frame_ms, 40, 1e-6);
	assert_float_equal(in.cpu_ms, 40, 1e-6);
	assert_true(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX) >= 1);
	assert_string_equal(found[0].id, "decode-bound");
	vrs_case_result_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encode_bound),           cmocka_unit_test(cpu_limits_the_gain), cmocka_unit_test(memory_sets_the_pace),
		cmocka_unit_test(several_workers_share_a_stage),
		cmocka_unit_test(waiting_for_each_other), cmocka_unit_test(nothing_known),       cmocka_unit_test(from_a_case),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
