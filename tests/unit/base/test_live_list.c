/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards which playlists are known to grow: by their end mark, by their type, and by the playlists that they name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/live_list.h"

#define HLS "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.ts\n"
#define MASTER "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n"

static char folder[] = "/tmp/vrs-live-list-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void write_bytes(const char *name, const char *text, size_t length)
{
	assert_int_equal(vrs_file_replace(path_of(name), text, length, NULL), VRS_OK);
}

static void the_end_is_told_by_the_list_or_what_it_names(void **state)
{
	static const struct {
		const char *text;
		bool grows;
	} cases[] = {
		{HLS, true}, {HLS "#EXT-X-ENDLIST\n", false}, {HLS "#EXT-X-ENDLIST", false}, {HLS "\r#EXT-X-ENDLIST\r\n", false},
		{HLS "# no #EXT-X-ENDLIST\n", true}, {"#EXTM3U\n#EXT-X-ENDLIST\n#EXTINF:1,\na.ts\n", false},
		{MASTER "open.m3u8\n", true}, {MASTER "ended.m3u8\n", false}, {MASTER "ended.m3u8\nopen.m3u8\n", true}, {MASTER "absent.m3u8\n", false},
		{"ffconcat version 1.0\nfile ended.m3u8\n", false}, {"ffconcat version 1.0\nfile a.ts\nfile open.m3u8\n", true},
		{"<MPD type=\"dynamic\">", true}, {"<?xml?>\n<mpd\n Type = 'Dynamic' id=\"1\">", true}, {"<MPD type=\"static\">", false}, {"<MPD>", false},
		{"<MPD id='dynamic'><Event type='dynamic'/>", false}, {"<MPD subtype='dynamic' type='static'>", false}, {"<MPD type=", false},
		{"<MPD type", false}, {"#EXT-X-TARGETDURATION:1\na.ts\n", false}, {"", false},
	};
	(void)state;
	write_bytes("open.m3u8", HLS, strlen(HLS));
	write_bytes("ended.m3u8", HLS "#EXT-X-ENDLIST\n", strlen(HLS "#EXT-X-ENDLIST\n"));
	write_bytes("a.ts", "1", 1);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		write_bytes("list", cases[i].text, strlen(cases[i].text));
		if (vrs_live_list_is(path_of("list")) != cases[i].grows)
			fail_msg("case %zu is %staken for one that grows", i, cases[i].grows ? "not " : "");
	}
	write_bytes("list", HLS "\0#EXT-X-ENDLIST", sizeof HLS - 1 + 15);
	assert_false(vrs_live_list_is(path_of("list")));
	assert_false(vrs_live_list_is(path_of("nothing")) || vrs_live_list_is(folder) || vrs_live_list_is("-") || vrs_live_list_is("/dev/zero"));
	static const char *const names[] = {"open.m3u8", "ended.m3u8", "a.ts", "list"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		assert_int_equal(unlink(path_of(names[i])), 0);
}

/* More text than base/playlist.h looks for names in: a recording of two days. */
static void a_long_list_is_read_to_its_end(void **state)
{
	static const char line[] = "#EXTINF:1.000000,\nsegment00000.ts\n";
	const size_t lines = 200000, length = strlen(HLS) + lines * strlen(line);
	char *text = malloc(length + 32);
	(void)state;
	assert_non_null(text);
	strcpy(text, HLS);
	for (size_t i = 0; i < lines; i++)
		memcpy(text + strlen(HLS) + i * strlen(line), line, sizeof line);
	write_bytes("list", text, length);
	assert_true(vrs_live_list_is(path_of("list")));
	strcpy(text + length, "#EXT-X-ENDLIST\n");
	write_bytes("list", text, strlen(text));
	assert_false(vrs_live_list_is(path_of("list")));
	free(text);
	assert_int_equal(unlink(path_of("list")), 0);
}

/* A stranger's list may name a long one on each of its lines: what is read of all has a limit, or this would take hours. */
static void a_list_that_is_named_again_and_again(void **state)
{
	enum { TIMES = 20000, LONG = 6 << 20 };
	static const char begin[] = "ffconcat version 1.0\n", line[] = "file long.m3u8\n", mark[] = "#EXT-X-ENDLIST\n";
	char *text = calloc(LONG + sizeof mark, 1);
	size_t length = sizeof begin - 1;
	(void)state;
	assert_non_null(text);
	memset(text, '\n', LONG);
	memcpy(text, HLS, strlen(HLS));
	memcpy(text + LONG, mark, sizeof mark - 1);
	write_bytes("long.m3u8", text, LONG + sizeof mark - 1);
	memcpy(text, begin, length);
	for (int i = 0; i < TIMES; i++, length += sizeof line - 1)
		memcpy(text + length, line, sizeof line - 1);
	write_bytes("list", text, length);
	assert_false(vrs_live_list_is(path_of("list")));
	free(text);
	assert_int_equal(unlink(path_of("list")), 0);
	assert_int_equal(unlink(path_of("long.m3u8")), 0);
}

/* Standard input is what it was opened for, whatever file of the name "-" there is. */
static void standard_input(void **state)
{
	(void)state;
	int kept = dup(STDIN_FILENO);
	write_bytes("list", HLS, strlen(HLS));
	FILE *list = fopen(path_of("list"), "r");
	assert_non_null(list);
	assert_true(kept >= 0 && dup2(fileno(list), STDIN_FILENO) >= 0);
	bool grows = vrs_live_list_is("-");
	assert_true(dup2(kept, STDIN_FILENO) >= 0);
	close(kept);
	fclose(list);
	assert_true(grows);
	assert_int_equal(unlink(path_of("list")), 0);
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int clean_up(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_end_is_told_by_the_list_or_what_it_names),
		cmocka_unit_test(a_long_list_is_read_to_its_end),
		cmocka_unit_test(a_list_that_is_named_again_and_again),
		cmocka_unit_test(standard_input),
	};
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
