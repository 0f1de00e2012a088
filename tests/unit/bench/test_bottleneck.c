/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: the busiest stage is named with its numbers, bounds of gains are what is left, and rules stay silent without evidence.  Each rule has
 * figures that fire it and figures that just do not, says in its evidence what was seen, and changes what the table below names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "analyzer/figures/case_summary.h"
#include "bench/judge/bottleneck.h"

/* 40 ms a frame on four CPUs, nothing busy. With a batch of one frame. */
static struct vrs_bottleneck_input idle(void)
{
	struct vrs_bottleneck_input in = {.frame_ms = 40, .cpu_ms = 90, .cpus = 4, .threads = 1, .batch = 2, .eyes = 2, .streams = 1,
					 .steal_percent = NAN, .temperature_c = NAN, .peak_rss_bytes = NAN, .memory_limit_bytes = NAN,
					 .involuntary_per_second = NAN, .throttle_events = NAN, .latency_p99_ms = NAN, .latency_limit_ms = NAN};
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

/* A stage that never waits itself says nothing of waits, and one that can says also that it does not. */
static void waits_are_those_of_the_stage(void **state)
{
	(void)state;
	struct vrs_bottleneck found[VRS_BOTTLENECK_MAX];
	static const struct {
		enum vrs_stage stage;
		double in_ms, out_ms;
		const char *words; /* NULL: no word of waits */
	} cases[] = {
		{VRS_STAGE_INFERENCE, 0, 0, NULL}, {VRS_STAGE_INFERENCE, NAN, NAN, NULL}, {VRS_STAGE_ENCODE, 0, 0, "it waits 0.0 ms for input"},
		{VRS_STAGE_DECODE, 0, 0, "it waits 0.0 ms for room"}, {VRS_STAGE_DECODE, 9, 0, "it waits 9.0 ms for input and 0.0 ms for room"},
		{VRS_STAGE_COMPOSE, 0, 1, "it waits 0.0 ms for input and 1.0 ms for room"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_bottleneck_input in = idle();
		in.busy_ms[cases[i].stage] = 39;
		in.wait_in_ms[cases[i].stage] = cases[i].in_ms;
		in.wait_out_ms[cases[i].stage] = cases[i].out_ms;
		assert_true(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX) >= 1);
		const char *waits = strstr(found[0].evidence, "it waits");
		assert_int_equal(waits != NULL, cases[i].words != NULL);
		if (waits)
			assert_string_equal(waits, cases[i].words);
	}
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
	assert_non_null(strstr(found[0].yaml, "preset: ultrafast")); /* advice of both comes once */
	assert_null(strstr(found[1].yaml, "preset"));
	assert_non_null(strstr(found[1].yaml, "precision: fp16"));
	in.busy_ms[VRS_STAGE_INFERENCE] = 38.5;
	in.threads = 2;
	assert_int_equal(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX), 2);
	assert_non_null(strstr(found[0].yaml, "precision: fp16"));
	assert_null(strstr(found[1].yaml, "precision"));
	assert_non_null(strstr(found[1].yaml, "preset: ultrafast"));
	assert_null(strstr(found[1].evidence, "to try above"));
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
	assert_true(fabs(found[0].fps_bound - 1e3 / 22.5) < 1e-9); /* the busiest stage takes 2 ms, the CPUs 90 / 4 */
	in.peak_rss_bytes = 9e9;
	in.memory_limit_bytes = 1e10;
	in.steal_percent = 5;
	assert_int_equal(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX), 3);
	assert_string_equal(found[1].id, "memory-limited");
	assert_string_equal(found[2].id, "stolen-cpu");
	assert_int_equal(vrs_bottleneck_find(&in, found, 1), 1); /* never more than there is room for */
}

