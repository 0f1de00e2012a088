/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: memory that runs out while a video is made in segments leads to another try with less, and to the same file; a disk that is full leaves the
 * segments, and the next run goes on; estimates of disk space refuse what cannot be; an input that cannot be opened now is no reason for one go.
 */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/stop.h"
#include "job/disk_space.h"

#include <vrseg/log.h>
#include <vrseg/long_job.h>

#include "scratch_folder.h"
#include "small_network.h"

#define CLIP VRS_TEST_DIR "/data/person_flat.mp4"

static int warnings;

static void count_warning(void *cookie, enum vrs_log_level level, const char *line)
{
	(void)cookie;
	(void)line;
	warnings += level == VRS_LOG_WARNING;
}

static enum vrs_status run(const char *name, bool resume, struct vrs_error *err)
{
	struct vrs_settings settings;
	struct vrs_job_stats stats;
	*err = (struct vrs_error){0};
	assert_true(small_network_settings(&settings));
	settings.pipeline.segment_frames = 15;
	settings.pipeline.resume = resume;
	settings.output.overwrite = true;
	settings.engine.threads = 1;
	settings.engine.streams = 2;
	snprintf(settings.output.preset, sizeof settings.output.preset, "ultrafast");
	snprintf(settings.output.file, sizeof settings.output.file, "%s", name);
	struct vrs_long_plan *plan = NULL;
	enum vrs_status status = vrs_long_plan_make(&plan, CLIP, &settings, err);
	if (status != VRS_OK)
		return status; /* where memory runs out already here */
	const struct vrs_long_job request = {.input = CLIP, .plan = plan, .settings = &settings};
	status = vrs_long_job_run(&request, &stats, err);
	vrs_long_plan_free(plan);
	return status;
}

static void sum_of(const char *name, char hex[65])
{
	assert_int_equal(vrs_file_sha256(name, hex, NULL), VRS_OK);
}

/* All descriptors are taken for a moment: in one go the video would have other key frames. */
static void test_input_cannot_be_opened(void **state)
{
	struct rlimit limit, none;
	struct vrs_error err;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){.rlim_max = limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	enum vrs_status status = run("none.mp4", false, &err);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(status, VRS_EIO);
	assert_non_null(strstr(err.text, "person_flat.mp4"));
}

/* One allocation fails, somewhere in the middle of the video. */
static void test_memory_runs_out(void **state)
{
	(void)state;
	struct vrs_error err = {0};
	char whole[65], after[65];
	assert_int_equal(run("whole.mp4", false, &err), VRS_OK);
	sum_of("whole.mp4", whole);
	uint64_t before = vrs_mem_stats().allocations;
	assert_int_equal(run("count.mp4", false, &err), VRS_OK);
	uint64_t all = vrs_mem_stats().allocations - before;
	int delivered = 0;
	for (int place = 3; place < 10; place += 2) {
		warnings = 0;
		vrs_mem_fail_after(all * (uint64_t)place / 10, false);
		enum vrs_status status = run("memory.mp4", false, &err);
		bool fired = vrs_mem_fault_fired();
		vrs_mem_fail_after(0, false);
		delivered += fired;
		/* where the checkpoint or the joining is hit, the next run goes on */
		if (status != VRS_OK) {
			assert_int_equal(status, VRS_ENOMEM);
			assert_int_equal(run("memory.mp4", true, &err), VRS_OK);
		}
		sum_of("memory.mp4", after);
		assert_string_equal(whole, after);
	}
	assert_true(delivered > 2);
}

