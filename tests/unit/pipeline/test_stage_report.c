/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the stage report: figures per frame, the stage that is named as the limit, and the word when all CPUs are in use; also the frame pool. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "compose/frame_pool.h"

#include <vrseg/peaks.h>
#include <vrseg/progress.h>

static char *report(const struct vrs_job_stats *stats, const struct vrs_job_info *info)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	vrs_stage_report(stats, info, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void test_limit(void **state)
{
	(void)state;
	struct vrs_job_info info = {.streams = 2, .cpus = 4};
	struct vrs_job_stats stats = {.frames_done = 100, .wall_ns = 10000000000u, .cpu_ns = 12000000000u, .peak_rss_bytes = 100 << 20,
		.queue_bytes = 10 << 20};
	for (int i = 0; i < VRS_STAGE_COUNT; i++)
		stats.stage[i].frames = 100;
	stats.stage[VRS_STAGE_DECODE].busy_ns = 5000000000u;
	stats.stage[VRS_STAGE_INFERENCE].busy_ns = 9000000000u; /* two streams: 45 % */
	stats.stage[VRS_STAGE_INFERENCE].cpu_ns = 4000000000u;
	stats.stage[VRS_STAGE_ENCODE].busy_ns = 4000000000u;
	char *text = report(&stats, &info);
	assert_non_null(strstr(text, "limit: decoding, busy 50 % of the time\n"));
	assert_non_null(strstr(text, "CPU: 1.20 of 4 in use, 120.0 ms per frame, of which 80.0 are"));
	assert_non_null(strstr(text, "inference         100      90.00     40.00     45.0 %"));
	assert_non_null(strstr(text, "memory: peak 100 MiB, frames in queues at most 10 MiB"));
	free(text);
	stats.stage[VRS_STAGE_COMPOSE].busy_ns = 2000000000u; /* the worker's stages count together: 55 % */
	text = report(&stats, &info);
	assert_non_null(strstr(text, "limit: the network and its pictures, busy 55 %"));
	free(text);
	struct vrs_job_info apart = {.streams = 1, .cpus = 4, .composes_apart = true}; /* a thread of its own composes: it counts by itself */
	stats.stage[VRS_STAGE_COMPOSE].busy_ns = 9500000000u;
	text = report(&stats, &apart);
	assert_non_null(strstr(text, "limit: composing, busy 95 %"));
	free(text);
	stats.stage[VRS_STAGE_COMPOSE].busy_ns = 2000000000u;
	text = report(&stats, &apart);
	assert_non_null(strstr(text, "limit: the network and its pictures, busy 90 %"));
	free(text);
	stats.stage[VRS_STAGE_ENCODE].busy_ns = 9900000000u;
	info.cpus = 1;
	text = report(&stats, &info);
	assert_non_null(strstr(text, "limit: encoding, busy 99 % of the time; all CPUs are in use"));
	free(text);
	stats.frames_done = 0;
	text = report(&stats, &info);
	assert_string_equal(text, "");
	free(text);
}

static void prepare(void *cookie, struct vrs_frame *frame)
{
	++*(int *)cookie;
	frame->data[0][0] = 77;
}

static void test_frame_pool(void **state)
{
	(void)state;
	const struct vrs_picture_format format = {.width = 16, .height = 16, .planes = 3, .chroma_shift_x = 1, .chroma_shift_y = 1, .bit_depth = 8};
	uint64_t before = vrs_mem_stats().live_bytes;
	struct vrs_frame_pool *pool;
	struct vrs_frame frames[3];
	struct vrs_composite_past *past;
	int prepared = 0;
	assert_int_equal(vrs_frame_pool_create(&pool, &format, 2, prepare, &prepared), VRS_OK);
	assert_int_equal(prepared, 2);
	/* the third one grows the pool; given back, frames are used again and keep what they were prepared with */
	for (int i = 0; i < 3; i++)
		assert_int_equal(vrs_frame_pool_get(pool, &frames[i], &past), VRS_OK);
	assert_int_equal(vrs_frame_pool_size(pool), 3);
	assert_true(frames[0].data[0] != frames[1].data[0] && frames[1].data[0] != frames[2].data[0]);
	uint8_t *data = frames[1].data[0];
	vrs_frame_unref(&frames[1]);
	assert_int_equal(vrs_frame_pool_get(pool, &frames[1], &past), VRS_OK);
	assert_ptr_equal(frames[1].data[0], data);
	assert_int_equal(data[0], 77);
	assert_int_equal(prepared, 3);
	for (int i = 0; i < 3; i++)
		vrs_frame_unref(&frames[i]);
	vrs_mem_fail_after(1, true);
	for (int i = 0; i < 3; i++)
		assert_int_equal(vrs_frame_pool_get(pool, &frames[i], &past), VRS_OK);
	struct vrs_frame more;
	assert_int_equal(vrs_frame_pool_get(pool, &more, &past), VRS_ENOMEM);
	vrs_mem_fail_after(0, false);
	for (int i = 0; i < 3; i++)
		vrs_frame_unref(&frames[i]);
	vrs_frame_pool_destroy(pool);
	vrs_frame_pool_destroy(NULL);
	assert_int_equal(vrs_mem_stats().live_bytes, before);
}

/* Transfers of a device have rows of their own below the stages, in columns that stay in line; and the bounds of the CPU are not held against it. */
static void test_device(void **state)
{
	(void)state;
	struct vrs_job_info info = {.streams = 1, .cpus = 4, .device = "Test GPU", .net_macs = 500000000, .frame_bytes = 10000000, .eyes = 1, .threads = 1};
	struct vrs_job_stats stats = {.frames_done = 100, .wall_ns = 10000000000u};
	const struct vrs_peaks peaks = {.best = {.triad_gbps = 10, .fma_gflops_1 = 100}};
	char bounds[2048] = "";
	stats.stage[VRS_STAGE_INFERENCE].busy_ns = stats.stage[VRS_STAGE_INFERENCE].cpu_ns = 9000000000u;
	char *text = report(&stats, &info);
	assert_null(strstr(text, "on the device")); /* nobody asked for its times */
	assert_null(strstr(text, "-device"));
	assert_null(strstr(text, "device-"));
	assert_non_null(strstr(text, "\ninference           0 "));
	free(text);
	stats.device[VRS_DEVICE_UP] = (struct vrs_device_stats){.runs = 100, .busy_ns = 500000000};
	stats.device[VRS_DEVICE_COMPUTE] = (struct vrs_device_stats){.runs = 100, .busy_ns = 8000000000};
	text = report(&stats, &info);
	assert_non_null(strstr(text, "host-to-device      100       5.00         -      5.0 %\n"));
	assert_non_null(strstr(text, "on the device       100      80.00         -     80.0 %\n"));
	assert_null(strstr(text, "device-to-host")); /* its outputs were never brought down */
	assert_non_null(strstr(text, "\ninference             0 "));
	assert_non_null(strstr(text, "the decoder's, the encoder's and the device driver's\n"));
	free(text);
	struct vrs_job_stats both = stats; /* of two parts of a video */
	vrs_job_stats_add(&both, &stats);
	assert_int_equal(both.device[VRS_DEVICE_UP].runs, 200);
	assert_true(both.device[VRS_DEVICE_COMPUTE].busy_ns == 16000000000);
	FILE *out = fmemopen(bounds, sizeof bounds, "w");
	assert_non_null(out);
	vrs_bound_report(&stats, &info, &peaks, out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(bounds, "bounds: memory moves 10.0 GB/s at best\n"));
	assert_null(strstr(bounds, "inference"));
}

/* A live job that keeps up is limited by its source, one that drops frames by itself. */
static void test_live_limit(void **state)
{
	(void)state;
	struct vrs_job_stats stats = {.frames_done = 100, .wall_ns = 10000000000};
	struct vrs_job_info info = {.live = true, .streams = 1, .cpus = 2};
	stats.stage[VRS_STAGE_INFERENCE].busy_ns = 4000000000;
	for (int dropped = 0; dropped < 2; dropped++) {
		char text[4096] = "";
		FILE *out = fmemopen(text, sizeof text, "w");
		assert_non_null(out);
		stats.live.dropped = (uint64_t)dropped;
		vrs_stage_report(&stats, &info, out);
		assert_int_equal(fclose(out), 0);
		assert_non_null(strstr(text, dropped ? "limit: the network and its pictures, busy 40 %" :
				       "limit: the pace of the source (the network and its pictures: busy 40 % of the time)\n"));
	}
}

static void test_bounds(void **state)
{
	(void)state;
	struct vrs_job_stats stats = {.frames_done = 10};
	struct vrs_job_info info = {.frame_bytes = 10000000, .output_bytes = 10000000, .view_bytes = 1000000, .net_macs = 500000000};
	char text[4096] = "";
	stats.stage[VRS_STAGE_DECODE].busy_ns = 200000000;     /* 20 ms a frame where 1 ms would move it */
	stats.stage[VRS_STAGE_PREPROCESS].cpu_ns = 1500000;    /* 0.15 ms where 0.1 would do */
	stats.stage[VRS_STAGE_PREPROCESS].busy_ns = 999000000; /* waited for cores: does not count */
	stats.stage[VRS_STAGE_INFERENCE].cpu_ns = 120000000;   /* 12 ms where the peak gives 10 */
	stats.stage[VRS_STAGE_COMPOSE].cpu_ns = 10000000;      /* 1 ms where 2 would move all */
	FILE *out = fmemopen(text, sizeof text, "w");
	assert_non_null(out);
	const struct vrs_peaks peaks = {.best = {.triad_gbps = 10, .fma_gflops_1 = 100}};
	info.threads = 1;
	vrs_bound_report(&stats, &info, &peaks, out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "memory moves 10.0 GB/s"));
	assert_non_null(strstr(text, "bound decode           10.0 MB         1.00 ms, took    20.00 ms,   20.0 times: computing\n"));
	assert_non_null(strstr(text, "bound preprocess        1.0 MB         0.10 ms, took     0.15 ms,    1.5 times: memory\n"));
	assert_non_null(strstr(text, "bound inference        1.00 GFLOP     10.00 ms, took    12.00 ms,    1.2 times: the CPU's peak\n"));
	assert_non_null(strstr(text, "bound compose          20.0 MB         2.00 ms, took     1.00 ms,    0.5 times: memory, and parts"));
	assert_null(strstr(text, "bound encode")); /* did nothing */
	info.threads = 2; /* have 12 ms of CPU time a frame together */
	out = fmemopen(text, sizeof text, "w");
	assert_non_null(out);
	vrs_bound_report(&stats, &info, &peaks, out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "bound inference        1.00 GFLOP      5.00 ms, took     6.00 ms,    1.2 times: the CPU's peak\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_limit),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_device),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_frame_pool),
	};
	return cmocka_run_group_tests_name("stage_report", tests, NULL, NULL);
}
