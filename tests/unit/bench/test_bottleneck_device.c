/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the rules about devices: each fires on figures of its own and just not on the other side of its limit, says what was seen and the most that
 * it can gain, and proposes what the case does not have; none fires on the host, without a profile, or where another stage sets the pace; and rules
 * about CPUs do not advise what devices ignore.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/figures/case_summary.h"
#include "base/str_parse.h"
#include "bench/judge/bottleneck.h"

/* A call of one frame in 10 ms, of which kernels take 8; nothing to complain about. */
static struct vrs_net_profile busy_device(void)
{
	struct vrs_net_profile p;
	vrs_net_profile_init(&p);
	(void)vrs_strcpy(p.device, sizeof p.device, "Test GPU");
	p.call_ms = 10;
	p.kernels = 80;
	p.host_ops = 0;
	p.kernel_ms = 8;
	p.gap_ms = 0.5;
	p.upload_ms = 0.3;
	p.download_ms = 0.2;
	p.kernel_peak_share = 0.5;
	p.kernel_memory_share = 0.4;
	p.small_share = 0.1;
	p.full_items = 160000;
	p.upload_gbps = 12;
	p.download_gbps = 13;
	p.launch_us = 5;
	return p;
}

/* 10 ms a frame, of which the device takes 9.5; decoding could be four times as fast. */
static struct vrs_bottleneck_input on_device(const struct vrs_net_profile *profile)
{
	struct vrs_bottleneck_input in = {.frame_ms = 10, .cpu_ms = 4, .cpus = 4, .threads = 4, .batch = 2, .eyes = 2, .streams = 1,
					 .steal_percent = NAN, .temperature_c = NAN, .peak_rss_bytes = NAN, .memory_limit_bytes = NAN,
					 .involuntary_per_second = NAN, .throttle_events = NAN, .latency_p99_ms = NAN, .latency_limit_ms = NAN,
					 .on_device = true, .profile = profile, .device_bytes = 1 << 30, .device_limit_bytes = 8.0 * (1 << 30),
					 .device_percent = NAN};
	for (int s = 0; s < VRS_STAGE_COUNT; s++) {
		in.busy_ms[s] = s == VRS_STAGE_INFERENCE ? 9.5 : s == VRS_STAGE_DECODE ? 2.5 : 0.1;
		in.wait_in_ms[s] = in.wait_out_ms[s] = 0;
	}
	return in;
}

static const struct vrs_bottleneck *find(const struct vrs_bottleneck_input *in, const char *id)
{
	static struct vrs_bottleneck found[VRS_BOTTLENECK_MAX];
	int n = vrs_bottleneck_find(in, found, VRS_BOTTLENECK_MAX);
	for (int i = 0; i < n; i++)
		if (strcmp(found[i].id, id) == 0)
			return &found[i];
	return NULL;
}

/* The same; an empty one where it did not fire. */
static const struct vrs_bottleneck *known(const struct vrs_bottleneck_input *in, const char *id)
{
	static const struct vrs_bottleneck none;
	const struct vrs_bottleneck *b = find(in, id);
	return b ? b : &none;
}

static const char *const ids[] = {"launch-bound", "transfer-bound", "low-occupancy", "idle-device", "device-memory"};
enum { RULES = sizeof ids / sizeof *ids };

static void expect_none_but(const struct vrs_bottleneck_input *in, const char *id)
{
	for (int i = 0; i < RULES; i++)
		if ((find(in, ids[i]) != NULL) != (id && strcmp(id, ids[i]) == 0))
			fail_msg("%s %s", ids[i], id && strcmp(id, ids[i]) == 0 ? "does not fire" : "fires without a reason");
}

static void a_busy_device_has_no_rule(void **state)
{
	(void)state;
	struct vrs_net_profile p = busy_device();
	struct vrs_bottleneck_input in = on_device(&p);
	expect_none_but(&in, NULL);
	const struct vrs_bottleneck *b = known(&in, "inference-bound");
	assert_non_null(strstr(b->yaml, "precision: fp16"));
	assert_non_null(strstr(b->yaml, "device_tune: fast"));
	assert_null(strstr(b->yaml, "threads"));
	assert_null(find(&in, "low-utilization")); /* CPUs wait for the device, and more threads would wait with them */
	in.net_gflops = 2000;
	in.net_peak_share = 0.4;
	assert_non_null(strstr(known(&in, "inference-bound")->evidence, "2000.0 GFLOP/s, 40 % of the peak of the device"));
}