/* Figures from which one rule follows; each has a twin at the other side of its limit. */
static struct vrs_bottleneck_input figures_of(const char *id, bool fires)
{
	struct vrs_bottleneck_input in = idle();
	double over = fires ? 1 : -1;
	if (strcmp(id, "low-utilization") == 0) {
		in.cpu_ms = 80 - over; /* of 160 */
	} else if (strcmp(id, "cpu-bound") == 0) {
		in.cpu_ms = 144 + over;
	} else if (strcmp(id, "memory-limited") == 0) {
		in.peak_rss_bytes = 80 + over;
		in.memory_limit_bytes = 100;
	} else if (strcmp(id, "high-latency") == 0) {
		in = (struct vrs_bottleneck_input){.frame_ms = 40, .cpu_ms = 90, .cpus = 4, .threads = 4, .batch = 8, .eyes = 2, .live_hz = 25,
						  .latency_p99_ms = 130, .latency_limit_ms = 40, .miss_percent = 30, .live_failed = fires};
	} else if (strcmp(id, "bandwidth-bound") == 0) {
		in.busy_ms[VRS_STAGE_COMPOSE] = 30;
		in.moved_gbps = 6;
		in.memory_share = 0.5 + 0.01 * over;
	} else if (strcmp(id, "decode-bound") == 0 || strcmp(id, "queue-bound") == 0) {
		bool decoder = id[0] == 'd';
		in.busy_ms[VRS_STAGE_DECODE] = 24 + (decoder ? over : -over); /* of 40 */
	} else if (strcmp(id, "encode-bound") == 0) {
		in.busy_ms[VRS_STAGE_ENCODE] = 24 + over;
	} else if (strcmp(id, "thermal-bound") == 0) {
		in.throttle_events = fires ? 3 : 0;
		in.temperature_c = 97;
		in.threads = 4;
	} else if (strcmp(id, "stolen-cpu") == 0) {
		in.steal_percent = 1 + 0.1 * over;
	} else if (strcmp(id, "busy-machine") == 0) {
		in.others_percent = 10 + 0.1 * over;
	} else if (strcmp(id, "thread-starved") == 0) {
		in.cpu_ms = 159;
		in.threads = 8;
		in.involuntary_per_second = 200 + over;
	}
	return in;
}

/* Is it proposed by the rule, or by one before it, which keeps what both propose? */
static bool is_proposed(const struct vrs_bottleneck *found, int at, const char *yaml)
{
	for (int i = 0; i <= at; i++)
		if (strstr(found[i].yaml, yaml))
			return true;
	return false;
}

static void every_rule_fires_on_its_figures_alone(void **state)
{
	static const struct {
		const char *id, *evidence, *yaml; /* NULL: nothing to change */
	} rules[] = {
		{"low-utilization", "49 % of what 4 CPUs offer in 40.0 ms; at most 50.6 FPS where all CPUs work", "batch_size: 4"},
		{"low-utilization", "49 %", "streams: 2"},
		{"cpu-bound", "91 % of what 4 CPUs offer", "preset: ultrafast"},
		{"memory-limited", "81 % of the", "batch_size: 1"},
		{"memory-limited", "81 % of the", "max_memory_fraction: 0.7"},
		{"high-latency", "30.00 % of the frames miss their deadline of 40.0 ms, 99 % are done after 130.0 ms; the first frame of a batch waits "
				 "120.0 ms for the others", "batch_size: 4"},
		{"high-latency", "30.00 %", "precision: fp16"},
		{"bandwidth-bound", "51 % of what memory was measured to do; at most 65.4 FPS", NULL},
		{"decode-bound", "decode is busy 25.0 ms of the 40.0 ms", NULL}, /* auto is what the case has */
		{"encode-bound", "encode is busy 25.0 ms of the 40.0 ms", "preset: ultrafast"},
		{"queue-bound", "23.0 ms of 40.0 ms", "queue_size: 8"},
		{"thermal-bound", "throttled 3 times during a run, at 97 degrees", "threads: 2"},
		{"busy-machine", "others used 10 % of 4 CPUs", NULL},
		{"stolen-cpu", "1.1 % of the CPU time", NULL},
		{"thread-starved", "201 involuntary context switches", "decode_workers: 1"},
	};
	struct vrs_bottleneck found[VRS_BOTTLENECK_MAX];
	(void)state;
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		for (int fires = 0; fires <= 1; fires++) {
			struct vrs_bottleneck_input in = figures_of(rules[i].id, fires);
			int n = vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX), at = 0;
			while (at < n && strcmp(found[at].id, rules[i].id) != 0)
				at++;
			if ((at < n) != (fires == 1))
				fail_msg("%s %s", rules[i].id, fires ? "does not fire" : "fires without a reason");
			if (fires && (!strstr(found[at].evidence, rules[i].evidence) || (rules[i].yaml && !is_proposed(found, at, rules[i].yaml))))
				fail_msg("%s: %s\n%s", rules[i].id, found[at].evidence, found[at].yaml);
		}
}

