/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards which names are devices, addresses and files, which inputs set their own pace or are gone when they were read, with what standard input
 * may be, and that the handlers of video devices can be loaded.
 */
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "video/live_input.h"
#include "video/sink.h"
#include "video/source.h"

static void test_names(void **state)
{
	static const struct {
		const char *name;
		bool input, output;
	} names[] = {
		{"/dev/video0", true, true}, {"/dev/video17", true, true}, {"/dev/videos", false, false}, {"/dev/null", false, false},
		{"udp://127.0.0.1:5", true, true}, {"SRT://a:5", true, true}, {"rtp://a:5", true, true}, {"rtmp://a/b/c", true, true},
		{"tcp://a:5?listen=1", true, true}, {"https://a/b.mp4", true, false}, {"rtsp://a/b", true, false}, {"file:a.mp4", false, false},
		{"udp:a.mp4", false, false}, {"a udp://b.mp4", false, false}, {"concat:a|b", false, false}, {"", false, false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		assert_int_equal(vrs_live_input_is(names[i].name), names[i].input);
		assert_int_equal(vrs_sink_is_stream(names[i].name), names[i].output);
	}
	assert_true(vrs_source_sets_pace("udp://127.0.0.1:5"));
	assert_true(vrs_source_sets_pace("/dev/zero"));
	assert_false(vrs_source_sets_pace(VRS_TEST_DIR "/data/person_flat.mp4"));
	assert_false(vrs_source_sets_pace(VRS_TEST_DIR "/data"));
	assert_false(vrs_source_sets_pace("missing.mp4"));
}

static void test_read_once(void **state)
{
	char pipe_name[PATH_MAX];
	struct vrs_error err = {0};
	int saved = dup(STDIN_FILENO), fds[2];

	(void)state;
	assert_true(saved >= 0 && pipe(fds) == 0 && dup2(fds[0], STDIN_FILENO) == STDIN_FILENO);
	snprintf(pipe_name, sizeof pipe_name, "%s/tests/live_input.%d", VRS_BUILD_DIR, (int)getpid());
	assert_int_equal(mkfifo(pipe_name, 0600), 0);
	const char *const once[] = {"-", pipe_name, "/dev/zero"};
	const char *const again[] = {VRS_TEST_DIR "/data/person_flat.mp4", VRS_TEST_DIR "/data", "missing.mp4", "http://127.0.0.1/a.mp4",
		"udp://127.0.0.1:5", "/dev/video0"};
	for (size_t i = 0; i < sizeof once / sizeof once[0]; i++) {
		assert_true(vrs_source_reads_once(once[i]));
		assert_int_equal(vrs_source_check_again(once[i], "two looks", &err), VRS_ECONFIG);
		assert_non_null(strstr(err.text, i == 0 ? "two looks, and standard input can" : once[i]));
	}
	for (size_t i = 0; i < sizeof again / sizeof again[0]; i++)
		assert_int_equal(vrs_source_check_again(again[i], "two looks", &err), VRS_OK);
	unlink(pipe_name);
	assert_true(dup2(saved, STDIN_FILENO) == STDIN_FILENO);
	close(saved);
	close(fds[0]);
	close(fds[1]);
}

static void test_standard_input(void **state)
{
	int saved = dup(STDIN_FILENO), file = open(VRS_TEST_DIR "/data/person_flat.mp4", O_RDONLY);
	struct vrs_source *source;

	(void)state;
	assert_true(saved >= 0 && file >= 0 && dup2(file, STDIN_FILENO) == STDIN_FILENO);
	assert_string_equal(vrs_path_opened("-"), "/dev/stdin");
	assert_string_equal(vrs_path_opened("a.mp4"), "a.mp4");
	assert_false(vrs_source_reads_once("-"));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(vrs_source_open(&source, "-", NULL, NULL), VRS_OK);
		assert_int_equal(vrs_source_rewind(source, NULL), VRS_OK);
		vrs_source_close(source);
	}
	assert_int_equal(lseek(STDIN_FILENO, 0, SEEK_CUR), 0);
	assert_int_equal(lseek(STDIN_FILENO, 1, SEEK_SET), 1); /* something was read */
	assert_string_equal(vrs_path_opened("-"), "-");
	assert_true(vrs_source_reads_once("-"));
	assert_true(dup2(saved, STDIN_FILENO) == STDIN_FILENO);
	close(saved);
	close(file);
}

static void test_devices(void **state)
{
	struct vrs_error err = {0};
	(void)state;
	enum vrs_status status = vrs_video_devices_load(&err);
	if (status == VRS_EUNSUPPORTED) {
		assert_non_null(strstr(err.text, "install the package libavdevice"));
		skip();
	}
	assert_int_equal(status, VRS_OK);
	assert_non_null(av_find_input_format("video4linux2"));
	assert_non_null(av_guess_format("v4l2", NULL, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_read_once),
		cmocka_unit_test(test_standard_input),
		cmocka_unit_test(test_devices),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
