/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what becomes of segments that several processes have begun and not made to their end.  --keep-partial, where the input can be read again
 * behind the place that cannot: one process and several make the same video, of the frames before that place alone, the message counts the frames
 * of the video, and nothing is left behind.  A stop: what was saved is counted, and what was thrown away is not.  This program is its own worker;
 * its read() fails at a place that the environment names, and asks workers to stop.
 */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/stop.h"
#include "segments/segment_process.h"

#include <vrseg/long_job.h>

#include "scratch_folder.h"
#include "small_network.h"

#define CLIP VRS_TEST_DIR "/data/person_flat.mp4"
#define CLIP_FRAMES 60
#define INPUT "clip.mkv"
#define BROKEN_AT "VRS_TEST_BROKEN_AT" /* in the environment, which workers have too */
#define BROKEN_BYTES 512
#define SEGMENT_FRAMES 15
#define STOPS "VRS_TEST_STOPS" /* in the environment: workers stop in the middle of all segments but the first */

typedef ssize_t read_function(int fd, void *to, size_t size);

static off_t stop_at = -1;

static off_t broken_at(void)
{
	const char *text = getenv(BROKEN_AT);
	return text ? (off_t)strtoll(text, NULL, 10) : -1;
}

static bool is_input(int fd)
{
	struct stat file, input;
	return fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && stat(INPUT, &input) == 0 && file.st_ino == input.st_ino && file.st_dev == input.st_dev;
}

/* Instead of the C library's, as a disk with a bad sector. */
ssize_t read(int fd, void *to, size_t size)
{
	static read_function *next;
	off_t bad = broken_at(), at;
	if (!next) {
		void *symbol = dlsym(RTLD_NEXT, "read");
		memcpy(&next, &symbol, sizeof next);
	}
	if (!is_input(fd))
		return next(fd, to, size);
	at = lseek(fd, 0, SEEK_CUR);
	if (stop_at >= at && stop_at < at + (off_t)size)
		vrs_stop_request();
	if (bad < 0)
		return next(fd, to, size);
	if (at >= bad && at < bad + BROKEN_BYTES) {
		errno = EIO;
		return -1;
	}
	return next(fd, to, at < bad && (off_t)size > bad - at ? (size_t)(bad - at) : size);
}

static struct vrs_job_stats stats; /* of the last run */

static enum vrs_status run(const char *input, const char *name, int segment_frames, bool processes, struct vrs_error *err)
{
	struct vrs_settings settings;
	struct vrs_long_plan *plan = NULL;
	*err = (struct vrs_error){0};
	assert_true(small_network_settings(&settings));
	settings.pipeline.segment_frames = segment_frames;
	settings.pipeline.processes = processes;
	settings.pipeline.process_count = processes ? 3 : 0;
	settings.pipeline.keep_partial = true;
	settings.output.overwrite = true;
	settings.engine.threads = 1;
	settings.engine.streams = 1;
	snprintf(settings.output.preset, sizeof settings.output.preset, "ultrafast");
	snprintf(settings.output.file, sizeof settings.output.file, "%s", name);
	if (vrs_long_plan_make(&plan, input, &settings, err))
		fail_msg("%s", err->text);
	const struct vrs_long_job request = {.input = input, .plan = plan, .settings = &settings};
	enum vrs_status status = vrs_long_job_run(&request, &stats, err);
	vrs_long_plan_free(plan);
	return status;
}

static void one_process_and_several(void **state)
{
	(void)state;
	struct vrs_error err;
	struct stat st;
	char bad[24], one[65], several[65], last[65] = "", folder[64];
	assert_int_equal(stat(INPUT, &st), 0);
	for (int place = 3; place < 7; place++) {
		unsigned frames[2] = {0};
		snprintf(bad, sizeof bad, "%lld", (long long)st.st_size * place / 10);
		setenv(BROKEN_AT, bad, 1);
		for (int i = 0; i < 2; i++) {
			const char *name = i ? "several.mp4" : "one.mp4", *tail;
			assert_int_equal(run(INPUT, name, 10, i, &err), VRS_EIO);
			tail = strstr(err.text, "; the ");
			assert_non_null(tail);
			assert_int_equal(sscanf(tail, "; the %u frames before are kept", &frames[i]), 1);
			assert_true(stats.kept);
			assert_int_equal(stats.frames_done - stats.frames_aside, frames[i]);
			assert_int_equal(vrs_file_sha256(name, i ? several : one, NULL), VRS_OK);
			snprintf(folder, sizeof folder, ".%s.vrseg", name);
			assert_false(vrs_path_exists(folder));
		}
		assert_string_equal(one, several);
		assert_string_not_equal(one, last);
		assert_int_equal(frames[0], frames[1]);
		assert_true(frames[0] > 10 && frames[0] < 50); /* more than a segment, and not those behind */
		memcpy(last, one, sizeof last);
	}
	unsetenv(BROKEN_AT);
}

/* Of three segments that are under way the first is made, the others stop in the middle: the frames of the last one are in no file. */
static void stopped_segments(void **state)
{
	(void)state;
	struct vrs_error err;
	unsigned long long saved, behind = 0;
	setenv(STOPS, "1", 1);
	assert_int_equal(run(INPUT, "stopped.mkv", SEGMENT_FRAMES, true, &err), VRS_ESTOPPED);
	unsetenv(STOPS);
	if (sscanf(err.text, "stopped on request after %llu frames, which are saved; %llu", &saved, &behind) < 1)
		fail_msg("%s", err.text);
	assert_true(saved >= SEGMENT_FRAMES && saved < 2 * SEGMENT_FRAMES);
	assert_int_equal(stats.frames_done, saved + behind);
	assert_int_equal(stats.frames_aside, behind);
	assert_true(vrs_path_exists(".stopped.mkv.vrseg/segment-000000.part"));
	assert_false(vrs_path_exists(".stopped.mkv.vrseg/segment-000001.part"));
	assert_false(vrs_path_exists(".stopped.mkv.vrseg/segment-000002.part"));
}

static int set_up(void **state)
{
	struct vrs_error err;
	(void)state;
	unsetenv(BROKEN_AT);
	unsetenv(STOPS);
	/* a key frame at the beginning of each segment */
	return scratch_folder_enter("ended_early") == 0 && run(CLIP, INPUT, 4, false, &err) == VRS_OK ? 0 : -1;
}

static int clean_up(void **state)
{
	(void)state;
	return scratch_folder_remove("ended_early");
}

/* The worker: what it is asked for says which segment it makes, and so where it stops. */
static int work(void)
{
	static char request[1 << 20];
	struct stat st;
	size_t size = fread(request, 1, sizeof request - 1, stdin);
	const char *number = strstr(request, "\"number\":");
	long segment = number ? strtol(number + strlen("\"number\":"), NULL, 10) : 0;
	FILE *in = fmemopen(request, size, "r");
	if (!in || stat(INPUT, &st) != 0)
		return 1;
	if (getenv(STOPS) && segment > 0)
		stop_at = (off_t)(st.st_size * (SEGMENT_FRAMES * segment + SEGMENT_FRAMES * 2 / 3) / CLIP_FRAMES);
	int code = vrs_segment_child_main(in, stdout);
	fclose(in);
	return code;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_process_and_several),
		cmocka_unit_test(stopped_segments),
	};
	if (vrs_segment_requested(argc, argv))
		return work();
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
