/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards base/playlist: each format whose files name others is recognised, and every file that it names is found, however the name is written,
 * through playlists that it names, too; other files have no names, and one that names itself over and over ends, as do one whose names stand for
 * whole folders over and over, and one that names the kernel's files, which may wait.  A '*' in a name is no wildcard.  A manifest of whatever tags
 * takes about as long as any other of its size, and a zero byte ends a line, not the list.  What stands before the mark of a playlist hides none, and
 * one that goes beyond the limits is told, which one of 20,000 pictures does not.
 */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/playlist.h"
#include "base/str_parse.h"

#define MPD "<?xml version='1.0'?>\n<MPD>"

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

/* Without waiting for the disk: hundreds of files took a quarter of an hour where others wrote a lot. */
static void write_file(const char *name, const char *text)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void make_folder(const char *name)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	assert_int_equal(mkdir(path, 0700), 0);
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

/* What cannot be opened now may be one: a cache that took it for a plain file would give old frames. */
static void it_is_told_that_nobody_knows(void **state)
{
	struct rlimit limit, none;
	struct vrs_error err = {0};
	bool is = false;
	(void)state;
	write_file("one.m3u8", "#EXTM3U\n");
	assert_int_equal(vrs_playlist_look(path_of("one.m3u8"), &is, &err), VRS_OK);
	assert_true(is);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){.rlim_max = limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	enum vrs_status status = vrs_playlist_look(path_of("one.m3u8"), &is, &err);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(status, VRS_EIO);
	assert_non_null(strstr(err.text, "one.m3u8"));
	assert_int_equal(vrs_playlist_look(path_of("nothing.m3u8"), &is, &err), VRS_OK);
	assert_false(is);
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
		{"#EXTM3U\nmaster.m3u8\n", "deep.ts"},
		{"ffconcat version 1.0\nfile a.ts\n", "a.ts"},
		{"ffconcat version 1.0\n  file   'a b'\\''s.ts'\nduration 1\n", "a b's.ts"},
		{"ffconcat version 1.0\nfile a\\ b\\'s.ts\n", "a b's.ts"},
		{"<?xml version=\"1.0\"?>\n<mpd><BaseURL>a.ts</BaseURL></mpd>", "a.ts"},
		{"<?xml version=\"1.0\"?>\n<MPD><SegmentTemplate media=\"part-$Number%03d$.m4s\"/></MPD>", "part-002.m4s"},
		{"<CompositionPlaylist>\n<Path>a.ts</Path>", "a.ts"},
		{MPD "<BaseURL>in/</BaseURL><S media='seg.m4s'/></MPD>", "seg.m4s"},
		{MPD "<BaseURL>in/side.mp4</BaseURL>\n<S\nmedia='seg.m4s'/></MPD>", "seg.m4s"},
		{MPD "<S media='seg.m4s'/><d:baseurl serviceLocation='x'>\n\tin/\n</d:baseurl></MPD>", "seg.m4s"},
		{MPD "<BaseURL/><BaseURL><![CDATA[i]]><!-- > -->n/</BaseURL><S media='seg.m4s'/></MPD>", "seg.m4s"},
		{MPD "<BaseURL>i&#110;/</BaseURL><S media='s&#x65;g.m4s'/></MPD>", "seg.m4s"},
		{MPD "<BaseURL>in/</BaseURL><Period><BaseURL>deep/</BaseURL><S media='far.m4s'/></MPD>", "far.m4s"},
		{MPD "<BaseURL>in/</BaseURL><Period><BaseURL>$RepresentationID$/</BaseURL><S media='far.m4s'/></MPD>", "far.m4s"},
		{MPD "<BaseURL>no/</BaseURL><BaseURL>in/</BaseURL><S media='se$Number$.m4s'/></MPD>", "seg.m4s"},
		{MPD "<!-- a <BaseURL> --><BaseURL>in/</BaseURL><S media='seg.m4s'/></MPD>", "seg.m4s"},
		{MPD "<BaseURL>\nx<BaseURL>in/</BaseURL><S media='seg.m4s'/></MPD>", "seg.m4s"},
		{MPD "<BaseURL><![CDATA[in/<d]]>/</BaseURL><S media='far.m4s'/></MPD>", "far.m4s"},
		{MPD "<S media=\"a&amp;&#98;.ts\"/></MPD>", "a&b.ts"},
		{MPD "<S media='a&amp;b.ts'/></MPD>", "a&b.ts"},
		{MPD "<S media='&#228;.ts'/></MPD>", "\303\244.ts"},
		{MPD "<S media='&own;-002.m4s'/></MPD>", "part-002.m4s"},
		{MPD "<BaseURL><![CDATA[a&b.ts]]></BaseURL></MPD>", "a&b.ts"},
	};
	static const char *const more[] = {"in/seg.m4s", "in/deep/far.m4s", "in/<d/far.m4s", "a&b.ts", "\303\244.ts"};
	(void)state;
	write_file("a.ts", "1");
	write_file("a b's.ts", "2");
	write_file("deep.ts", "3");
	write_file("part-002.m4s", "4");
	write_file("master.m3u8", "#EXTM3U\ndeep.ts\n");
	assert_int_equal(mkdir(path_of("in"), 0777), 0);
	assert_int_equal(mkdir(path_of("in/deep"), 0777), 0);
	assert_int_equal(mkdir(path_of("in/<d"), 0777), 0);
	for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
		write_file(more[i], "6");
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
	for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
		assert_int_equal(unlink(path_of(more[i])), 0);
	assert_int_equal(rmdir(path_of("in/deep")), 0);
	assert_int_equal(rmdir(path_of("in/<d")), 0);
	assert_int_equal(rmdir(path_of("in")), 0);
}

