/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: passwords, tokens and stream keys of addresses reach no message, log line or comment; everything else of an address, and every other text,
 * stays readable; a short buffer shows no part of a secret.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include <vrseg/log.h>
#include <vrseg/status.h>

#include "base/printable.h"
#include "base/secrets.h"

static const char *const rows[][2] = {
	/* users and passwords */
	{"rtsp://user:secret@host/a.ts", "rtsp://user:***@host/a.ts"},
	{"http://bob:p@w:d@[::1]:80/a?b=c", "http://bob:***@[::1]:80/a?b=c"},
	{"https://token@host/a", "https://***@host/a"},
	{"https://:pw@host", "https://:***@host"},
	{"rtmp://u:p w@host/live", "rtmp://u:***@host/live"},
	{"http://u:p/w?x@host/a", "http://u:***@host/a"},
	{"cannot read tcp://u:p@a:1 and tcp://u:q@b: refused", "cannot read tcp://u:***@a:1 and tcp://u:***@b: refused"},
	{"RTSP://user:secret@host:554 begins", "RTSP://user:***@host:554 begins"},
	/* parameters */
	{"srt://h:1?mode=caller&passphrase=0123456789&pbkeylen=16", "srt://h:1?mode=caller&passphrase=***&pbkeylen=16"},
	{"srt://h:1?streamid=#!::u=a,s=b&latency=1000", "srt://h:1?streamid=***&latency=1000"},
	{"cannot read srt://h:1?passphrase=abc: timed out", "cannot read srt://h:1?passphrase=***: timed out"},
	{"http://h/a?Token=x&b=1&X-Amz-Signature=y;z&api_key=k#t=5", "http://h/a?Token=***&b=1&X-Amz-Signature=***&api_key=***"},
	{"http://h/a;auth=x/b.ts?AWSAccessKeyId=q&sig=r#token=t", "http://h/a;auth=***&sig=***"},
	{"http://h/a?token=", "http://h/a?token="},
	{"http://u:p@h/a?token=x", "http://u:***@h/a?token=***"},
	/* keys of streams */
	{"rtmp://h/app/key-1?x=y", "rtmp://h/app/***"},
	{"cannot write rtmps://u:p@h:1/app/key: refused", "cannot write rtmps://u:***@h:1/app/***: refused"},
	/* nothing to hide */
	{"clip#key=1.mp4", "clip#key=1.mp4"}, {"udp://h:1 a&passes=3.mp4", "udp://h:1 a&passes=3.mp4"},
	{"", ""}, {"a.mp4", "a.mp4"}, {"me@home: 5 & 6", "me@home: 5 & 6"}, {"rtmp://h/live", "rtmp://h/live"}, {"tcp://127.0.0.1:1", "tcp://127.0.0.1:1"},
	{"udp://@239.0.0.1:5000?pkt_size=1316", "udp://@239.0.0.1:5000?pkt_size=1316"}, {"http://h:80/a@b.ts", "http://h:80/a@b.ts"},
	{"http://[fe80::1]/a@b.ts?width=4&keyframes=1", "http://[fe80::1]/a@b.ts?width=4&keyframes=1"},
	{"tcp://h: refused; see a@b", "tcp://h:***@b"}, /* too much rather than too little */
	{"://", "://"}, {"rtmp://", "rtmp://"}, {"rtmp:///", "rtmp:///"}, {"?&;#=", "?&;#="},
};

static void secrets_are_hidden(void **state)
{
	char text[128];
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_string_equal(vrs_hide_secrets(text, sizeof text, rows[i][0]), rows[i][1]);
		assert_string_equal(vrs_printable(text, sizeof text, rows[i][0]), rows[i][1]);
		/* what has nothing to hide any more stays as it is */
		assert_string_equal(vrs_hide_secrets(text, sizeof text, rows[i][1]), rows[i][1]);
	}
}

static void a_short_buffer_cuts(void **state)
{
	static const char name[] = "rtsp://u:s3cret@h?key=s3cret";
	char whole[64], text[64];
	(void)state;
	vrs_hide_secrets(whole, sizeof whole, name);
	for (size_t size = 1; size <= strlen(whole) + 1; size++) {
		memset(text, 'x', sizeof text);
		assert_memory_equal(vrs_hide_secrets(text, size, name), whole, size - 1);
		assert_int_equal(text[size - 1], 0);
		assert_int_equal(text[size], 'x');
		assert_null(strstr(vrs_printable(text, size, name), "s3"));
	}
}

static void keep_line(void *cookie, enum vrs_log_level level, const char *line)
{
	(void)level;
	strncat(cookie, line, 255);
}

static void messages_have_none(void **state)
{
	char long_user[1200], line[256] = "";
	struct vrs_error err = {.status = VRS_OK};
	(void)state;
	vrs_fail(&err, VRS_EIO, "cannot read %s", "rtsp://user:secret@host");
	assert_string_equal(err.text, "cannot read rtsp://user:***@host");
	vrs_fail(&err, VRS_EIO, "%s: timed out", err.text);
	assert_string_equal(err.text, "cannot read rtsp://user:***@host: timed out");
	memset(long_user, 's', sizeof long_user - 1);
	long_user[sizeof long_user - 1] = '\0';
	vrs_fail(&err, VRS_EIO, "rtsp://u:%s@host", long_user); /* the @ lies behind what the text can hold */
	assert_string_equal(err.text, "rtsp://u:***@host");
	vrs_log_set_sink(keep_line, line);
	vrs_log(VRS_LOG_WARNING, "%s is slow", "srt://host?passphrase=secret");
	vrs_log_set_sink(NULL, NULL);
	assert_string_equal(line, "srt://host?passphrase=*** is slow");
}

static void comments_have_none(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	(void)state;
	assert_non_null(out);
	vrs_print_comment(out, "Input: %s", "rtsp://user:secret@host");
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, "# Input: rtsp://user:***@host\n");
	free(text); /* libc: memory of open_memstream */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(secrets_are_hidden), cmocka_unit_test(a_short_buffer_cuts),
		cmocka_unit_test(messages_have_none), cmocka_unit_test(comments_have_none)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
