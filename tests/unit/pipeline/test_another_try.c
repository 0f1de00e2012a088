/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what another try of a job rests on: whether an output was opened is told also where the job cannot be made for lack of memory after that, so
 * that a pipe does not get a second header; and the trace of the first try is replaced without --overwrite, through a link, too.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"

#include <vrseg/pipeline.h>

#include "scratch_folder.h"
#include "small_network.h"

#define FLAT_CLIP VRS_TEST_DIR "/data/person_flat.mp4"

struct output {
	uint64_t fail_after; /* 0: nothing fails */
	bool begun;
};

static void on_output(void *cookie)
{
	struct output *output = cookie;
	output->begun = true;
	if (output->fail_after)
		vrs_mem_fail_after(output->fail_after, false);
}

static struct vrs_settings settings_for(const char *file)
{
	struct vrs_settings settings;
	assert_true(small_network_settings(&settings));
	snprintf(settings.output.file, sizeof settings.output.file, "%s", file);
	snprintf(settings.report.trace, sizeof settings.report.trace, "trace.json");
	settings.pipeline.max_frames = 1;
	return settings;
}

static void an_output_that_was_opened_is_told(void **state)
{
	struct vrs_settings settings = settings_for("y4m:pipe");
	struct output output;
	const struct vrs_job_callbacks callbacks = {.cookie = &output, .on_output = on_output};
	bool fault = true;
	int headers = 0;
	char text[4096];
	(void)state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	int fd = open("pipe", O_RDWR | O_NONBLOCK);
	assert_true(fd >= 0);
	for (uint64_t n = 1; fault; n++) {
		struct vrs_job *job = NULL;
		struct vrs_error err = {0};
		output = (struct output){.fail_after = n};
		enum vrs_status status = vrs_job_create(&job, FLAT_CLIP, &settings, 1, &callbacks, &err);
		fault = vrs_mem_fault_fired();
		vrs_mem_fail_after(0, false);
		assert_true(output.begun);
		assert_false(vrs_job_repeats(&settings, FLAT_CLIP, output.begun));
		headers += status == VRS_ENOMEM && read(fd, text, sizeof text) > 0;
		assert_true(status == VRS_OK || (fault && status == VRS_ENOMEM));
		assert_int_equal(access("trace.json", F_OK) == 0, status == VRS_OK); /* or the next try would find it */
		vrs_job_destroy(job);
		(void)unlink("trace.json");
		while (read(fd, text, sizeof text) > 0)
			;
	}
	assert_in_range(headers, 1, 1000);
	close(fd);
	assert_int_equal(unlink("pipe"), 0);
}

static void one_that_was_not_is_not(void **state)
{
	struct vrs_settings settings = settings_for("y4m:no-such-folder/out.y4m");
	struct output output = {0};
	const struct vrs_job_callbacks callbacks = {.cookie = &output, .on_output = on_output};
	struct vrs_job *job;
	struct vrs_error err = {0};
	(void)state;
	assert_int_equal(vrs_job_create(&job, "no-such.mp4", &settings, 1, &callbacks, &err), VRS_ENOTFOUND);
	assert_false(output.begun);
}

static void the_trace_of_the_first_try_is_replaced(void **state)
{
	struct vrs_settings settings = settings_for("null:");
	struct vrs_job *job;
	struct vrs_error err = {0};
	struct stat st;
	(void)state;
	assert_int_equal(symlink("trace.json", "link.json"), 0);
	for (int i = 0; i < 4; i++) {
		snprintf(settings.report.trace, sizeof settings.report.trace, i % 2 ? "link.json" : "trace.json");
		assert_int_equal(vrs_job_create(&job, FLAT_CLIP, &settings, 1, NULL, &err), VRS_OK);
		assert_int_equal(i < 3 ? VRS_OK : vrs_job_run(job, &err), VRS_OK);
		vrs_job_destroy(job);
		assert_true(stat("trace.json", &st) == 0 && st.st_size > 4);
	}
	assert_int_equal(vrs_job_create(&job, FLAT_CLIP, &settings, 1, NULL, &err), VRS_EEXIST); /* one that a job has ended */
	assert_true(lstat("link.json", &st) == 0 && S_ISLNK(st.st_mode));
	assert_int_equal(unlink("link.json") + unlink("trace.json"), 0);
}

static int set_up(void **state)
{
	(void)state;
	return scratch_folder_enter("test_another_try");
}

static int clean_up(void **state)
{
	(void)state;
	return scratch_folder_leave("test_another_try");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_output_that_was_opened_is_told),
		cmocka_unit_test(one_that_was_not_is_not),
		cmocka_unit_test(the_trace_of_the_first_try_is_replaced),
	};
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