static void gaps(void **state)
{
	(void)state;
	struct vrs_net_profile p = busy_device();
	struct vrs_bottleneck_input in = on_device(&p);
	p.kernel_ms = 6;
	p.gap_ms = 1.9;
	expect_none_but(&in, NULL);
	p.gap_ms = 2.5;
	expect_none_but(&in, "launch-bound");
	const struct vrs_bottleneck *b = known(&in, "launch-bound");
	assert_non_null(strstr(b->evidence, "80 kernels of a call take 75 us each on average, with gaps of 2.50 ms between them: 29 % of the 8.50 "
					    "ms from the first to the last; from one empty kernel to the next it takes 5.0 us; at most 140.4 FPS without gaps"));
	assert_true(fabs(b->fps_bound - 1e3 / (9.5 * 0.75)) < 1e-9);
	assert_non_null(strstr(b->yaml, "batch_size: 4"));
	assert_non_null(strstr(b->yaml, "streams: 2"));
	p.kernels = 1;
	expect_none_but(&in, NULL);
	p.kernels = 30;
	p.host_ops = 3;
	b = known(&in, "launch-bound");
	assert_non_null(strstr(b->sentence, "waits for operators that the host computes"));
	assert_non_null(strstr(b->evidence, "the host computes 3 operators"));
	in.busy_ms[VRS_STAGE_DECODE] = 9; /* which then limits */
	assert_true(fabs(known(&in, "launch-bound")->fps_bound - 1e3 / 9) < 1e-9);
}

static void transfers(void **state)
{
	(void)state;
	struct vrs_net_profile p = busy_device();
	struct vrs_bottleneck_input in = on_device(&p);
	p.kernel_ms = 6;
	p.upload_ms = 1.2;
	p.download_ms = 0.9;
	expect_none_but(&in, NULL);
	p.upload_ms = 1.5;
	expect_none_but(&in, "transfer-bound");
	const struct vrs_bottleneck *b = known(&in, "transfer-bound");
	assert_non_null(strstr(b->evidence, "a call takes 1.50 ms up and 0.90 ms down beside 6.50 ms of computing: transfers are 27 % of it; at best "
					    "12.0 GB/s go up and 13.0 GB/s down; at most 138.5 FPS where transfers run beside computing"));
	assert_non_null(strstr(b->yaml, "streams: 2"));
	in.streams = 2; /* one stream transfers while the other computes */
	in.workers[VRS_STAGE_INFERENCE] = 2;
	in.busy_ms[VRS_STAGE_INFERENCE] = 19;
	expect_none_but(&in, NULL);
	p.upload_ms = 7; /* but not this */
	expect_none_but(&in, "transfer-bound");
	assert_string_equal(known(&in, "transfer-bound")->yaml, "");
}

static void small_kernels(void **state)
{
	(void)state;
	struct vrs_net_profile p = busy_device();
	struct vrs_bottleneck_input in = on_device(&p);
	p.kernel_peak_share = 0.08;
	p.kernel_memory_share = 0.2;
	expect_none_but(&in, NULL); /* slow kernels, but large ones */
	p.small_share = 0.7;
	expect_none_but(&in, "low-occupancy");
	const struct vrs_bottleneck *b = known(&in, "low-occupancy");
	assert_non_null(strstr(b->evidence, "70 % of the time of kernels goes into those with fewer than the 160000 work-items that fill the device; "
					    "kernels reach 8 % of its peak and 20 % of the bandwidth of its memory; at most 292.4 FPS where kernels fill"));
	assert_non_null(strstr(b->yaml, "batch_size: 4"));
	p.kernel_memory_share = 0.26; /* its memory is what limits */
	expect_none_but(&in, NULL);
	p.kernel_memory_share = NAN; /* nobody knows the ceilings */
	expect_none_but(&in, NULL);
}

static void idle(void **state)
{
	(void)state;
	struct vrs_net_profile p = busy_device();
	struct vrs_bottleneck_input in = on_device(&p);
	in.frame_ms = 20;
	in.busy_ms[VRS_STAGE_INFERENCE] = 19;
	p.call_ms = 19;
	p.kernel_ms = 9;
	expect_none_but(&in, NULL); /* exactly half */
	p.kernel_ms = 7;
	in.device_percent = 42;
	expect_none_but(&in, "idle-device");
	const struct vrs_bottleneck *b = known(&in, "idle-device");
	assert_non_null(strstr(b->evidence, "its commands take 8.00 ms of the 20.00 ms of a frame (40 %); its driver says that it is busy for 42 %; at most "
					    "125.0 FPS where the device is never idle"));
	in.device_percent = 80; /* there are more calls than one a frame */
	expect_none_but(&in, NULL);
	in.device_percent = NAN;
	in.batch = 4; /* a call for two frames */
	p.kernel_ms = 15;
	assert_non_null(strstr(known(&in, "idle-device")->evidence, "8.00 ms"));
}