/* A limit on the size of files ends a write as a full disk does: the segment files are smaller than the video. */
static void test_disk_full(void **state)
{
	(void)state;
	struct vrs_error err = {0};
	struct rlimit old, limit;
	struct stat st;
	char whole[65], after[65];
	sum_of("whole.mp4", whole);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	assert_int_equal(stat("whole.mp4", &st), 0);
	limit.rlim_cur = (rlim_t)st.st_size / 2; /* a segment file has a quarter of it */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	enum vrs_status status = run("full.mp4", true, &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(status, VRS_EIO);
	assert_non_null(strstr(err.text, "full.mp4"));
	assert_false(vrs_path_exists("full.mp4"));
	assert_true(vrs_path_exists(".full.mp4.vrseg/checkpoint.json"));
	assert_int_equal(stat(".full.mp4.vrseg/segment-000000.part", &st), 0);
	assert_int_equal(st.st_nlink, 1); /* no hidden name stays when the file is dropped */
	/* a checkpoint that cannot be read now is no reason to start anew */
	assert_int_equal(rename(".full.mp4.vrseg/checkpoint.json", "checkpoint.json"), 0);
	assert_int_equal(mkdir(".full.mp4.vrseg/checkpoint.json", 0700), 0);
	assert_int_equal(run("full.mp4", true, &err), VRS_EIO);
	assert_null(strstr(err.text, "--no-resume"));
	assert_int_equal(rmdir(".full.mp4.vrseg/checkpoint.json"), 0);
	assert_int_equal(rename("checkpoint.json", ".full.mp4.vrseg/checkpoint.json"), 0);
	assert_int_equal(run("full.mp4", true, &err), VRS_OK);
	sum_of("full.mp4", after);
	assert_string_equal(whole, after);
	assert_false(vrs_path_exists(".full.mp4.vrseg/checkpoint.json"));
}

static void test_disk_estimate(void **state)
{
	(void)state;
	struct vrs_settings settings;
	struct vrs_error err = {0};
	assert_true(small_network_settings(&settings));
	struct vrs_job_info info = {.output_width = 3840, .output_height = 1920, .fps = 60};
	settings.output.crf = 23;
	/* 60 frames/s at this size: between a fifth and five times of 25 Mb/s */
	double second = vrs_disk_estimate(&settings, &info, 60) * 8;
	assert_true(second > 5e6 && second < 125e6);
	settings.output.crf = 17;
	assert_true(vrs_disk_estimate(&settings, &info, 60) * 8 > 1.9 * second);
	/* a quality is where the crf of the same picture is, a bit rate is arithmetic */
	settings.output.crf = 24;
	double at_24 = vrs_disk_estimate(&settings, &info, 60);
	settings.output.crf = -1;
	settings.output.quality = 60;
	assert_true(fabs(vrs_disk_estimate(&settings, &info, 60) - at_24) < 0.001 * at_24);
	info.bit_rate = 20000000;
	assert_true(fabs(vrs_disk_estimate(&settings, &info, 60 * 100) - 250e6) < 1);
	settings.pipeline.every_nth = 2;
	assert_true(fabs(vrs_disk_estimate(&settings, &info, 30 * 100) - 250e6) < 1);
	assert_int_equal(vrs_disk_check("x.mp4", 1, 1, false, &err), VRS_OK);
	assert_int_equal(vrs_disk_check("x.mp4", 1e18, 1, false, &err), VRS_ENOSPC);
	assert_int_equal(vrs_disk_check("x.mp4", 1e17, 20, false, &err), VRS_ENOSPC);
	assert_non_null(strstr(err.text, "joined"));
	assert_int_equal(vrs_disk_check("/dev/null", 1e18, 1, false, &err), VRS_OK);
	assert_int_equal(vrs_disk_check("no/such/folder/x.mp4", 1e18, 1, false, &err), VRS_OK);
}

/* Batch, streams and queue halve as far as they go, the count of streams that the job chose itself too; never below 1, nor where it was forbidden. */
static void test_steps_down(void **state)
{
	(void)state;
	struct vrs_settings settings;
	struct vrs_job_info info = {.streams = 4};
	struct vrs_error why = {.status = VRS_ENOMEM};
	int steps = 0;
	assert_true(small_network_settings(&settings));
	settings.engine.batch_size = 2;
	settings.engine.streams = 0;
	settings.pipeline.queue_size = 9;
	settings.engine.adaptive_batch = false;
	assert_false(vrs_step_down(&settings, &info, &why));
	assert_int_equal(settings.engine.batch_size, 2);
	settings.engine.adaptive_batch = true;
	assert_true(vrs_step_down(&settings, &info, &why));
	assert_int_equal(settings.engine.batch_size, 1);
	assert_int_equal(settings.engine.streams, 2);
	assert_int_equal(settings.pipeline.queue_size, 4);
	while (vrs_step_down(&settings, &info, &why))
		steps++;
	assert_int_equal(steps, 2);
	assert_int_equal(settings.engine.batch_size, 1);
	assert_int_equal(settings.engine.streams, 1);
	assert_int_equal(settings.pipeline.queue_size, 1);
}

static int set_up(void **state)
{
	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	vrs_log_set_sink(count_warning, NULL);
	return scratch_folder_enter("long_job");
}

static int clean_up(void **state)
{
	(void)state;
	static const char *const names[] = {"whole.mp4", "count.mp4", "memory.mp4", "full.mp4"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		unlink(names[i]);
	return scratch_folder_leave("long_job"); /* nothing else is left in it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_input_cannot_be_opened),
		cmocka_unit_test(test_memory_runs_out),
		cmocka_unit_test(test_disk_full),
		cmocka_unit_test(test_disk_estimate),
		cmocka_unit_test(test_steps_down),
	};
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
