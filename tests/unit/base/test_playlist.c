/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards base/playlist: each format whose files name others is recognised, and every file that it names is found, however the name is written,
 * through playlists that it names, too; other files have no names, and one that names itself over and over ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/playlist.h"
#include "base/str_parse.h"

static char folder[] = "/tmp/vrs-playlist-XXXXXX";

struct seen {
	int count, stop_after;
	char names[64][64];
};

static enum vrs_status remember(void *cookie, const char *path, const struct stat *st)
{
	struct seen *seen = cookie;
	assert_true(S_ISREG(st->st_mode));
	if (seen->count < 64)
		assert_true(vrs_strcpy(seen->names[seen->count], 64, vrs_path_base(path)));
	return ++seen->count == seen->stop_after ? VRS_EIO : VRS_OK;
}

static void write_file(const char *name, const char *text)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	assert_int_equal(vrs_file_replace(path, text, strlen(text), NULL), VRS_OK);
}

static const char *path_of(const char *name)
{
	static char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static bool names(const char *playlist, const char *name)
{
	struct seen seen = {0};
	assert_int_equal(vrs_playlist_each(path_of(playlist), remember, &seen), VRS_OK);
	for (int i = 0; i < seen.count && i < 64; i++)
		if (strcmp(seen.names[i], name) == 0)
			return true;
	return false;
}

static void every_way_to_write_a_name_is_found(void **state)
{
	static const struct {
		const char *playlist, *name;
	} cases[] = {
		{"#EXTM3U\n#EXTINF:2,\na.ts\n", "a.ts"},
		{"#EXTM3U\r\n#EXTINF:2,\r\n  a.ts\r\n", "a.ts"},
		{"#EXTM3U\n#EXT-X-MAP:URI=\"a b's.ts\"\n", "a b's.ts"},
		{"#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=a.ts,IV=0x1\n", "a.ts"},
		{"#EXTM3U\n./a.ts\n", "a.ts"},
		{"#EXTM3U\nfile:a.ts", "a.ts"},
		{"#EXTM3U\nmaster.m3u8\n", "deep.ts"},
		{"ffconcat version 1.0\nfile a.ts\n", "a.ts"},
		{"ffconcat version 1.0\n  file   'a b'\\''s.ts'\nduration 1\n", "a b's.ts"},
		{"ffconcat version 1.0\nfile a\\ b\\'s.ts\n", "a b's.ts"},
		{"<?xml version=\"1.0\"?>\n<mpd><BaseURL>a.ts</BaseURL></mpd>", "a.ts"},
		{"<?xml version=\"1.0\"?>\n<MPD><SegmentTemplate media=\"part-$Number%03d$.m4s\"/></MPD>", "part-002.m4s"},
		{"<CompositionPlaylist>\n<Path>a.ts</Path>", "a.ts"},
	};
	(void)state;
	write_file("a.ts", "1");
	write_file("a b's.ts", "2");
	write_file("deep.ts", "3");
	write_file("part-002.m4s", "4");
	write_file("master.m3u8", "#EXTM3U\ndeep.ts\n");
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		write_file("list", cases[i].playlist);
		assert_true(vrs_playlist_is(path_of("list")));
		if (!names("list", cases[i].name))
			fail_msg("case %zu does not name %s", i, cases[i].name);
	}
	char text[256];
	snprintf(text, sizeof text, "#EXTM3U\n%s\n", path_of("a.ts"));
	write_file("list", text);
	assert_true(names("list", "a.ts"));
}

static void other_files_name_none(void **state)
{
	static const char *const texts[] = {"a.ts\n", "", "# EXTM3U\na.ts\n", "ffmpeg\na.ts", "<xml>a.ts</xml>"};
	struct seen seen = {0};
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		write_file("list", texts[i]);
		assert_false(vrs_playlist_is(path_of("list")));
		assert_int_equal(vrs_playlist_each(path_of("list"), remember, &seen), VRS_OK);
	}
	assert_false(vrs_playlist_is(folder) || vrs_playlist_is(path_of("absent")) || vrs_playlist_is("/dev/zero") || vrs_playlist_is("-"));
	assert_int_equal(vrs_playlist_each("/dev/zero", remember, &seen), VRS_OK);
	assert_int_equal(seen.count, 0);
}

static void the_first_failure_ends_the_walk(void **state)
{
	struct seen seen = {.stop_after = 1};
	(void)state;
	write_file("list", "#EXTM3U\na.ts\na.ts\n");
	assert_int_equal(vrs_playlist_each(path_of("list"), remember, &seen), VRS_EIO);
	assert_int_equal(seen.count, 1);
}

/* Without limits: lines to the fourth power, each with megabytes to read. */
static void one_that_names_itself_ends(void **state)
{
	static char line[3 << 20];
	struct seen seen = {0};
	struct vrs_buf text;
	(void)state;
	vrs_buf_init(&text, sizeof line + 4096);
	assert_int_equal(vrs_buf_puts(&text, "#EXTM3U\n"), VRS_OK);
	for (int i = 0; i < 50; i++)
		assert_int_equal(vrs_buf_puts(&text, "list\n"), VRS_OK);
	memset(line, 'x', sizeof line - 1);
	assert_int_equal(vrs_buf_puts(&text, line), VRS_OK);
	write_file("list", vrs_buf_str(&text));
	vrs_buf_fini(&text);
	assert_int_equal(vrs_playlist_each(path_of("list"), remember, &seen), VRS_OK);
	assert_in_range(seen.count, 50, 100000);
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int clean_up(void **state)
{
	static const char *const files[] = {"list", "a.ts", "a b's.ts", "deep.ts", "part-002.m4s", "master.m3u8"};
	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
		unlink(path_of(files[i]));
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way_to_write_a_name_is_found),
		cmocka_unit_test(other_files_name_none),
		cmocka_unit_test(the_first_failure_ends_the_walk),
		cmocka_unit_test(one_that_names_itself_ends),
	};
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
