/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: the report of a worker process counts only when the process ended as it reported, so that a crash after the report, or what a sanitizer
 * found, is seen; warnings of the process are passed on, and with a bad end the lines of libraries too; a kill for lack of memory is told as that,
 * and another one not.  A worker's trace follows no link that somebody has put in the work folder.  This program is its own worker.
 */
#include <setjmp.h>
#include <signal.h>
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

#include <vrseg/config.h>
#include <vrseg/log.h>

static char logged[1024];

static void keep_line(void *cookie, enum vrs_log_level level, const char *text)
{
	(void)cookie;
	size_t used = strlen(logged);
	if (level == VRS_LOG_WARNING)
		snprintf(logged + used, sizeof logged - used, "%s\n", text);
}

#define ROOT VRS_BUILD_DIR "/test_segment_process_root"

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		abort();
}

/* Of the machine's tree that both processes see. */
static void write_events(int kills)
{
	char text[80];
	snprintf(text, sizeof text, "low 0\nmax 9\noom %d\noom_kill %d\n", kills, kills);
	put(ROOT "/sys/fs/cgroup/memory.events", text);
}

/* The worker: the input that it is asked for says what it reports and how it ends. */
static int work(void)
{
	static char request[1 << 20];
	size_t size = fread(request, 1, sizeof request - 1, stdin);
	request[size] = '\0';
	bool failed = strstr(request, "\"failed") != NULL, silent = strstr(request, "\"silent") != NULL;
	struct vrs_segment_reply reply = {.outcome.result = {.frames = 7, .end_pts = 7}};
	if (failed)
		(void)vrs_fail(&reply.error, VRS_EFORMAT, "bad input");
	fputs("vrseg: warning: a warning\nvrseg: a decision\nline of a library\n", stderr);
	char *answer = vrs_segment_reply_write(&reply);
	if (answer && !silent)
		puts(answer);
	fflush(stdout);
	vrs_json_free_text(answer);
	if (strstr(request, "crash\""))
		raise(SIGTERM);
	if (strstr(request, "oom\""))
		write_events(3); /* as the kernel does */
	if (strstr(request, "kill\"") || strstr(request, "oom\""))
		raise(SIGKILL);
	return strstr(request, "66\"") ? 66 : vrs_exit_code(reply.error.status);
}

static enum vrs_status run(const char *input, struct vrs_segment_reply *ret_reply, struct vrs_error *err)
{
	struct vrs_config *config;
	assert_int_equal(vrs_config_create(&config), VRS_OK);
	struct vrs_segment_request request = {.settings = *vrs_config_settings(config), .input = input, .process = 2,
		.segment = {.end = 7, .tail_frames = 0}};
	vrs_config_destroy(config);
	logged[0] = '\0';
	return vrs_segment_process_run(&request, ret_reply, err);
}

static void test_report_and_end_agree(void **state)
{
	(void)state;
	struct vrs_segment_reply reply;
	struct vrs_error err = {0};
	assert_int_equal(run("good", &reply, &err), VRS_OK);
	assert_int_equal(reply.error.status, VRS_OK);
	assert_int_equal(reply.outcome.result.frames, 7);
	assert_string_equal(logged, "a warning\n");
	assert_int_equal(run("failed", &reply, &err), VRS_OK);
	assert_int_equal(reply.error.status, VRS_EFORMAT);
	assert_string_equal(reply.error.text, "bad input");
	assert_string_equal(logged, "a warning\n");
}

static void expect_bad_end(const char *input, const char *words)
{
	struct vrs_segment_reply reply;
	struct vrs_error err = {0};
	assert_int_equal(run(input, &reply, &err), VRS_EINTERNAL);
	assert_string_equal(err.text, words);
	assert_non_null(strstr(logged, "a warning\nline of a library\n"));
	assert_null(strstr(logged, "a decision"));
}

static void test_bad_end(void **state)
{
	(void)state;
	expect_bad_end("good, then 66", "a worker process ended otherwise than its report (exit code 66)");
	expect_bad_end("failed, then 66", "a worker process ended otherwise than its report (exit code 66)");
	expect_bad_end("good, then crash", "a worker process ended otherwise than its report (signal 15)");
	expect_bad_end("silent, then 66", "a worker process ended without a report (exit code 66)");
	expect_bad_end("silent, then crash", "a worker process ended without a report (signal 15)");
}

static void expect_kill(const char *input, enum vrs_status status, const char *words)
{
	struct vrs_segment_reply reply;
	struct vrs_error err = {0};
	assert_int_equal(run(input, &reply, &err), status);
	assert_non_null(strstr(err.text, words));
}

static void test_killed(void **state)
{
	(void)state;
	assert_int_equal(system("rm -rf '" ROOT "' && mkdir -p '" ROOT "/proc/self' '" ROOT "/sys/fs/cgroup'"), 0);
	setenv("VRSEG_ROOT", ROOT, 1);
	expect_kill("silent, then kill", VRS_ENOMEM, "most likely for lack of memory");
	put(ROOT "/proc/self/mountinfo", "40 30 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	put(ROOT "/proc/self/cgroup", "0::/\n");
	write_events(2);
	expect_kill("silent, then kill", VRS_ENOMEM, "not for lack of memory");
	expect_kill("good, then oom", VRS_ENOMEM, "the control group ran out of memory");
	unsetenv("VRSEG_ROOT");
}

static void test_trace_follows_no_link(void **state)
{
	(void)state;
	static const char victim[] = VRS_BUILD_DIR "/test_segment_process_victim", planted[] = VRS_BUILD_DIR "/test_segment_process_trace";
	struct vrs_config *config;
	struct vrs_buf text;
	struct stat st;
	assert_int_equal(vrs_config_create(&config), VRS_OK);
	struct vrs_segment_request request = {.settings = *vrs_config_settings(config), .input = "not-there.mp4", .trace = planted, .process = 2,
		.segment = {.end = 7, .tail_frames = 0}};
	vrs_config_destroy(config);
	char *line = vrs_segment_request_write(&request);
	assert_non_null(line);
	FILE *in = tmpfile(), *out = tmpfile();
	assert_true(in && out && fputs(line, in) >= 0);
	rewind(in);
	vrs_json_free_text(line);
	put(victim, "precious");
	(void)unlink(planted);
	assert_int_equal(symlink(victim, planted), 0);
	assert_int_not_equal(vrs_segment_child_main(in, out), 0); /* there is no such video */
	assert_true(lstat(planted, &st) == 0 && S_ISREG(st.st_mode));
	assert_int_equal(vrs_file_read(victim, 100, &text, NULL), VRS_OK);
	assert_string_equal(vrs_buf_str(&text), "precious");
	vrs_buf_fini(&text);
	(void)fclose(in);
	(void)fclose(out);
	assert_int_equal(unlink(planted), 0);
	assert_int_equal(unlink(victim), 0);
}

int main(int argc, char **argv)
{
	if (vrs_segment_requested(argc, argv))
		return work();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_report_and_end_agree),
		cmocka_unit_test(test_bad_end),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_trace_follows_no_link),
	};
	vrs_log_set_sink(keep_line, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
