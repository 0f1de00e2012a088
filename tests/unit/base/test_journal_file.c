/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the journal lines of base/file: complete lines survive any tail, torn tails are counted and cut, limits hold at their ends. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/stop.h"

#define MAX_LINE 32

static char path[64];

struct lines {
	struct vrs_buf text; /* lines joined by '|' */
	long last, stop_at;
};

static enum vrs_status collect(void *cookie, const char *line, long number, struct vrs_error *err)
{
	struct lines *lines = cookie;

	assert_int_equal(number, lines->last + 1);
	lines->last = number;
	if (number == lines->stop_at)
		return vrs_fail(err, VRS_EFORMAT, "stopped at %ld", number);
	return vrs_buf_printf(&lines->text, "%s|", line);
}

static void write_file(const char *text, size_t len)
{
	assert_int_equal(vrs_file_replace(path, text, len, NULL), VRS_OK);
}

static void assert_lines(bool cut, enum vrs_status expected_status, const char *expected, size_t expected_torn)
{
	struct lines lines = {0};
	struct vrs_error err = {0};
	size_t torn = 0;

	vrs_buf_init(&lines.text, 1 << 20);
	enum vrs_status status = vrs_journal_read(path, MAX_LINE, cut, collect, &lines, &torn, &err);

	if (status != expected_status)
		fail_msg("%s: %s", vrs_status_name(status), err.text);
	assert_string_equal(vrs_buf_str(&lines.text), expected);
	assert_int_equal(torn, expected_torn);
	vrs_buf_fini(&lines.text);
}

static int make_path(void **state)
{
	(void)state;
	snprintf(path, sizeof path, "test_journal_file.%ld.jsonl", (long)getpid());
	return 0;
}

static int remove_path(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static void appended_lines_are_read(void **state)
{
	(void)state;
	assert_int_equal(vrs_journal_append(path, "one", NULL), VRS_OK);
	assert_int_equal(vrs_journal_append(path, "", NULL), VRS_OK);
	assert_int_equal(vrs_journal_append(path, "three", NULL), VRS_OK);
	assert_lines(false, VRS_OK, "one||three|", 0);
	assert_int_equal(vrs_journal_append(path, "a\nb", NULL), VRS_EINVAL);
	assert_lines(false, VRS_OK, "one||three|", 0);
}

static void missing_journal_is_not_found(void **state)
{
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_journal_read(path, MAX_LINE, true, collect, NULL, NULL, &err), VRS_ENOTFOUND);
	assert_non_null(strstr(err.text, path));
}

/* A journal cut at any byte holds exactly the lines whose newline is there. */
static void any_truncation_keeps_complete_lines(void **state)
{
	static const char text[] = "first\nsecond line\n\nlast\n";

	(void)state;
	for (size_t len = 0; len < sizeof text; len++) {
		char expected[64] = "";
		size_t good = 0;

		for (size_t i = 0; i < len; i++)
			if (text[i] == '\n')
				good = i + 1;
		memcpy(expected, text, good);
		expected[good] = '\0';
		for (char *c = expected; *c; c++)
			*c = *c == '\n' ? '|' : *c;
		write_file(text, len);
		assert_lines(false, VRS_OK, expected, len - good);
		assert_lines(true, VRS_OK, expected, len - good);
		assert_lines(true, VRS_OK, expected, 0);
		assert_int_equal(vrs_journal_append(path, "more", NULL), VRS_OK);
		strcpy(expected + good, "more|"); /* libc: fits, the text is known */
		assert_lines(false, VRS_OK, expected, 0);
	}
}

static void append_never_joins_a_torn_line(void **state)
{
	(void)state;
	write_file("good\nto", 7);
	assert_int_equal(vrs_journal_append(path, "next", NULL), VRS_OK);
	assert_lines(false, VRS_OK, "good|to|next|", 0);
}

static void line_length_limit(void **state)
{
	char text[128];

	(void)state;
	for (int len = MAX_LINE - 1; len <= MAX_LINE + 1; len++) {
		char expected[128];
		int n = snprintf(text, sizeof text, "ok\n%0*d\nok\n", len, 7);

		write_file(text, (size_t)n);
		snprintf(expected, sizeof expected, len <= MAX_LINE ? "ok|%0*d|ok|" : "ok|", len, 7);
		assert_lines(false, len <= MAX_LINE ? VRS_OK : VRS_ELIMIT, expected, 0);
	}
	/* An over-long tail without a newline is only torn. */
	int n = snprintf(text, sizeof text, "ok\n%0*d", MAX_LINE + 40, 7);

	write_file(text, (size_t)n);
	assert_lines(true, VRS_OK, "ok|", MAX_LINE + 40);
	assert_lines(true, VRS_OK, "ok|", 0);
}

