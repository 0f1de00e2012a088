/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the log: levels, one clean line per call whatever the arguments, once-only messages, and concurrent use. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <setjmp.h>
#include <cmocka.h>

#include <vrseg/log.h>

#include "base/buf.h"

struct record {
	struct vrs_buf text;
	int lines;
	enum vrs_log_level last;
};

static void record_line(void *cookie, enum vrs_log_level level, const char *line)
{
	struct record *record = cookie;

	/* No lock here: the log's own must be enough (ThreadSanitizer watches). */
	record->lines++;
	record->last = level;
	vrs_buf_printf(&record->text, "%s\n", line);
}

static struct record record;

static int install(void **state)
{
	(void)state;
	record = (struct record){0};
	vrs_buf_init(&record.text, 1 << 20);
	vrs_log_set_sink(record_line, &record);
	vrs_log_set_level(VRS_LOG_INFO);
	return 0;
}

static int uninstall(void **state)
{
	(void)state;
	vrs_log_set_sink(NULL, NULL);
	vrs_log_set_level(VRS_LOG_INFO);
	vrs_buf_fini(&record.text);
	return 0;
}

static void levels_filter(void **state)
{
	(void)state;
	vrs_log(VRS_LOG_DEBUG, "hidden");
	vrs_log(VRS_LOG_INFO, "shown %d", 1);
	vrs_log_set_level(VRS_LOG_ERROR);
	assert_int_equal(vrs_log_get_level(), VRS_LOG_ERROR);
	vrs_log(VRS_LOG_WARNING, "hidden");
	vrs_log(VRS_LOG_ERROR, "shown %d", 2);
	assert_string_equal(vrs_buf_str(&record.text), "shown 1\nshown 2\n");
	assert_int_equal(record.last, VRS_LOG_ERROR);
}

static void lines_are_clean(void **state)
{
	(void)state;
	vrs_log(VRS_LOG_INFO, "a\nb\tc\x1b[31m\x7f%s", "\xc3\xa9");
	assert_string_equal(vrs_buf_str(&record.text), "a b c\\x1b[31m\\x7f\xc3\xa9\n");
}

static void long_lines_are_cut(void **state)
{
	(void)state;
	vrs_log(VRS_LOG_INFO, "%5000d", 7);
	assert_int_equal(record.lines, 1);
	assert_true(record.text.len < 2100);
	assert_string_equal(vrs_buf_str(&record.text) + record.text.len - 4, "...\n");
}

static void once_means_once_per_id(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		vrs_log_once("test-log-a", VRS_LOG_WARNING, "a %d", i);
		vrs_log_once("test-log-b", VRS_LOG_WARNING, "b %d", i);
	}
	vrs_log_once("test-log-c", VRS_LOG_DEBUG, "below the level: not used up");
	vrs_log_set_level(VRS_LOG_DEBUG);
	vrs_log_once("test-log-c", VRS_LOG_DEBUG, "c");
	assert_string_equal(vrs_buf_str(&record.text), "a 0\nb 0\nc\n");
}

static void logging_sink(void *cookie, enum vrs_log_level level, const char *line)
{
	int *calls = cookie;

	(void)line;
	(*calls)++;
	vrs_log(level, "from the sink");
	vrs_log_once("test-log-sink", level, "from the sink");
}

static void sink_that_logs_does_not_hang(void **state)
{
	int calls = 0;

	(void)state;
	vrs_log_set_sink(logging_sink, &calls);
	vrs_log(VRS_LOG_INFO, "one");
	vrs_log(VRS_LOG_INFO, "two");
	assert_int_equal(calls, 2);
}

#define THREADS 4
#define LINES 500

static void *log_lines(void *cookie)
{
	for (int i = 0; i < LINES; i++) {
		vrs_log(VRS_LOG_INFO, "thread %d line %d", *(int *)cookie, i);
		vrs_log_once("test-log-threads", VRS_LOG_INFO, "only one of these");
	}
	return NULL;
}

static void threads_do_not_mix_lines(void **state)
{
	pthread_t threads[THREADS];
	int ids[THREADS];
	char line[64];

	(void)state;
	for (int i = 0; i < THREADS; i++) {
		ids[i] = i;
		assert_int_equal(pthread_create(&threads[i], NULL, log_lines, &ids[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(record.lines, THREADS * LINES + 1);
	for (int i = 0; i < THREADS; i++) {
		snprintf(line, sizeof line, "thread %d line %d\n", i, LINES - 1);
		assert_non_null(strstr(vrs_buf_str(&record.text), line));
	}
}

static void default_sink_writes_warnings_to_standard_error(void **state)
{
	char text[512] = "", expected[512];
	int pipe_fds[2], kept = dup(STDERR_FILENO);

	(void)state;
	assert_true(kept >= 0 && pipe(pipe_fds) == 0 && dup2(pipe_fds[1], STDERR_FILENO) >= 0);
	vrs_log_set_sink(NULL, NULL);
	vrs_log(VRS_LOG_INFO, "not for the terminal");
	vrs_log(VRS_LOG_WARNING, "careful");
	vrs_log(VRS_LOG_ERROR, "broken");
	dup2(kept, STDERR_FILENO);
	close(kept);
	close(pipe_fds[1]);
	ssize_t n = 0, got;

	while ((got = read(pipe_fds[0], text + n, sizeof text - 1 - (size_t)n)) > 0)
		n += got;
	close(pipe_fds[0]);
	snprintf(expected, sizeof expected, "%s: warning: careful\n%s: error: broken\n", program_invocation_short_name, program_invocation_short_name);
	assert_string_equal(text, expected);
}

int main(void)
{
#define WITH_SINK(test) cmocka_unit_test_setup_teardown(test, install, uninstall)
	const struct CMUnitTest tests[] = {
		WITH_SINK(levels_filter),
		WITH_SINK(lines_are_clean),
		WITH_SINK(long_lines_are_cut),
		WITH_SINK(once_means_once_per_id),
		WITH_SINK(sink_that_logs_does_not_hang),
		WITH_SINK(threads_do_not_mix_lines),
		WITH_SINK(default_sink_writes_warnings_to_standard_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