/* Idle CPUs behind a decoder or an encoder have nothing to work on, and those of a live job wait for frames. */
static void idle_cpus_that_nothing_would_help(void **state)
{
	struct vrs_bottleneck found[VRS_BOTTLENECK_MAX];
	struct vrs_bottleneck_input in = figures_of("low-utilization", true);
	(void)state;
	in.busy_ms[VRS_STAGE_ENCODE] = 39;
	int n = vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX);
	for (int i = 0; i < n; i++)
		assert_string_not_equal(found[i].id, "low-utilization");
	in = figures_of("low-utilization", true);
	in.live_hz = 30;
	n = vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX);
	for (int i = 0; i < n; i++)
		assert_string_not_equal(found[i].id, "low-utilization");
}

/* CPUs that other processes use are not idle, and frames that wait for them do not wait for each other: the disturbance is told instead, first. */
static void cpus_that_others_use_are_not_idle(void **state)
{
	struct vrs_bottleneck found[VRS_BOTTLENECK_MAX];
	struct vrs_bottleneck_input in = idle();
	(void)state;
	in.cpu_ms = 26; /* 16 % of what 4 CPUs offer */
	int n = vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX);
	assert_int_equal(n, 2);
	assert_string_equal(found[0].id, "queue-bound");
	assert_string_equal(found[1].id, "low-utilization");
	in.others_percent = 74;
	n = vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX);
	assert_int_equal(n, 1);
	assert_string_equal(found[0].id, "busy-machine");
	assert_non_null(strstr(found[0].evidence, "others used 74 % of 4 CPUs"));
	assert_string_equal(found[0].yaml, "");
	in.others_percent = 20; /* most of the CPUs' time is left: both are told */
	n = vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX);
	assert_int_equal(n, 3);
	assert_string_equal(found[0].id, "busy-machine");
	assert_string_equal(found[2].id, "low-utilization");
	in.busy_ms[VRS_STAGE_ENCODE] = 39; /* what a stage does is seen all the same */
	in.others_percent = 74;
	assert_int_equal(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX), 2);
	assert_string_equal(found[1].id, "encode-bound");
}

/* Where another stage takes nearly all of the time, frames come no sooner by a faster network: what that stage needs is advised. */
static void late_frames_of_a_busy_stage(void **state)
{
	static const struct {
		enum vrs_stage stage;
		double busy_ms;
		const char *yaml;  /* NULL: none */
		bool has_precision;
	} cases[] = {
		{VRS_STAGE_ENCODE, 39, "preset: ultrafast", false}, {VRS_STAGE_ENCODE, 23, NULL, true}, /* of 40 */
		{VRS_STAGE_DECODE, 39, NULL, false}, /* its workers are auto already */
		{VRS_STAGE_COMPOSE, 39, NULL, false}, {VRS_STAGE_PREPROCESS, 39, NULL, true}, {VRS_STAGE_INFERENCE, 39, NULL, true},
	};
	struct vrs_bottleneck found[VRS_BOTTLENECK_MAX];
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_bottleneck_input in = figures_of("high-latency", true);
		in.busy_ms[VRS_STAGE_INFERENCE] = 2;
		in.busy_ms[cases[i].stage] = cases[i].busy_ms;
		int n = vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX), last = n - 1;
		assert_true(n > 0);
		assert_int_equal(is_proposed(found, last, "precision: fp16"), cases[i].has_precision);
		if (cases[i].yaml)
			assert_true(is_proposed(found, last, cases[i].yaml));
	}
}