static void zero_bytes(void **state)
{
	(void)state;
	write_file("ok\n\0\0\0\0", 7);
	assert_lines(true, VRS_OK, "ok|", 4);
	write_file("ok\na\0b\nok\n", 10);
	assert_lines(false, VRS_EFORMAT, "ok|", 0);
}

static void reader_can_stop_early(void **state)
{
	struct lines lines = {.stop_at = 2};
	struct vrs_error err = {0};

	(void)state;
	write_file("a\nb\nc\nto", 8);
	vrs_buf_init(&lines.text, 100);
	assert_int_equal(vrs_journal_read(path, MAX_LINE, true, collect, &lines, NULL, &err), VRS_EFORMAT);
	assert_string_equal(err.text, "stopped at 2");
	assert_int_equal(lines.last, 2);
	vrs_buf_fini(&lines.text);
	assert_lines(false, VRS_OK, "a|b|c|", 2); /* an error cuts nothing */
}

static void lack_of_memory(void **state)
{
	struct lines lines = {0};
	struct vrs_error err = {0};

	(void)state;
	vrs_buf_init(&lines.text, 100);
	write_file("a\nb\n", 4);
	vrs_mem_fail_after(1, true);
	assert_int_equal(vrs_journal_read(path, MAX_LINE, true, collect, &lines, NULL, &err), VRS_ENOMEM);
	vrs_mem_fail_after(1, true);
	assert_int_equal(vrs_journal_append(path, "c", &err), VRS_ENOMEM);
	vrs_mem_fail_after(0, false);
	assert_lines(false, VRS_OK, "a|b|", 0);
	vrs_buf_fini(&lines.text);
}

/* A disk that fills up inside a line: the piece is taken back, and the message names the file. */
static void full_disk_takes_the_piece_back(void **state)
{
	(void)state;
	assert_int_equal(vrs_journal_append(path, "12345", NULL), VRS_OK);
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		struct rlimit limit = {10, 10};
		struct vrs_error err = {0};

		vrs_stop_install(); /* SIGXFSZ is an error, not an end */
		if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
			_exit(77);
		_exit(vrs_journal_append(path, "67890123", &err) == VRS_EIO && strstr(err.text, path) ? 0 : 1);
	}
	int status;

	assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_lines(false, VRS_OK, "12345|", 0);
}

/* Several processes on one journal: every line arrives whole. */
static void appenders_take_turns(void **state)
{
	enum { PROCESSES = 4, LINES = 25 };
	struct lines lines = {0};

	(void)state;
	for (int p = 0; p < PROCESSES; p++) {
		if (fork() == 0) {
			char line[MAX_LINE];

			snprintf(line, sizeof line, "%030d", p);
			for (int i = 0; i < LINES; i++)
				if (vrs_journal_append(path, line, NULL) != VRS_OK)
					_exit(1);
			_exit(0);
		}
	}
	for (int p = 0; p < PROCESSES; p++) {
		int status;

		assert_true(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	vrs_buf_init(&lines.text, 1 << 20);
	assert_int_equal(vrs_journal_read(path, 30, false, collect, &lines, NULL, NULL), VRS_OK);
	assert_int_equal(lines.last, PROCESSES * LINES);
	assert_int_equal(lines.text.len, PROCESSES * LINES * 31);
	vrs_buf_fini(&lines.text);
}

int main(void)
{
#define WITH_PATH(test) cmocka_unit_test_setup_teardown(test, make_path, remove_path)
	const struct CMUnitTest tests[] = {
		WITH_PATH(appended_lines_are_read),
		WITH_PATH(missing_journal_is_not_found),
		WITH_PATH(any_truncation_keeps_complete_lines),
		WITH_PATH(append_never_joins_a_torn_line),
		WITH_PATH(line_length_limit),
		WITH_PATH(zero_bytes),
		WITH_PATH(reader_can_stop_early),
		WITH_PATH(lack_of_memory),
		WITH_PATH(full_disk_takes_the_piece_back),
		WITH_PATH(appenders_take_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
