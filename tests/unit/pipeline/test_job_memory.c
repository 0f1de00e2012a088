/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the memory of jobs: a film of 7680x3840 is decoded, matted and encoded in less than 1.5 GB, and nothing grows with the length of a film,
 * encoder, muxer and trace included.  Each job is a process of its own, so that what others have left does not count.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <vrseg/pipeline.h>

#include "scratch_folder.h"
#include "small_network.h"

#define WARM 600              /* frames after which everything has its size */
#define GROWTH (6 << 20)      /* bytes over the other 1400 frames: one frame of 320x240 each 200 frames would be seen */

struct watch {
	int frames;
	long warm_bytes, last_bytes;
};

static long resident_bytes(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");
	if (file) {
		if (fscanf(file, "%*d %ld", &pages) != 1)
			pages = 0;
		fclose(file);
	}
	return pages * sysconf(_SC_PAGESIZE);
}

static void on_frame(void *cookie, const struct vrs_frame_times *times)
{
	struct watch *watch = cookie;
	(void)times;
	watch->frames++;
	if (watch->frames == WARM)
		watch->warm_bytes = resident_bytes();
	watch->last_bytes = resident_bytes();
}

/* In a child: 0, or what went wrong. */
static int run(const char *input, const char *output, bool trace, bool grows)
{
	struct vrs_error err = {0};
	struct vrs_job *job;
	struct watch watch = {0};
	struct vrs_job_callbacks callbacks = {.cookie = &watch, .on_frame = grows ? on_frame : NULL};
	struct vrs_settings settings;
	if (!small_network_settings(&settings))
		return 10;
	snprintf(settings.output.file, sizeof settings.output.file, "%s", output);
	if (trace)
		snprintf(settings.report.trace, sizeof settings.report.trace, "trace.json");
	settings.output.overwrite = true;
	enum vrs_status status = vrs_job_create(&job, input, &settings, 1, &callbacks, &err);
	if (status == VRS_OK)
		status = vrs_job_run(job, &err);
	if (status != VRS_OK) {
		fprintf(stderr, "%s\n", err.text);
		return 11;
	}
	vrs_job_destroy(job);
	if (grows && watch.last_bytes - watch.warm_bytes > GROWTH) {
		fprintf(stderr, "%ld bytes at frame %d, %ld at frame %d\n", watch.warm_bytes, WARM, watch.last_bytes, watch.frames);
		return 12;
	}
	return 0;
}

static long peak_of(const char *input, const char *output, bool trace, bool grows)
{
	struct rusage usage;
	int status = 0;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(run(input, output, trace, grows));
	assert_int_equal(wait4(pid, &status, 0, &usage), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	return usage.ru_maxrss;
}

static void test_large_pictures(void **state)
{
	(void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* their shadow is memory too */
#endif
	long kib = peak_of("synth:7680x3840,frames=14", "large.mkv", false, false);
	print_message("7680x3840: %ld MB\n", kib * 1024 / 1000000);
	assert_true(kib * 1024 < 1500000000);
}

static void test_long_films(void **state)
{
	(void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip();
#endif
	peak_of("synth:320x240,mono,flat,frames=2000", "long.mkv", true, true);
}

static int make_folder(void **state)
{
	(void)state;
	return scratch_folder_enter("job_memory");
}

static int remove_folder(void **state)
{
	static const char *const names[] = {"large.mkv", "long.mkv", "trace.json"};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		unlink(names[i]);
	return scratch_folder_leave("job_memory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_large_pictures),
		cmocka_unit_test(test_long_films),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
