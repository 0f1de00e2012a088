/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards --keep-partial where the input can be read again behind the place that cannot: one process and several make the same video, of the frames
 * before that place alone, the message counts the video's frames, and nothing is left behind.  This program is its own worker, and its read() fails at
 * the places of one file that broken_at names.
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
#include "segments/segment_process.h"

#include <vrseg/long_job.h>

#include "scratch_folder.h"
#include "small_network.h"

#define CLIP VRS_TEST_DIR "/data/person_flat.mp4"
#define INPUT "clip.mkv"
#define BROKEN_AT "VRS_TEST_BROKEN_AT" /* in the environment, which workers have too */
#define BROKEN_BYTES 512

typedef ssize_t read_function(int fd, void *to, size_t size);

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
	if (bad < 0 || !is_input(fd))
		return next(fd, to, size);
	at = lseek(fd, 0, SEEK_CUR);
	if (at >= bad && at < bad + BROKEN_BYTES) {
		errno = EIO;
		return -1;
	}
	return next(fd, to, at < bad && (off_t)size > bad - at ? (size_t)(bad - at) : size);
}

static enum vrs_status run(const char *input, const char *name, int segment_frames, bool processes, struct vrs_error *err)
{
	struct vrs_settings settings;
	struct vrs_job_stats stats;
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
	unsetenv(BROKEN_AT);
	if (run(CLIP, INPUT, 4, false, &err)) /* with a key frame at the begin of each segment */
		fail_msg("%s", err.text);
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

static int set_up(void **state)
{
	(void)state;
	return scratch_folder_enter("broken_reader");
}

static int clean_up(void **state)
{
	(void)state;
	return scratch_folder_remove("broken_reader");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_process_and_several),
	};
	if (vrs_segment_requested(argc, argv))
		return vrs_segment_child_main(stdin, stdout);
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
