/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards what programs say: the log file gets the lines of standard error, a failure is one line and the right exit code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/messages.h"

static void count_call(void *cookie)
{
	++*(int *)cookie;
}

static void lines_go_to_the_file_too(void **state)
{
	(void)state;
	struct vrs_buf text;
	int cleared = 0;
	(void)unlink("messages.log");
	vrs_messages_begin("prog", count_call, &cleared);
	assert_int_equal(vrs_messages_open(VRS_LOG_INFO, "messages.log", NULL), VRS_OK);
	vrs_log(VRS_LOG_WARNING, "careful");
	vrs_log(VRS_LOG_DEBUG, "not shown");
	struct vrs_error err = {.status = VRS_OK};
	(void)vrs_fail_at(&err, VRS_ECONFIG, "a.yaml", 3, 0, "bad key");
	assert_int_equal(vrs_messages_end(VRS_ECONFIG, &err), 2);
	assert_int_equal(vrs_file_read("messages.log", 4096, &text, NULL), VRS_OK);
	assert_string_equal(vrs_buf_str(&text), "prog: warning: careful\nprog: a.yaml:3: bad key\n");
	assert_int_equal(cleared, 2);
	vrs_buf_fini(&text);
	(void)unlink("messages.log");
}

static void exit_codes(void **state)
{
	(void)state;
	struct vrs_error err = {.status = VRS_OK};
	vrs_messages_begin("prog", NULL, NULL);
	assert_int_equal(vrs_messages_open(VRS_LOG_INFO, "absent-folder/x.log", &err), VRS_EIO);
	assert_non_null(strstr(err.text, "absent-folder/x.log"));
	assert_int_equal(vrs_messages_end(VRS_EIO, &err), 3);
	assert_int_equal(vrs_messages_end(VRS_OK, NULL), 0);
	assert_int_equal(vrs_messages_end(VRS_END, NULL), 0);
	assert_int_equal(vrs_messages_end(VRS_ESTOPPED, NULL), 130);
}

/* A video of that name would be spoilt. */
static void a_log_is_text(void **state)
{
	static const struct {
		const char *data;
		size_t size;
		bool is_log;
	} files[] = {
		{"", 0, true}, {"prog: caf\xc3\xa9\t\x1b[1mbold\r\n", 20, true},
		{"\0\0\0\x20" "ftypisom", 12, false}, {"\x1a\x45\xdf\xa3", 4, false}, {"\x08\x07\x12\x07pytorch", 11, false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		struct vrs_error err = {.status = VRS_OK};
		struct vrs_buf text;
		assert_int_equal(vrs_file_replace("messages.log", files[i].data, files[i].size, NULL), VRS_OK);
		vrs_messages_begin("prog", NULL, NULL);
		assert_int_equal(vrs_messages_open(VRS_LOG_INFO, "messages.log", &err), files[i].is_log ? VRS_OK : VRS_ECONFIG);
		vrs_log(VRS_LOG_WARNING, "careful");
		assert_int_equal(vrs_messages_end(VRS_OK, NULL), 0);
		assert_int_equal(vrs_file_read("messages.log", 4096, &text, NULL), VRS_OK);
		assert_int_equal(text.len, files[i].size + (files[i].is_log ? strlen("prog: warning: careful\n") : 0));
		vrs_buf_fini(&text);
	}
	(void)unlink("messages.log");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(lines_go_to_the_file_too), cmocka_unit_test(exit_codes), cmocka_unit_test(a_log_is_text)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