/* Two streams are no more than what runs already. */
static void streams_that_run_are_no_advice(void **state)
{
	struct vrs_bottleneck found[VRS_BOTTLENECK_MAX];
	struct vrs_bottleneck_input in = idle();
	(void)state;
	in.cpu_ms = 26;
	for (in.streams = 1; in.streams <= 3; in.streams++) {
		assert_int_equal(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX), 2);
		assert_string_equal(found[0].id, "queue-bound");
		assert_string_equal(found[1].id, "low-utilization");
		assert_int_equal(strstr(found[0].yaml, "streams: 2") != NULL, in.streams == 1);
		assert_null(strstr(found[1].yaml, "streams"));
	}
	in.busy_ms[VRS_STAGE_COMPOSE] = 30; /* no queue-bound rule */
	for (in.streams = 1; in.streams <= 3; in.streams++) {
		int n = vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX);
		assert_string_equal(found[n - 1].id, "low-utilization");
		assert_int_equal(strstr(found[n - 1].yaml, "streams: 2") != NULL, in.streams == 1);
	}
}

/* Advice for a recurrent network is what it can run with. */
static void recurrent_networks_stay_in_one_stream(void **state)
{
	struct vrs_bottleneck found[VRS_BOTTLENECK_MAX];
	struct vrs_bottleneck_input in = figures_of("low-utilization", true);
	(void)state;
	in.streams = 1;
	in.batch = 1;
	in.eyes = 2;
	in.recurrent = true;
	int n = vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX);
	assert_true(n > 0);
	for (int i = 0; i < n; i++)
		assert_null(strstr(found[i].yaml, "streams"));
	assert_non_null(strstr(found[n - 1].yaml, "batch_size: 2"));
	in.batch = 2;
	n = vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX);
	for (int i = 0; i < n; i++)
		assert_null(strstr(found[i].yaml, "batch_size"));
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
		run->others_percent = 3;
	}
	assert_int_equal(vrs_case_result_summarize(&c, NULL), VRS_OK);
	assert_true(vrs_bottleneck_input_of_case(NULL, &c, 4, &in));
	assert_float_equal(in.frame_ms, 40, 1e-6);
	assert_float_equal(in.cpu_ms, 40, 1e-6);
	assert_float_equal(in.others_percent, 3, 1e-6);
	assert_true(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX) >= 1);
	assert_string_equal(found[0].id, "decode-bound");
	assert_false(in.recurrent);
	c.state_bytes = 4096;
	assert_true(vrs_bottleneck_input_of_case(NULL, &c, 4, &in));
	assert_true(in.recurrent);
	vrs_case_result_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encode_bound), cmocka_unit_test(waits_are_those_of_the_stage),
		cmocka_unit_test(cpu_limits_the_gain), cmocka_unit_test(memory_sets_the_pace),
		cmocka_unit_test(several_workers_share_a_stage),
		cmocka_unit_test(every_rule_fires_on_its_figures_alone), cmocka_unit_test(idle_cpus_that_nothing_would_help),
		cmocka_unit_test(cpus_that_others_use_are_not_idle),
		cmocka_unit_test(late_frames_of_a_busy_stage),
		cmocka_unit_test(streams_that_run_are_no_advice),
		cmocka_unit_test(recurrent_networks_stay_in_one_stream),
		cmocka_unit_test(waiting_for_each_other), cmocka_unit_test(nothing_known),       cmocka_unit_test(from_a_case),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