static void memory(void **state)
{
	(void)state;
	struct vrs_net_profile p = busy_device();
	struct vrs_bottleneck_input in = on_device(&p);
	in.device_bytes = 6.3 * (1 << 30);
	expect_none_but(&in, NULL);
	in.device_bytes = 6.5 * (1 << 30);
	expect_none_but(&in, "device-memory");
	const struct vrs_bottleneck *b = known(&in, "device-memory");
	assert_non_null(strstr(b->evidence, "the network holds 6656 MiB, 81 % of the 8192 MiB that it may have of the device; less of it keeps jobs from"));
	assert_non_null(strstr(b->yaml, "batch_size: 1"));
	assert_true(isnan(b->fps_bound)); /* nothing gets faster */
	in.profile = NULL; /* memory is known without the times of a call */
	expect_none_but(&in, "device-memory");
	in.device_bytes = 1 << 30;
	in.batch_asked = 4;
	expect_none_but(&in, "device-memory");
	assert_non_null(strstr(known(&in, "device-memory")->evidence, "a batch of 4 was asked for and ran as 2"));
	in.device_limit_bytes = NAN;
	expect_none_but(&in, NULL);
}

static void where_the_device_is_not_the_limit(void **state)
{
	(void)state;
	struct vrs_net_profile p = busy_device();
	struct vrs_bottleneck_input in = on_device(&p);
	p.gap_ms = 20;
	p.upload_ms = 30;
	expect_none_but(&(struct vrs_bottleneck_input){.frame_ms = NAN}, NULL);
	in.busy_ms[VRS_STAGE_ENCODE] = 9.9;
	assert_null(find(&in, "launch-bound"));
	in.busy_ms[VRS_STAGE_ENCODE] = 1;
	assert_non_null(find(&in, "launch-bound"));
	in.on_device = false;
	expect_none_but(&in, NULL);
}

/* A case of the network alone has no stages: the device takes all of its time. */
static void of_a_case(void **state)
{
	(void)state;
	struct vrs_result *result;
	struct vrs_bottleneck_input in;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	struct vrs_case_result *c = vrs_result_add_case(result);
	struct vrs_net_profile *p = vrs_result_add_profile(result);
	*p = busy_device();
	p->gap_ms = 6;
	p->batch = 2;
	p->width = p->height = 256;
	p->threads = 1;
	p->precision = c->precision = VRS_PRECISION_FP32;
	(void)vrs_strcpy(p->model, sizeof p->model, "net");
	(void)vrs_strcpy(p->backend, sizeof p->backend, "opencl");
	(void)vrs_strcpy(c->model, sizeof c->model, "net");
	(void)vrs_strcpy(c->backend, sizeof c->backend, "opencl");
	(void)vrs_strcpy(c->device, sizeof c->device, "Test GPU");
	(void)vrs_strcpy(c->id, sizeof c->id, "r=512x256/b=4/p=fp32/t=2");
	c->scope = VRS_SCOPE_NET_ONLY;
	c->batch = 2;
	c->threads = 2; /* of the job; a session on a device has none */
	c->streams = 1;
	c->net_width = c->net_height = 256;
	c->device_bytes = 100;
	c->device_limit_bytes = 1000;
	struct vrs_run *run = vrs_case_result_add_run(c);
	run->status = VRS_RUN_OK;
	run->fps = 100;
	run->frames = 100;
	assert_int_equal(vrs_case_result_summarize(c, NULL), VRS_OK);
	assert_true(vrs_bottleneck_input_of_case(result, c, 2, &in));
	assert_true(in.on_device && in.profile == p && in.batch_asked == 4);
	const struct vrs_bottleneck *b = known(&in, "launch-bound");
	assert_true(fabs(b->fps_bound - 250) < 1e-9); /* 10 ms without the 6 */
	assert_non_null(find(&in, "device-memory"));
	(void)vrs_strcpy(p->device, sizeof p->device, "another");
	assert_true(vrs_bottleneck_input_of_case(result, c, 2, &in));
	assert_null(in.profile);
	vrs_result_destroy(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_busy_device_has_no_rule), cmocka_unit_test(gaps),   cmocka_unit_test(transfers),
		cmocka_unit_test(small_kernels),             cmocka_unit_test(idle),   cmocka_unit_test(memory),
		cmocka_unit_test(where_the_device_is_not_the_limit), cmocka_unit_test(of_a_case),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