static bool ends(enum vrs_status status)
{
	return status == VRS_OK || status == VRS_ELIMIT;
}

/* Tags without an end, entities without one, more folders than are kept: within a moment. */
static void hostile_manifests_end(void **state)
{
	static const char *const pieces[] = {
		"<BaseURL", "<BaseURL>", "<BaseURL>./", "<BaseURL>./</BaseURL>", "&",
		"&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&& ", "&#x;&#99999999;&#0;&;", "<!--"
	};
	struct vrs_buf text;
	(void)state;
	for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
		struct seen seen = {0};
		vrs_buf_init(&text, 4 << 20);
		assert_int_equal(vrs_buf_puts(&text, MPD), VRS_OK);
		while (text.len < (3 << 20))
			assert_int_equal(vrs_buf_puts(&text, pieces[i]), VRS_OK);
		write_file("list", vrs_buf_str(&text));
		vrs_buf_fini(&text);
		assert_true(ends(vrs_playlist_each(path_of("list"), remember, &seen)));
	}
}

/* CPU time for a manifest of 4 MiB that has `pieces` of this text, then `fill`. */
static uint64_t time_of(const char *piece, int pieces, const char *fill)
{
	struct seen seen = {0};
	struct vrs_buf text;
	uint64_t begin;
	vrs_buf_init(&text, 4 << 20);
	assert_int_equal(vrs_buf_puts(&text, MPD), VRS_OK);
	for (int i = 0; i < pieces; i++)
		assert_int_equal(vrs_buf_puts(&text, piece), VRS_OK);
	while (text.len + strlen(fill) < (4 << 20))
		assert_int_equal(vrs_buf_puts(&text, fill), VRS_OK);
	write_file("list", vrs_buf_str(&text));
	vrs_buf_fini(&text);
	begin = vrs_thread_cpu_ns();
	assert_true(ends(vrs_playlist_each(path_of("list"), remember, &seen)));
	return vrs_thread_cpu_ns() - begin;
}

/* When each tag was read to the end of the text, these took some hundred times as long as the first. */
static void manifests_take_time_in_proportion(void **state)
{
	static const struct {
		const char *piece, *fill;
	} cases[] = {
		{":BaseURL ", "x"}, {"<BaseURL><!--", "-"}, {"<!--<BaseURL>-->", "<!---->"}, {"<!--<BaseURL>-->", "<![CDATA["}, {"<!--<BaseURL>-->", "]]>"},
		{"<BaseURL>", " "}, {"<BaseURL>", "<!---->"},
	};
	uint64_t usual = time_of("<S>x</S>", 4096, "<!---->");
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint64_t took = time_of(cases[i].piece, 4096, cases[i].fill);
		if (took > 20 * usual)
			fail_msg("case %zu took %.3f s, another manifest %.3f s", i, (double)took * 1e-9, (double)usual * 1e-9);
	}
}

/* FFmpeg ends a line at a zero byte, and a manifest. */
static void a_zero_byte_ends_a_line(void **state)
{
	static const char texts[][64] = {"ffconcat version 1.0\n\0file a.ts", "#EXTM3U\nx\0a.ts\0x", MPD "<S media='a.ts'/></MPD>\0x",
					 MPD "<S/></MPD>\0<S media='a.ts'/>"};
	(void)state;
	write_file("a.ts", "1");
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		assert_int_equal(vrs_file_replace(path_of("list"), texts[i], sizeof texts[i], NULL), VRS_OK);
		if (!names("list", "a.ts"))
			fail_msg("text %zu does not name the file", i);
	}
}

/* FFmpeg cuts "file:" once, in these letters, and reads what follows from where the program runs. */
static void names_with_a_protocol(void **state)
{
	static const struct {
		const char *text;
		bool found;
	} cases[] = {{"file:here.ts", true}, {"file:./here.ts", true}, {"file:a.ts", false}, {"FILE:here.ts", false}, {"file:file:here.ts", false}};
	char before[512], text[300];
	(void)state;
	write_file("a.ts", "1");
	assert_non_null(getcwd(before, sizeof before));
	assert_int_equal(mkdir(path_of("sub"), 0777), 0);
	assert_int_equal(chdir(path_of("sub")), 0);
	assert_int_equal(vrs_file_replace("here.ts", "5", 1, NULL), VRS_OK);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		snprintf(text, sizeof text, "ffconcat version 1.0\nfile %s\n", cases[i].text);
		write_file("list", text);
		assert_int_equal(names("list", "here.ts"), cases[i].found);
	}
	assert_int_equal(unlink("here.ts"), 0);
	assert_int_equal(chdir(before), 0);
	assert_int_equal(rmdir(path_of("sub")), 0);
	snprintf(text, sizeof text, "ffconcat version 1.0\nfile 'file://%s'\n", path_of("a.ts"));
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

static void templates_find_what_they_match(void **state)
{
	static const struct {
		const char *playlist, *name;
	} cases[] = {
		{"<mpd>\n<SegmentTemplate media=\"$RepresentationID$/part-$Number$-$Time$.m4s\"/>", "part-1-2.m4s"},
		{"<mpd>\n<SegmentTemplate media=\"r$RepresentationID$/../r$Bandwidth$/part-$Number$.m4s\"/>", "part-1-2.m4s"},
		{"#EXTM3U\nb*$5.ts\n", "b*$5.ts"},
		{"#EXTM3U\nb*$5$6.ts\n", "b*$$6.ts"},
	};
	(void)state;
	make_folder("rep");
	write_file("rep/part-1-2.m4s", "5");
	write_file("b*$5.ts", "6");
	write_file("b*$$6.ts", "7");
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		write_file("list", cases[i].playlist);
		if (!names("list", cases[i].name))
			fail_msg("case %zu does not name %s", i, cases[i].name);
	}
}

/* Without limits: a step into each of ten folders and back, to the power of 12; hundreds of hits for each of thousands of lines. */
static void templates_end(void **state)
{
	static const char *const lines[] = {"$1$/../", "*/../"};
	char name[64], text[20000] = "#EXTM3U\n";
	struct seen seen = {0};
	(void)state;
	make_folder("many");
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof name, i < 10 ? "many/d%d" : "many/%d.ts", i);
		if (i < 10)
			make_folder(name);
		else
			write_file(name, "x");
	}
	for (size_t line = 0; line < 3; line++) {
		strcpy(text, "#EXTM3U\n");
		for (int i = 0; i < (line == 2 ? 3 : 12); i++)
			strcat(text, lines[line % 2]);
		strcat(text, "*$1$\n");
		write_file("many/list", text);
		alarm(60);
		assert_true(ends(vrs_playlist_each(path_of("many/list"), remember, &seen)));
	}
	strcpy(text, "#EXTM3U\n");
	for (int i = 0; i < 3000; i++)
		strcat(text, "$$\n");
	write_file("many/list", text);
	seen.count = 0;
	alarm(60);
	assert_int_equal(vrs_playlist_each(path_of("many/list"), remember, &seen), VRS_ELIMIT);
	alarm(0);
	assert_in_range(seen.count, 291, 1000000);
}

static void a_star_is_no_wildcard(void **state)
{
	(void)state;
	write_file("list", "#EXTM3U\n*/part-$1$.m4s\nr?p/part-$1$.m4s\n[r]ep/part-$1$.m4s\n*.ts\n");
	assert_false(names("list", "part-1-2.m4s") || names("list", "a.ts"));
}

/* A file of the kernel that names another. */
static void files_of_the_kernel_are_not_opened(void **state)
{
	char before[16];
	(void)state;
	assert_int_equal(prctl(PR_GET_NAME, before), 0);
	assert_int_equal(prctl(PR_SET_NAME, "#EXTM3U\nmaps"), 0);
	write_file("list", "#EXTM3U\n/proc/self/comm\n/proc/kmsg\n");
	alarm(60);
	assert_false(names("list", "maps"));
	alarm(0);
	assert_int_equal(prctl(PR_SET_NAME, before), 0);
}

static void append_times(struct vrs_buf *text, const char *piece, int times)
{
	for (int i = 0; i < times; i++)
		assert_int_equal(vrs_buf_puts(text, piece), VRS_OK);
}

/* FFmpeg finds a manifest behind up to a MiB of comments, and skips an ID3 tag; also in a file that a playlist names. */
static void what_stands_before_a_playlist_hides_no_name(void **state)
{
	static const char id3[] = "ID3\4\0\0\0\0\1\2", list[] = "#EXTM3U\na.ts\n";
	char tagged[10 + 130 + sizeof list] = "";
	struct vrs_buf text;
	(void)state;
	write_file("a.ts", "1");
	write_file("outer", "#EXTM3U\nlist\n");
	for (int lines = 100; lines <= 10000; lines *= 10) {
		vrs_buf_init(&text, 4 << 20);
		append_times(&text, "<!-- a comment of sixty-four characters, with its line break -->\n", lines);
		append_times(&text, "<MPD><BaseURL>a.ts</BaseURL></MPD>", 1);
		write_file("list", vrs_buf_str(&text));
		vrs_buf_fini(&text);
		assert_true(vrs_playlist_is(path_of("list")));
		assert_true(names("list", "a.ts") && names("outer", "a.ts"));
	}
	memcpy(tagged, id3, 10);
	memcpy(tagged + 10 + 130, list, sizeof list - 1);
	assert_int_equal(vrs_file_replace(path_of("list"), tagged, 10 + 130 + sizeof list - 1, NULL), VRS_OK);
	assert_true(vrs_playlist_is(path_of("list")));
	assert_true(names("list", "a.ts") && names("outer", "a.ts"));
}

/* The caller knows then that it was not told of all files. */
static void more_than_the_limits_is_told(void **state)
{
	static const struct {
		const char *begin, *piece;
		int times;
	} cases[] = {
		{"#EXTM3U\n", "no.ts\n", 600000}, {"#EXTM3U\n", "# a comment that nobody needs\n", 150000},
		{MPD, "<BaseURL>in/</BaseURL>", 5000}, {MPD "<S media='", "&#0000097;", 1000},
	};
	struct seen seen = {0};
	struct vrs_buf text;
	char name[32], line[64];
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		vrs_buf_init(&text, 8 << 20);
		append_times(&text, cases[i].begin, 1);
		append_times(&text, cases[i].piece, cases[i].times);
		append_times(&text, "'\na.ts\n", 1);
		write_file("list", vrs_buf_str(&text));
		vrs_buf_fini(&text);
		if (vrs_playlist_each(path_of("list"), remember, &seen) != VRS_ELIMIT)
			fail_msg("case %zu is said to be whole", i);
	}
	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof name, "deep-%d", i);
		snprintf(line, sizeof line, "#EXTM3U\ndeep-%d\n", i + 1);
		write_file(name, line);
	}
	assert_int_equal(vrs_playlist_each(path_of("deep-0"), remember, &seen), VRS_ELIMIT);
	assert_int_equal(vrs_playlist_each(path_of("deep-3"), remember, &seen), VRS_OK);
}

/* An hour of pictures, say. */
static void many_large_files_are_within_the_limits(void **state)
{
	const int count = 20000;
	struct seen seen = {0};
	struct vrs_buf text;
	char name[32], line[64];
	(void)state;
	make_folder("pictures");
	vrs_buf_init(&text, 4 << 20);
	append_times(&text, "ffconcat version 1.0\n", 1);
	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof name, "pictures/%05d", i);
		snprintf(line, sizeof line, "file %s\n", name);
		append_times(&text, line, 1);
		write_file(name, "");
		assert_int_equal(truncate(path_of(name), 8192), 0);
	}
	write_file("list", vrs_buf_str(&text));
	vrs_buf_fini(&text);
	assert_int_equal(vrs_playlist_each(path_of("list"), remember, &seen), VRS_OK);
	assert_true(seen.count >= count);
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int clean_up(void **state)
{
	(void)state;
	return nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way_to_write_a_name_is_found),
		cmocka_unit_test(it_is_told_that_nobody_knows),
		cmocka_unit_test(names_with_a_protocol),
		cmocka_unit_test(hostile_manifests_end),
		cmocka_unit_test(manifests_take_time_in_proportion),
		cmocka_unit_test(a_zero_byte_ends_a_line),
		cmocka_unit_test(other_files_name_none),
		cmocka_unit_test(the_first_failure_ends_the_walk),
		cmocka_unit_test(one_that_names_itself_ends),
		cmocka_unit_test(templates_find_what_they_match),
		cmocka_unit_test(templates_end),
		cmocka_unit_test(a_star_is_no_wildcard),
		cmocka_unit_test(files_of_the_kernel_are_not_opened),
		cmocka_unit_test(what_stands_before_a_playlist_hides_no_name),
		cmocka_unit_test(more_than_the_limits_is_told),
		cmocka_unit_test(many_large_files_are_within_the_limits),
	};
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
